import { execFile } from 'node:child_process';
import type { Clock } from '../base/clock.js';
import { codeOf, fault } from '../base/fault.js';

/** Where the system's programs are. */
const PATH = '/usr/bin:/bin:/usr/sbin:/sbin';
/** More than either of them says. */
const OUTPUT_LIMIT = 256 * 1024;
/** How long the print service may take to answer, ms. */
const SPOOLER_MS = 5000;

/** How a program ended. */
interface Ended {
  /** Its exit code; the system's word where it could not be started (`ENOENT`); empty: it took too long. */
  readonly code: string;
  readonly out: string;
  readonly err: string;
}

/** The programs of the machine that the gateway asks. No shell is between. */
export class SystemCommands {
  readonly #clock: Pick<Clock, 'after'>;
  readonly #path: string;

  /** `path`: where to look for them, as in the environment. */
  constructor(clock: Pick<Clock, 'after'>, path = PATH) {
    this.#clock = clock;
    this.#path = path;
  }

  /**
   * Whether a host replies to an echo request within `timeoutMs`. Throws `NOT_SUPPORTED`,
   * `NOT_ALLOWED`.
   */
  async ping(host: string, timeoutMs: number): Promise<boolean> {
    // The program's own limit has a resolution of seconds; the gateway ends it at the exact time.
    const seconds = String(Math.ceil(timeoutMs / 1000));
    const { code, err } = await this.#run('ping', ['-n', '-c', '1', '-W', seconds, '--', host], timeoutMs);
    if (code === 'ENOENT')
      throw fault('NOT_SUPPORTED', 'Sys_Ping without the program ping (Debian: apt install iputils-ping)');
    if (/permitted|denied/i.test(err))
      throw fault('NOT_ALLOWED', 'An echo request (let the group in: sysctl net.ipv4.ping_group_range)');
    return code === '0';
  }

  /** What waits to be printed; nothing where there is no print service. */
  async spooler(): Promise<{ Job: string; User: string; Size: number }[]> {
    const { out } = await this.#run('lpstat', ['-o'], SPOOLER_MS);
    return [...out.matchAll(/^(\S+-\d+)\s+(\S+)\s+(\d+)\s/gm)].map(([, Job = '', User = '', size]) => ({
      Job,
      User,
      Size: Number(size),
    }));
  }

  #run(name: string, args: readonly string[], timeoutMs: number): Promise<Ended> {
    return new Promise((resolve) => {
      const options = { env: { PATH: this.#path, LC_ALL: 'C' }, maxBuffer: OUTPUT_LIMIT };
      const child = execFile(name, args, options, (error, out, err) => {
        cancel();
        resolve({ code: error === null ? '0' : (codeOf(error) ?? ''), out, err });
      });
      const cancel = this.#clock.after(timeoutMs, () => child.kill('SIGKILL'));
    });
  }
}
