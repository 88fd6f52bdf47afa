import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import type { Clock } from '../../base/clock.js';
import { codeOf } from '../../base/fault.js';
import { NameResolver, type NameSources } from './name-resolver.js';

const HOSTS = '/etc/hosts';

/** The limit of the program's output, bytes: more than any name has addresses. */
const OUTPUT_LIMIT = 64 * 1024;

/** Exit code of `getent` for an unknown name (getent(1)). */
const NOT_FOUND = '2';

/** The resolver of one gateway, which queries this machine's name service. */
export function systemResolver(clock: Pick<Clock, 'after' | 'monotonicNs'>): NameResolver {
  return new NameResolver(clock, systemSources());
}

/** The system's sources; tests pass another hosts file or program. */
export function systemSources(hosts = HOSTS, program = 'getent'): NameSources {
  return {
    async local(name) {
      return addressesIn(await readFile(hosts, 'utf8').catch(() => ''), name);
    },
    system: (name, signal) => runGetent(program, name, signal),
  };
}

/** The addresses of a name in the text of a hosts file (hosts(5)). */
export function addressesIn(text: string, name: string): string[] {
  return text.split('\n').flatMap((line) => {
    const [address = '', ...names] = line.replace(/#.*/, '').trim().split(/\s+/);
    return isIP(address) !== 0 && names.some((one) => one.toLowerCase() === name) ? [address] : [];
  });
}

/**
 * Runs the C library's own program, which does what `getaddrinfo` does (nsswitch.conf: mDNS, search domains)
 * in a process that can be killed. It does not keep the gateway alive.
 */
function runGetent(program: string, name: string, signal: AbortSignal): Promise<string[]> {
  return new Promise((resolve, reject) => {
    const env = { PATH: '/usr/bin:/bin', LC_ALL: 'C' };
    const options = { env, maxBuffer: OUTPUT_LIMIT, signal, killSignal: 'SIGKILL' } as const;
    const child = execFile(program, ['--', 'ahosts', name], options, (error, out) => {
      if (error === null) return resolve(addressesOf(out));
      reject(codeOf(error) === NOT_FOUND ? Object.assign(new Error(name), { code: 'ENOTFOUND' }) : error);
    });
    child.unref();
    for (const pipe of [child.stdout, child.stderr, child.stdin])
      if (pipe && 'unref' in pipe) (pipe as { unref(): void }).unref();
  });
}

/** Removes duplicates: `getent` prints one line per socket type. */
function addressesOf(out: string): string[] {
  return [...new Set(out.split('\n').map((line) => line.split(/\s/, 1)[0] ?? ''))].filter(
    (one) => isIP(one) !== 0,
  );
}
