import {
  closeSync,
  constants,
  existsSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readFileSync,
  writeSync,
} from 'node:fs';
import { mkdir, open, readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { syncDirectory, writeFileAtomically } from '../../../src/base/atomic-write.js';
import { pruneDirectory } from '../../../src/base/prune-directory.js';
import type { MemoryFile, QueueFile, QueueFiles } from './queue-files.js';

const BOOT_ID_FILE = '/proc/sys/kernel/random/boot_id';
/** For the gateway's user and group only: a queue contains values of the house. */
const DIRECTORY_MODE = 0o750;
const FILE_MODE = 0o640;

/** Where the files of one queue are. */
interface QueueDirectories {
  /** On the disk. */
  readonly directory: string;
  /** A file on a tmpfs. */
  readonly memoryFile: string;
}

/** Opens the files of a queue; creates the directories. Rejects with the system's error. */
export async function openQueueFiles({ directory, memoryFile }: QueueDirectories): Promise<QueueFiles> {
  await mkdir(directory, { recursive: true, mode: DIRECTORY_MODE });
  mkdirSync(join(memoryFile, '..'), { recursive: true, mode: DIRECTORY_MODE });
  const memory = new TmpfsFile(memoryFile);
  return {
    memory,
    list: () => listFiles(directory),
    read: (name) => readFile(join(directory, name)),
    readStart: (name, length) => readStart(join(directory, name), length),
    append: (name, bytes) => appendDurably(directory, name, bytes),
    remove: (name) => rm(join(directory, name), { force: true }),
    replace: (name, content) => writeFileAtomically(join(directory, name), content, FILE_MODE),
    close: async () => memory.close(),
  };
}

async function listFiles(directory: string): Promise<QueueFile[]> {
  const names = await readdir(directory);
  return Promise.all(names.map(async (name) => ({ name, bytes: (await stat(join(directory, name))).size })));
}

async function readStart(path: string, length: number): Promise<Buffer> {
  await using file = await open(path);
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, 0);
  return buffer.subarray(0, bytesRead);
}

/** Cuts off what a failed write has left. */
async function appendDurably(directory: string, name: string, bytes: Buffer): Promise<void> {
  const file = await open(join(directory, name), 'a', FILE_MODE);
  try {
    const { size } = await file.stat();
    try {
      await file.appendFile(bytes);
      await file.datasync();
    } catch (thrown) {
      // The error that is thrown says what is wrong.
      await file.truncate(size).catch(() => undefined);
      throw thrown;
    }
    if (size === 0) await syncDirectory(directory);
  } finally {
    await file.close();
  }
}

/** A file of the runtime directory. */
class TmpfsFile implements MemoryFile {
  readonly left: Buffer;
  readonly #descriptor: number;
  #length: number;

  constructor(path: string) {
    this.#descriptor = openSync(path, constants.O_RDWR | constants.O_CREAT, FILE_MODE);
    this.left = readFileSync(this.#descriptor);
    this.#length = this.left.length;
  }

  append(bytes: Buffer): void {
    // After a failure, the next write replaces what was written of this one.
    this.#length += writeCompletely(this.#descriptor, bytes, this.#length);
  }

  write(bytes: Buffer, position: number): void {
    writeCompletely(this.#descriptor, bytes, position);
  }

  /** Writes before it cuts off the rest: the file has a beginning at any time. */
  reset(bytes: Buffer): void {
    this.#length = writeCompletely(this.#descriptor, bytes, 0);
    ftruncateSync(this.#descriptor, this.#length);
  }

  close(): void {
    closeSync(this.#descriptor);
  }
}

function writeCompletely(descriptor: number, bytes: Buffer, position: number): number {
  for (let done = 0; done < bytes.length;)
    done += writeSync(descriptor, bytes, done, bytes.length - done, position + done);
  return bytes.length;
}

/** Removes the directories of queues that do not belong to any of these instances. */
export const removeOtherQueues = (directory: string, names: ReadonlySet<string>): Promise<void> =>
  pruneDirectory(directory, { names, mode: DIRECTORY_MODE });

/** The id of this run of the kernel; empty if the system has none. */
export function readBootId(): string {
  return existsSync(BOOT_ID_FILE) ? readFileSync(BOOT_ID_FILE, 'utf8').trim() : '';
}
