import { delay, type Cancel } from '../../../src/base/clock.js';
import { coded, type Text } from '../../../src/base/codes/coded-text.js';
import { codedMessageOf, codeOf } from '../../../src/base/fault.js';
import { explainNetworkError } from '../../../src/base/network-errors.js';
import { backoffMs } from '../../../src/device/backoff.js';
import type { Host } from '../../../src/device/module.js';
import type { NameResolver } from '../../../src/device/toolkit/name-resolver.js';
import { readPropertyFile } from '../../../src/device/toolkit/property-file.js';
import type { BridgeParts, Sender } from '../bridge.js';
import type { Entry } from '../queue/entry.js';
import type { Delivery, Receiver } from '../queue/receiver.js';
import type { LineBridgeProperties } from './line-bridge.js';
import { encodeLine } from './line-protocol.js';

/** Lines per request: InfluxDB recommends 5,000; fewer keep the memory of small boxes. */
const BATCH = 1000;
const REQUEST_TIMEOUT_MS = 30_000;
/** The longest delay between two attempts, and the longest that a server may ask for. */
const RETRY_LIMIT_MS = 5 * 60_000;
/**
 * Limit of requests per batch that search for the lines that a server rejects. After it, a part of the batch
 * with rejected lines is dropped completely.
 */
const SEARCH_LIMIT = 64;
/** An empty line, of which a server stores nothing: its reply shows whether it accepts writes at this address. */
const PROBE = '\n';

/** The server is not available now, or not to this gateway. */
interface Unavailable {
  readonly why: Text;
  readonly retryAfterS?: number | undefined;
}

/** Posts values as lines to a time-series database. */
export class LineSender implements Sender, Receiver {
  readonly batch = BATCH;
  readonly window = 1;
  readonly #host: Host<LineBridgeProperties>;
  readonly #parts: BridgeParts;
  readonly #names: NameResolver;
  readonly #stop = new AbortController();
  /** The server has accepted a write: what it rejects is due to the lines, not to the address. */
  #hasAccepted = false;
  #failures = 0;
  #nextAtMs = 0;
  #retry: Cancel | undefined;

  constructor(host: Host<LineBridgeProperties>, names: NameResolver, parts: BridgeParts) {
    this.#host = host;
    this.#names = names;
    this.#parts = parts;
  }

  start(): void {
    this.#parts.queue.attach(this);
  }

  onStructure(): void {
    // Lines have the names of their variables.
  }

  onFigures(): void {
    // The database receives values only.
  }

  async close(): Promise<void> {
    this.#retry?.();
    this.#stop.abort();
    this.#parts.queue.detach();
    await Promise.resolve();
  }

  async send(entries: readonly Entry[], isHistorical: boolean): Promise<Delivery> {
    try {
      if (!isHistorical) await this.#pace();
      const search = { requests: 0 };
      const rejected: Entry[] = [];
      let unavailable = await this.#post(entries, rejected, search);
      if (rejected.length === entries.length && !this.#hasAccepted) unavailable ??= await this.#probe();
      if (unavailable === undefined) {
        this.#hasAccepted = true;
        this.#failures = 0;
        if (rejected.length > 0) this.#logRejected(rejected);
        this.#parts.setConnected(true);
        return { failed: [], rejected };
      }
      this.#scheduleRetry(unavailable);
    } catch (thrown) {
      this.#scheduleRetry({ why: this.#reasonOf(thrown) });
    }
    // What was stored already is stored once more, with the same time.
    return { failed: entries, rejected: [] };
  }

  /** Why a request failed: for errors of the network, what to do. */
  #reasonOf(thrown: unknown): Text {
    const known = explainNetworkError(codeOf(thrown), 'Url');
    return known === undefined
      ? codedMessageOf(thrown)
      : coded`ABOUT: ${this.#host.properties.Url}: ${known.why}`;
  }

  /** Live values are collected for the interval, so that each request has many. */
  async #pace(): Promise<void> {
    const { clock, properties } = this.#host;
    const nowMs = Number(clock.monotonicNs() / 1_000_000n);
    if (nowMs < this.#nextAtMs) await delay(clock, this.#nextAtMs - nowMs, this.#stop.signal);
    this.#nextAtMs = Math.max(nowMs, this.#nextAtMs) + properties.SendInterval * 1000;
  }

  #scheduleRetry({ why, retryAfterS }: Unavailable): void {
    if (this.#stop.signal.aborted || this.#retry !== undefined) return;
    this.#parts.setConnected(false, why);
    const { clock } = this.#host;
    const ms = Math.max(backoffMs(this.#failures, clock.random(), RETRY_LIMIT_MS), (retryAfterS ?? 0) * 1000);
    this.#failures += 1;
    this.#retry = clock.after(Math.min(ms, RETRY_LIMIT_MS), () => {
      this.#retry = undefined;
      this.#parts.queue.attach(this);
    });
  }

  /**
   * Posts lines. If the server rejects some of them, halves of the batch are posted until the rejected lines
   * are found. Returns why the server is not available.
   */
  async #post(
    entries: readonly Entry[],
    rejected: Entry[],
    search: { requests: number },
  ): Promise<Unavailable | undefined> {
    const { Measurement, Tags } = this.#host.properties;
    const lines = entries.map((entry) => `${encodeLine(entry, Measurement, Tags)}\n`).join('');
    const { status, retryAfterS } = await this.#request(lines);
    if (isSuccess(status)) {
      this.#hasAccepted = true;
      return undefined;
    }
    // 400 and 422: lines that cannot be stored; the others of the request may be. 413: too many.
    if (status !== 400 && status !== 413 && status !== 422) return { why: statusText(status), retryAfterS };
    search.requests += 1;
    if (entries.length === 1 || search.requests > SEARCH_LIMIT) {
      rejected.push(...entries);
      return undefined;
    }
    const middle = Math.ceil(entries.length / 2);
    return (
      (await this.#post(entries.slice(0, middle), rejected, search)) ??
      (await this.#post(entries.slice(middle), rejected, search))
    );
  }

  /** Why a server that rejects each line may reject its address instead, such as one without a database. */
  async #probe(): Promise<Unavailable | undefined> {
    const { status, retryAfterS } = await this.#request(PROBE);
    return isSuccess(status) ? undefined : { why: statusText(status), retryAfterS };
  }

  #logRejected(rejected: readonly Entry[]): void {
    this.#host.log.warn(
      { instance: this.#host.id, values: rejected.length, path: rejected[0]?.path },
      'the database rejected values',
    );
  }

  async #request(lines: string) {
    const { postLines } = await import('./post-lines.js');
    const { Url, CaFile } = this.#host.properties;
    const limit = new AbortController();
    const cancel = this.#host.clock.after(REQUEST_TIMEOUT_MS, () =>
      limit.abort(new Error('the server did not reply in time')),
    );
    try {
      return await postLines({
        url: Url,
        headers: loginOf(this.#host.properties),
        lines,
        lookup: this.#names.lookup,
        ca: CaFile === '' ? undefined : await readPropertyFile('CaFile', CaFile),
        signal: AbortSignal.any([limit.signal, this.#stop.signal]),
      });
    } catch (thrown) {
      throw limit.signal.aborted ? limit.signal.reason : thrown;
    } finally {
      cancel();
    }
  }
}

/** InfluxDB 2 and 3 take a token, the others a login. */
function loginOf({ Token, UserName, Password }: LineBridgeProperties): Record<string, string> {
  if (Token !== '') return { Authorization: `Token ${Token}` };
  if (UserName === '') return {};
  return { Authorization: `Basic ${Buffer.from(`${UserName}:${Password}`).toString('base64')}` };
}

const isSuccess = (status: number): boolean => status >= 200 && status < 300;

function statusText(status: number): Text {
  if (status === 401 || status === 403)
    return coded`DATABASE_REJECTED_LOGIN: the server rejected the login (${status}); correct Token, or UserName and Password`;
  if ([400, 404, 422].includes(status) || (status >= 300 && status < 400))
    return coded`DATABASE_NOT_AT_URL: the server has no database at this address (${status}); correct Url`;
  return coded`SERVER_BUSY: the server replied with status ${status}`;
}
