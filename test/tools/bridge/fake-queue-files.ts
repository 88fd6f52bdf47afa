import type { MemoryFile, QueueFile, QueueFiles } from '../../../drivers/bridge/queue/queue-files.js';
import type { Random } from '../random.js';

/** The files of a queue in memory: they survive a crash, or lose what was not flushed in a power cut. */
export class FakeQueueFiles implements QueueFiles {
  readonly files = new Map<string, Buffer>();
  /** Names of operations that reject. */
  readonly failing = new Set<'list' | 'append' | 'replace' | 'remove' | 'memory'>();
  /** The names of the files that were read completely. */
  readonly readNames: string[] = [];
  /** Number of writes to the disk. */
  writes = 0;
  memoryWrites = 0;
  isClosed = false;
  #memory: Buffer = Buffer.alloc(0);
  memory: MemoryFile = this.#openMemory();
  /** After a crash or a power cut, the former process changes nothing any more. */
  #isDead = false;

  /** The files as the next process finds them. */
  reopen({ hasPower = true, random }: { hasPower?: boolean; random?: Random } = {}): FakeQueueFiles {
    this.#isDead = true;
    const next = new FakeQueueFiles();
    for (const [name, bytes] of this.files) next.files.set(name, bytes);
    // A write in flight may be there in part.
    if (!hasPower && this.#inFlight !== undefined && random !== undefined) {
      const { name, bytes } = this.#inFlight;
      const before = this.files.get(name) ?? Buffer.alloc(0);
      next.files.set(name, Buffer.concat([before, bytes.subarray(0, random.below(bytes.length + 1))]));
    }
    if (hasPower) next.#memory = this.#memory;
    next.memory = next.#openMemory();
    return next;
  }

  #inFlight: { name: string; bytes: Buffer } | undefined;

  #openMemory(): MemoryFile {
    const write = (bytes: () => Buffer) => {
      if (this.#isDead) return;
      if (this.failing.has('memory')) throw diskFull();
      this.memoryWrites += 1;
      this.#memory = bytes();
    };
    return {
      left: this.#memory,
      append: (bytes) => write(() => Buffer.concat([this.#memory, bytes])),
      write: (bytes, position) =>
        write(() => {
          const copy = Buffer.from(this.#memory);
          bytes.copy(copy, position);
          return copy;
        }),
      reset: (bytes) => write(() => Buffer.from(bytes)),
    };
  }

  async list(): Promise<QueueFile[]> {
    await Promise.resolve();
    if (this.failing.has('list')) throw Object.assign(new Error('i/o error'), { code: 'EIO' });
    return Array.from(this.files, ([name, bytes]) => ({ name, bytes: bytes.length }));
  }

  async readStart(name: string, length: number): Promise<Buffer> {
    await Promise.resolve();
    return this.#content(name).subarray(0, length);
  }

  async read(name: string): Promise<Buffer> {
    await Promise.resolve();
    this.readNames.push(name);
    return this.#content(name);
  }

  #content(name: string): Buffer {
    const bytes = this.files.get(name);
    if (bytes === undefined) throw Object.assign(new Error(`no ${name}`), { code: 'ENOENT' });
    return bytes;
  }

  async append(name: string, bytes: Buffer): Promise<void> {
    this.#inFlight = { name, bytes };
    await new Promise((resolve) => setImmediate(resolve));
    this.#inFlight = undefined;
    this.#change('append', () =>
      this.files.set(name, Buffer.concat([this.files.get(name) ?? Buffer.alloc(0), bytes])),
    );
  }

  async remove(name: string): Promise<void> {
    await Promise.resolve();
    this.#change('remove', () => this.files.delete(name));
  }

  async replace(name: string, content: string): Promise<void> {
    await Promise.resolve();
    this.#change('replace', () => this.files.set(name, Buffer.from(content)));
  }

  #change(what: 'append' | 'replace' | 'remove', change: () => void): void {
    if (this.#isDead) return;
    if (this.failing.has(what)) throw diskFull();
    this.writes += 1;
    change();
  }

  close(): Promise<void> {
    this.isClosed = true;
    return Promise.resolve();
  }
}

const diskFull = (): Error => Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
