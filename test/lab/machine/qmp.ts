/** QMP, qemu's control protocol: plugging devices, freezing the machine. */
import { connect, Wire } from './wire.js';

/** Freezing writes the guest's memory to the disk. */
const ANSWER_LIMIT_MS = 60_000;

/** The control connection of one running qemu. */
export class Qmp implements Disposable {
  readonly #wire: Wire;

  private constructor(wire: Wire) {
    this.#wire = wire;
  }

  static async open(path: string): Promise<Qmp> {
    const wire = new Wire(await connect(path), (line) => line.includes('"event":'));
    const qmp = new Qmp(wire);
    await wire.next(ANSWER_LIMIT_MS, 'the greeting of qemu');
    await qmp.execute('qmp_capabilities');
    return qmp;
  }

  /** Runs a command; rejects with qemu's error text. */
  async execute(command: string, args: Record<string, unknown> = {}): Promise<unknown> {
    const line = await this.#wire.request(
      JSON.stringify({ execute: command, arguments: args }),
      ANSWER_LIMIT_MS,
    );
    const reply = JSON.parse(line) as { return?: unknown; error?: { desc: string } };
    if (reply.error) throw new Error(`${command}: ${reply.error.desc}`);
    return reply.return;
  }

  /** Runs a command of the human monitor, for what QMP lacks (savevm). It reports a failure as text. */
  async monitor(line: string): Promise<void> {
    const text = String(await this.execute('human-monitor-command', { 'command-line': line })).trim();
    if (text !== '') throw new Error(`${line}: ${text}`);
  }

  [Symbol.dispose](): void {
    this.#wire[Symbol.dispose]();
  }
}
