import type { LookupAddress } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { domainToASCII } from 'node:url';
import type { Clock } from '../../base/clock.js';
import { codeOf } from '../../base/fault.js';
import { withTimeout } from './timeout.js';

/** Lookups that run at the same time: each is a process for as long as the name server takes. */
export const CONCURRENT_LOOKUPS = 6;

/** How many of them may be for names whose last lookup timed out: other names must not wait for those. */
export const CONCURRENT_SLOW_LOOKUPS = 2;

/** The resolver tries the next server after 5 s (resolv.conf, `timeout`); a connection has 15 s in total. */
export const LOOKUP_TIMEOUT_MS = 8_000;

/**
 * Datagrams, and devices that close after each reply, need a name many times a second; a lookup costs a
 * process.
 */
export const ADDRESS_CACHE_MS = 5_000;

/** The back-off of a name that failed, which doubles from the first to the last. */
const RETRY_FIRST_MS = 500;
const RETRY_MAX_MS = 15_000;

/** The limit of names that are queued, failed or cached; scripts may request any number. */
const NAMES_LIMIT = 1000;

/** The sources of addresses. Both settle in their own time; `NameResolver` sets the limits. */
export interface NameSources {
  /** The addresses of a name in the hosts file; empty if it is not there. */
  local(name: string): Promise<readonly string[]>;
  /** Queries the system. Rejects with a `getaddrinfo` code; stops when the signal aborts. */
  system(name: string, signal: AbortSignal): Promise<readonly string[]>;
}

interface Failure {
  readonly error: Error;
  readonly count: number;
  readonly retryAtNs: bigint;
}

interface Known {
  readonly addresses: readonly string[];
  readonly untilNs: bigint;
}

interface Job {
  readonly name: string;
  readonly result: PromiseWithResolvers<readonly string[]>;
}

/**
 * Resolves the host names of one gateway: one lookup per name, a few at the same time, each with its own
 * back-off. A name whose lookup hangs delays no other.
 *
 * Not `dns.lookup`: it occupies a thread of libuv's pool until the C library times out, and can't be
 * cancelled. Two hanging names would block all others, and the end of the process.
 */
export class NameResolver {
  readonly #clock: Pick<Clock, 'after' | 'monotonicNs'>;
  readonly #sources: NameSources;
  readonly #inFlight = new Map<string, Promise<readonly string[]>>();
  readonly #failures = new Map<string, Failure>();
  readonly #known = new Map<string, Known>();
  #queue: Job[] = [];
  readonly #running = { all: 0, slow: 0 };

  constructor(clock: Pick<Clock, 'after' | 'monotonicNs'>, sources: NameSources) {
    this.#clock = clock;
    this.#sources = sources;
  }

  /**
   * The addresses of a host name, the preferred one first. Rejects with the codes `ENOTFOUND` and
   * `EAI_AGAIN`.
   */
  async addressesOf(host: string): Promise<readonly string[]> {
    const name = asciiNameOf(host).toLowerCase().replace(/\.$/, '');
    const local = await this.#sources.local(name);
    if (local.length > 0) return local;
    if (name === 'localhost' || name.endsWith('.localhost')) return ['127.0.0.1', '::1'];
    const inFlight = this.#inFlight.get(name);
    if (inFlight !== undefined) return inFlight;
    const nowNs = this.#clock.monotonicNs();
    const known = this.#known.get(name);
    if (known !== undefined && nowNs < known.untilNs) return known.addresses;
    const failure = this.#failures.get(name);
    if (failure !== undefined && nowNs < failure.retryAtNs) throw failure.error;
    if (this.#inFlight.size >= NAMES_LIMIT) throw failed(name, 'EAI_AGAIN');
    const job: Job = { name, result: Promise.withResolvers() };
    this.#inFlight.set(name, job.result.promise);
    this.#queue.push(job);
    this.#next();
    return job.result.promise;
  }

  /**
   * As `dns.lookup`, for the option `lookup` of sockets and requests. An exception of the callback is not a
   * rejection of ours.
   */
  readonly lookup: LookupFunction = (host, { all, family }, callback) => {
    const requiredFamily = family === 'IPv4' ? 4 : family === 'IPv6' ? 6 : (family ?? 0);
    this.addressesOf(host).then(
      (found) => {
        const addresses: LookupAddress[] = found
          .map((address) => ({ address, family: familyOf(address) }))
          .filter((one) => requiredFamily === 0 || one.family === requiredFamily);
        const [first] = addresses;
        if (first === undefined) process.nextTick(callback, failed(host, 'ENOTFOUND'), '', 0);
        else if (all === true) process.nextTick(callback, null, addresses);
        else process.nextTick(callback, null, first.address, first.family);
      },
      (error: NodeJS.ErrnoException) => process.nextTick(callback, error, '', 0),
    );
  };

  /** Starts the lookups that may run now, in the order of the requests. */
  #next(): void {
    this.#queue = this.#queue.filter((job) => {
      const isSlow = codeOf(this.#failures.get(job.name)?.error) === 'EAI_AGAIN';
      const { all, slow } = this.#running;
      if (all >= CONCURRENT_LOOKUPS || (isSlow && slow >= CONCURRENT_SLOW_LOOKUPS)) return true;
      void this.#run(job, isSlow ? 1 : 0);
      return false;
    });
  }

  async #run({ name, result }: Job, slow: 0 | 1): Promise<void> {
    this.#running.all += 1;
    this.#running.slow += slow;
    const stop = new AbortController();
    try {
      const pending = this.#sources.system(name, stop.signal);
      const found = await withTimeout(this.#clock, { ms: LOOKUP_TIMEOUT_MS, what: name }, pending);
      if (found.length === 0) throw failed(name, 'ENOTFOUND');
      this.#failures.delete(name);
      this.#keep(name, found);
      result.resolve(found);
    } catch (thrown) {
      const error = failed(name, codeOf(thrown) === 'ENOTFOUND' ? 'ENOTFOUND' : 'EAI_AGAIN');
      this.#failed(name, error);
      result.reject(error);
    } finally {
      stop.abort();
      this.#running.all -= 1;
      this.#running.slow -= slow;
      this.#inFlight.delete(name);
      this.#next();
    }
  }

  #keep(name: string, addresses: readonly string[]): void {
    const untilNs = this.#clock.monotonicNs() + BigInt(ADDRESS_CACHE_MS) * 1_000_000n;
    this.#known.delete(name);
    this.#known.set(name, { addresses, untilNs });
    const [oldest = ''] = this.#known.keys();
    if (this.#known.size > NAMES_LIMIT) this.#known.delete(oldest);
  }

  #failed(name: string, error: Error): void {
    const count = (this.#failures.get(name)?.count ?? 0) + 1;
    const waitMs = Math.min(RETRY_MAX_MS, RETRY_FIRST_MS * 2 ** (count - 1));
    this.#failures.delete(name);
    this.#failures.set(name, {
      error,
      count,
      retryAtNs: this.#clock.monotonicNs() + BigInt(waitMs) * 1_000_000n,
    });
    const [oldest = ''] = this.#failures.keys();
    if (this.#failures.size > NAMES_LIMIT) this.#failures.delete(oldest);
  }
}

/**
 * The ASCII form of a name, as name servers know it: `küche.local` is `xn--kche-0ra.local`. The C library
 * converts it in some locales only.
 */
function asciiNameOf(host: string): string {
  return /[^\0-\x7f]/.test(host) ? domainToASCII(host) || host : host;
}

function familyOf(address: string): 4 | 6 {
  return address.includes(':') ? 6 : 4;
}

function failed(name: string, code: 'ENOTFOUND' | 'EAI_AGAIN'): NodeJS.ErrnoException {
  const why = code === 'ENOTFOUND' ? 'is not known' : 'could not be looked up';
  return Object.assign(new Error(`the name ${name} ${why}`), {
    code,
    syscall: 'getaddrinfo',
    hostname: name,
  });
}
