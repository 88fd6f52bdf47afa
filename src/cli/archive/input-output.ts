import { createReadStream } from 'node:fs';
import { type FileHandle, mkdtemp, open, rename, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { once } from 'node:events';
import { messageOf } from '../../base/fault.js';
import { UsageError } from '../command.js';

const CHUNK = 64 * 1024;

/** A file that can be read more than once, from its beginning. */
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
    if (file === '-') return new Input(await keptAside(process.stdin));
    const handle = await open(file).catch((thrown: unknown) => {
      throw new UsageError(`${file} cannot be read: ${messageOf(thrown)}`);
    });
    if ((await handle.stat()).isFile()) return new Input(handle);
    await handle.close();
    return new Input(await keptAside(createReadStream(file)));
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

/** Into a file that has no name any more: it is gone with this process, whatever happens. */
async function keptAside(stream: AsyncIterable<Buffer>): Promise<FileHandle> {
  const directory = await mkdtemp(join(tmpdir(), 'stellwerk-'));
  const handle = await open(join(directory, 'input'), 'wx+', 0o600);
  await rm(directory, { recursive: true });
  for await (const chunk of stream) await handle.writeFile(chunk);
  return handle;
}

/** Where lines go; what takes them may be slower than we. */
interface Output extends AsyncDisposable {
  write(text: string): Promise<void>;
  /** All is written: only now a file has its name. */
  finish(): Promise<void>;
}

/** Opens a file that is not there yet; `-` is stdout. Throws UsageError. */
export async function openOutput(file: string): Promise<Output> {
  if (file === '-') return new Stdout();
  const isThere = await stat(file).then(
    () => true,
    () => false,
  );
  if (isThere) throw new UsageError(`${file} is there already`);
  const part = `${file}.part`;
  const handle = await open(part, 'wx', 0o600).catch((thrown: unknown) => {
    if ((thrown as NodeJS.ErrnoException).code === 'EEXIST')
      throw new UsageError(
        `${part} is there already: another export writes it, or one was broken off (delete it then)`,
      );
    throw new UsageError(`${file} cannot be written: ${messageOf(thrown)}`);
  });
  return new Part(handle, { part, file });
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

/** A partial file must not look like a complete one. */
class Part implements Output {
  readonly #handle: FileHandle;
  readonly #names: { readonly part: string; readonly file: string };
  #isWhole = false;

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
    this.#isWhole = true;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#handle.close();
    if (!this.#isWhole) await rm(this.#names.part, { force: true });
  }
}
