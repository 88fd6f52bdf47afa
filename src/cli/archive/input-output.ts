import { createReadStream } from 'node:fs';
import { type FileHandle, mkdtemp, open, rename, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { once } from 'node:events';
import { messageOf } from '../../base/fault.js';
import { UsageError } from '../command.js';

const CHUNK = 64 * 1024;

/** An input file that can be read several times from its start. */
export class Input implements AsyncDisposable {
  readonly #handle: FileHandle;

  private constructor(handle: FileHandle) {
    this.#handle = handle;
  }

  /**
   * Opens a file; `-` is stdin. Input that can be read only once is copied to a temporary file. Throws
   * UsageError.
   */
  static async open(file: string): Promise<Input> {
    if (file === '-') return new Input(await copyToTemporary(process.stdin));
    const handle = await open(file).catch((thrown: unknown) => {
      throw new UsageError(`${file} cannot be read: ${messageOf(thrown)}`);
    });
    if ((await handle.stat()).isFile()) return new Input(handle);
    await handle.close();
    return new Input(await copyToTemporary(createReadStream(file)));
  }

  async *chunks(): AsyncGenerator<Uint8Array> {
    for (let at = 0; ;) {
      const { bytesRead, buffer } = await this.#handle.read(Buffer.allocUnsafe(CHUNK), 0, CHUNK, at);
      if (bytesRead === 0) return;
      at += bytesRead;
      yield buffer.subarray(0, bytesRead);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#handle.close();
  }
}

/** Copies a stream to an unlinked temporary file, which the kernel removes when this process ends. */
async function copyToTemporary(stream: AsyncIterable<Buffer>): Promise<FileHandle> {
  const directory = await mkdtemp(join(tmpdir(), 'stellwerk-'));
  const handle = await open(join(directory, 'input'), 'wx+', 0o600);
  await rm(directory, { recursive: true });
  for await (const chunk of stream) await handle.writeFile(chunk);
  return handle;
}

/** The target of an export; waits for a slow reader. */
interface Output extends AsyncDisposable {
  write(text: string): Promise<void>;
  /** Completes the output; a file gets its final name only now. */
  finish(): Promise<void>;
}

/** Creates a file, which must not exist; `-` is stdout. Throws UsageError. */
export async function openOutput(file: string): Promise<Output> {
  if (file === '-') return new Stdout();
  const isThere = await stat(file).then(
    () => true,
    () => false,
  );
  if (isThere) throw new UsageError(`${file} already exists`);
  const part = `${file}.part`;
  const handle = await open(part, 'wx', 0o600).catch((thrown: unknown) => {
    if ((thrown as NodeJS.ErrnoException).code === 'EEXIST')
      throw new UsageError(
        `${part} already exists: another export is writing it, or one was interrupted (then delete it)`,
      );
    throw new UsageError(`${file} cannot be written: ${messageOf(thrown)}`);
  });
  return new PartialFile(handle, { part, file });
}

class Stdout implements Output {
  async write(text: string): Promise<void> {
    if (!process.stdout.write(text)) await once(process.stdout, 'drain');
  }

  finish(): Promise<void> {
    return Promise.resolve();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return Promise.resolve();
  }
}

/** Writes to a temporary name, so that an incomplete file is not taken for a complete one. */
class PartialFile implements Output {
  readonly #handle: FileHandle;
  readonly #names: { readonly part: string; readonly file: string };
  #isComplete = false;

  constructor(handle: FileHandle, names: { readonly part: string; readonly file: string }) {
    this.#handle = handle;
    this.#names = names;
  }

  async write(text: string): Promise<void> {
    await this.#handle.writeFile(text);
  }

  async finish(): Promise<void> {
    await this.#handle.sync();
    await rename(this.#names.part, this.#names.file);
    this.#isComplete = true;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#handle.close();
    if (!this.#isComplete) await rm(this.#names.part, { force: true });
  }
}
