import { coded } from '../../base/codes/coded-text.js';
import { execFile } from 'node:child_process';
import type { Clock } from '../../base/clock.js';
import { codeOf, fault } from '../../base/fault.js';

/** The `PATH` for the system's programs. */
const PATH = '/usr/bin:/bin:/usr/sbin:/sbin';
/** Limit of the output, bytes: more than these programs print. */
const OUTPUT_LIMIT = 256 * 1024;
/** Time limit for the print service, ms. */
const SPOOLER_MS = 5000;

/** The result of a program. */
interface ProgramResult {
  /** The exit code, or the error code if it could not be started (`ENOENT`); '' if it timed out. */
  readonly code: string;
  readonly out: string;
  readonly err: string;
}

/** Runs the machine's own programs for functions of the `Sys_` family, without a shell. */
export class SystemCommands {
  readonly #clock: Pick<Clock, 'after'>;
  readonly #path: string;

  /** `path`: the `PATH` to search. */
  constructor(clock: Pick<Clock, 'after'>, path = PATH) {
    this.#clock = clock;
    this.#path = path;
  }

  /**
   * Whether a host replies to an echo request within `timeoutMs`. Throws `NOT_SUPPORTED`,
   * `NOT_ALLOWED`.
   */
  async ping(host: string, timeoutMs: number): Promise<boolean> {
    // ping's own limit has a resolution of seconds; the gateway kills it at the exact time.
    const seconds = String(Math.ceil(timeoutMs / 1000));
    const { code, err } = await this.#run('ping', ['-n', '-c', '1', '-W', seconds, '--', host], timeoutMs);
    if (code === 'ENOENT')
      throw fault(
        'NOT_SUPPORTED',
        coded`WHAT_PING_WITHOUT_PROGRAM: Sys_Ping without the program ping (Debian: apt install iputils-ping)`,
      );
    if (/permitted|denied/i.test(err))
      throw fault(
        'NOT_ALLOWED',
        coded`WHAT_ECHO_REQUEST: An echo request (permit the group with sysctl net.ipv4.ping_group_range)`,
      );
    return code === '0';
  }

  /** The print queue; empty without a print service. */
  async spooler(): Promise<{ Job: string; User: string; Size: number }[]> {
    const { out } = await this.#run('lpstat', ['-o'], SPOOLER_MS);
    return [...out.matchAll(/^(\S+-\d+)\s+(\S+)\s+(\d+)\s/gm)].map(([, Job = '', User = '', size]) => ({
      Job,
      User,
      Size: Number(size),
    }));
  }

  #run(name: string, args: readonly string[], timeoutMs: number): Promise<ProgramResult> {
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
