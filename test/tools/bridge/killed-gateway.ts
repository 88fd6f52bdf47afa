import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import { readdir, rm, stat, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { Changes } from '../changes.js';
import type { Random } from '../random.js';

const PROGRAM = join(import.meta.dirname, '../../contract/bridge/bridge-process.js');

interface KilledGatewayOptions {
  /** Of the queue. */
  readonly directory: string;
  readonly url: string;
  /** The first value, and how many there are. */
  readonly from: number;
  readonly count: number;
  /** Identifies the run of the kernel. */
  readonly boot: string;
  /** Writes that the disk rejects. */
  readonly rejections: number;
}

/** A gateway with a bridge, in a process of its own (`bridge-process.ts`). */
export class KilledGateway {
  readonly #options: KilledGatewayOptions;
  readonly #child: ChildProcessByStdio<null, Readable, null>;
  readonly #filesBefore: Promise<readonly string[]>;
  #output = '';
  #hasExited = false;
  readonly #changes = new Changes();

  constructor(options: KilledGatewayOptions) {
    this.#options = options;
    const { directory, url, from, count, boot, rejections } = options;
    this.#filesBefore = readdir(join(directory, 'json')).catch(() => []); // the first one creates it
    const args = [directory, url, from, count, boot, rejections].map(String);
    this.#child = spawn(process.execPath, [PROGRAM, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
    this.#child.once('close', () => {
      this.#hasExited = true;
      this.#changes.notify();
    });
    this.#child.stdout.setEncoding('utf8').on('data', (text: string) => {
      this.#output += text;
      this.#changes.notify();
    });
  }

  /** The complete lines that it has printed. */
  get #lines(): string[] {
    return this.#output.split('\n').slice(0, -1);
  }

  /** The numbers of the values that the bridge has accepted. */
  get accepted(): number[] {
    return this.#lines.filter((line) => /^\d+$/.test(line)).map(Number);
  }

  /** Waits until it has accepted this many values. */
  async hasAccepted(count: number): Promise<void> {
    await this.#printed(() => this.accepted.length >= count);
  }

  /** Waits until a line begins with this word. */
  async hasPrinted(word: 'durable' | 'full'): Promise<void> {
    await this.#printed(() => this.#lines.some((line) => line.startsWith(word)));
  }

  async #printed(isThere: () => boolean): Promise<void> {
    await this.#changes.until(() => this.#hasExited || isThere());
    if (!isThere()) throw new Error('the gateway has ended');
  }

  async end(signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    const closed = once(this.#child, 'close');
    this.#child.kill(signal);
    await closed;
  }

  /** What a power cut loses, after it was killed: the memory, and a part of what was not flushed. */
  async losePower(random: Random): Promise<void> {
    const { directory } = this.#options;
    const files = join(directory, 'json');
    const before = await this.#filesBefore;
    const durable = new Map(
      this.#lines.flatMap((line): [string, number][] => {
        const [word, name = '', size] = line.split(' ');
        return word === 'durable' ? [[name, Number(size)]] : [];
      }),
    );
    await rm(join(directory, 'run'), { recursive: true, force: true });
    for (const name of await readdir(files)) {
      // Files of an earlier run are not appended to; the state is replaced atomically.
      if (!name.endsWith('.queue') || before.includes(name)) continue;
      const { size } = await stat(join(files, name));
      const least = durable.get(name) ?? 0;
      if (size > least) await truncate(join(files, name), least + random.below(size - least + 1));
    }
  }
}
