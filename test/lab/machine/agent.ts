/**
 * The guest agent: commands and files in the machine, over a virtio-serial port, without a network or a
 * login.
 */
import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '../../tools/until.js';
import { connect, Wire } from './wire.js';

const SYNC_LIMIT_MS = 3_000;
const ANSWER_LIMIT_MS = 30_000;
const RUN_LIMIT_MS = 120_000;
/** The agent accepts at most 48 MB per call, but keeps several copies of it in memory. */
const CHUNK_BYTES = 256 * 1024;
/**
 * Interval of checks whether a command has ended, from the first to those of a long command, as a part of its
 * time until then; each costs time of the guest's slow processor.
 */
const ASK_AGAIN = { minMs: 40, maxMs: 1000, part: 0.05 } as const;

/** The result of a command in the guest. */
export interface CommandResult {
  code: number;
  out: string;
  err: string;
}

interface ExecStatus {
  exited: boolean;
  exitcode?: number;
  signal?: number;
  'out-data'?: string;
  'err-data'?: string;
}

const text = (base64 = ''): string => Buffer.from(base64, 'base64').toString();

/** The agent in one machine. */
export class GuestAgent implements Disposable {
  readonly #path: string;
  #wire: Wire;

  private constructor(path: string, wire: Wire) {
    this.#path = path;
    this.#wire = wire;
  }

  /** Waits until the agent replies; a machine that boots cold takes 15 to 40 s for that. */
  static async open(path: string, limitMs: number): Promise<GuestAgent> {
    return new GuestAgent(path, await GuestAgent.#inStep(path, limitMs));
  }

  /** Waits until the agent replies after a reset of the machine. */
  async again(limitMs: number): Promise<void> {
    this[Symbol.dispose]();
    this.#wire = await GuestAgent.#inStep(this.#path, limitMs);
  }

  /** A wire on which the next line is the reply to the next request. */
  static #inStep(path: string, limitMs: number): Promise<Wire> {
    let id = 0;
    const attempt = async (): Promise<Wire | undefined> => {
      const wire = new Wire(await connect(path));
      try {
        // Data that an earlier attempt left in the pipe has another id.
        const ask = JSON.stringify({ execute: 'guest-sync', arguments: { id: ++id } });
        let line = await wire.request(ask, SYNC_LIMIT_MS);
        while ((JSON.parse(line) as { return?: unknown }).return !== id)
          line = await wire.next(SYNC_LIMIT_MS);
        return wire;
      } catch {
        wire[Symbol.dispose]();
        return undefined;
      }
    };
    return until('a reply of the guest agent', attempt, limitMs);
  }

  async #call(execute: string, args: Record<string, unknown>): Promise<unknown> {
    const line = await this.#wire.request(JSON.stringify({ execute, arguments: args }), ANSWER_LIMIT_MS);
    const reply = JSON.parse(line) as { return?: unknown; error?: { desc: string } };
    if (reply.error) throw new Error(`${execute}: ${reply.error.desc}`);
    return reply.return;
  }

  /** Starts a bash script without waiting for it. */
  async start(script: string): Promise<{ ended(limitMs?: number): Promise<CommandResult> }> {
    const arg = ['-c', script];
    const started = await this.#call('guest-exec', { path: '/bin/bash', arg, 'capture-output': true });
    const { pid } = started as { pid: number };
    const startMs = performance.now();
    const status = async (): Promise<CommandResult | undefined> => {
      const now = (await this.#call('guest-exec-status', { pid })) as ExecStatus;
      if (!now.exited) {
        const { minMs, maxMs, part } = ASK_AGAIN;
        await sleep(Math.min(maxMs, Math.max(minMs, part * (performance.now() - startMs))));
        return undefined;
      }
      const code = now.exitcode ?? 128 + (now.signal ?? 0);
      return { code, out: text(now['out-data']), err: text(now['err-data']) };
    };
    const what = `in the guest: ${script.slice(0, 120)}`;
    return { ended: (limitMs = RUN_LIMIT_MS) => until(what, status, limitMs) };
  }

  /** Runs a bash script to its end, whatever its exit code. */
  async try(script: string, limitMs = RUN_LIMIT_MS): Promise<CommandResult> {
    return (await this.start(script)).ended(limitMs);
  }

  /** Runs a bash script and returns its output; rejects if its exit code is not 0. */
  async run(script: string, limitMs = RUN_LIMIT_MS): Promise<string> {
    const { code, out, err } = await this.try(script, limitMs);
    if (code !== 0) throw new Error(`in the guest (${code}): ${script.slice(0, 200)}\n${out}${err}`);
    return out.trimEnd();
  }

  /** Writes a file, replacing an existing one. */
  async put(path: string, content: string | Buffer): Promise<void> {
    const bytes = Buffer.from(content as Buffer);
    const handle = await this.#call('guest-file-open', { path, mode: 'w' });
    for (let at = 0; at < bytes.length; at += CHUNK_BYTES) {
      const chunk = bytes.subarray(at, at + CHUNK_BYTES).toString('base64');
      await this.#call('guest-file-write', { handle, 'buf-b64': chunk });
    }
    await this.#call('guest-file-close', { handle });
  }

  /** Copies a file of the host into a directory of the guest. */
  async copy(from: string, folder: string): Promise<void> {
    await this.put(`${folder}/${basename(from)}`, await readFile(from));
  }

  [Symbol.dispose](): void {
    this.#wire[Symbol.dispose]();
  }
}
