import { coded } from '../base/codes/coded-text.js';
import { constants } from 'node:fs';
import { mkdir, open, realpath, rm, type FileHandle } from 'node:fs/promises';
import { basename, dirname, join, sep } from 'node:path';
import { crc32 } from 'node:zlib';
import { codeOf, fault, faultFrom, messageOf } from '../base/fault.js';
import { writeFileAtomically } from '../base/atomic-write.js';
import { yieldToEventLoop } from '../base/event-loop.js';
import { SerialQueue } from '../base/serial-queue.js';
import type { MediaContentInfo } from '../kernel/media.js';

/** Largest content that is read or written in one call, bytes; in Base64 it fits into a request. */
export const MEDIA_LIMIT = 16 * 1024 * 1024;

/** The folders of the data directory with media files; browsers can fetch those in `user`. */
const FOLDERS = ['media', 'user'];
/**
 * Valid file names: letters of any script, digits and common punctuation. No leading dot, and no `.new`,
 * which is temporary.
 */
const NAME = /^(?!.*\.new$)[\p{L}\p{N}_][\p{L}\p{M}\p{N}_ .,+()-]{0,100}$/u;
const DEPTH_LIMIT = 8;
/** Bytes of a checksum between two iterations of the event loop. */
const CHUNK_BYTES = 1024 * 1024;

/** Size and times of a file. */
export type MediaFileStat = Pick<MediaContentInfo, 'size' | 'updated'> & { readonly modifiedMs: number };

/** The files of media objects, in `media` and `user` of the data directory and nowhere else. */
export class MediaFiles {
  readonly #directory: string;
  /** Writes to the same file must not overlap. */
  readonly #queue = new SerialQueue();

  constructor(directory: string) {
    this.#directory = directory;
  }

  /**
   * The name of a file, like `media/roof.png`. Accepts that form, an absolute path in the data directory, or
   * a bare name in `media`. Throws `FILE_NAME` for anything else.
   */
  resolveName(path: string): string {
    const inside = `${this.#directory}${sep}`;
    const known = path.includes('/') ? path : `media/${path}`;
    const [folder = '', ...rest] = (known.startsWith(inside) ? known.slice(inside.length) : known).split('/');
    const isUsable =
      FOLDERS.includes(folder) &&
      rest.length > 0 &&
      rest.length <= DEPTH_LIMIT &&
      rest.every((step) => NAME.test(step));
    if (!isUsable)
      throw fault(
        'FILE_NAME',
        path,
        coded`MEDIA_FILES_MEDIA_USER: media files are in media/ and user/, such as media/roof.svg`,
      );
    return [folder, ...rest].join('/');
  }

  /** Size and time of a file; undefined if there is no readable file. */
  async stat(file: string): Promise<MediaFileStat | undefined> {
    return this.#reading(file, async (handle) => statOf(await handle.stat()));
  }

  /** Reads the complete content. Throws `FILE_MISSING`, `TEXT_TOO_LONG`. */
  async read(file: string): Promise<Buffer> {
    const bytes = await this.#reading(file, async (handle) => {
      if ((await handle.stat()).size > MEDIA_LIMIT) throw fault('TEXT_TOO_LONG', file, MEDIA_LIMIT, 'bytes');
      return handle.readFile();
    });
    if (bytes === undefined) throw fault('FILE_MISSING', file);
    return bytes;
  }

  /** Reads a file of any size for its checksum and size; undefined if there is no file. */
  async readInfo(file: string): Promise<MediaContentInfo | undefined> {
    return this.#reading(file, async (handle) => {
      const { updated } = statOf(await handle.stat());
      const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
      let [crc, size] = [0, 0];
      for (;;) {
        const { bytesRead } = await handle.read(chunk);
        if (bytesRead === 0) return { crc: hex(crc), size, updated };
        crc = crc32(chunk.subarray(0, bytesRead), crc);
        size += bytesRead;
      }
    });
  }

  /** Replaces the content atomically and durably. Throws `TEXT_TOO_LONG`, `FILE_NAME`, `STORE_FAILED`. */
  async write(file: string, bytes: Uint8Array): Promise<MediaContentInfo> {
    if (bytes.length > MEDIA_LIMIT)
      throw fault('TEXT_TOO_LONG', coded`WHAT_CONTENT: The content`, MEDIA_LIMIT, 'bytes');
    return this.#queue.run(async () => {
      try {
        await mkdir(join(this.#directory, 'media')).catch((thrown: unknown) => {
          if (codeOf(thrown) !== 'EEXIST') throw thrown;
        });
        await writeFileAtomically(await this.#pathOf(file), bytes);
      } catch (thrown) {
        if (codeOf(thrown) === 'FILE_NAME') throw thrown;
        throw faultFrom(thrown, 'STORE_FAILED', `${file}: ${messageOf(thrown)}`);
      }
      const { updated = 0 } = (await this.stat(file)) ?? {};
      return { crc: hex(await sumOf(bytes)), size: bytes.length, updated };
    });
  }

  /** Deletes a file; a missing one is fine. */
  async remove(file: string): Promise<void> {
    await this.#queue.run(async () => {
      const path = await this.#pathOf(file).catch(missing);
      if (path !== undefined) await rm(path, { force: true });
    });
  }

  /** Reads a regular file; undefined if there is none, or a symbolic link or a pipe instead. */
  async #reading<T>(file: string, read: (handle: FileHandle) => Promise<T>): Promise<T | undefined> {
    const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
    let handle: FileHandle | undefined;
    try {
      handle = await open(await this.#pathOf(file), O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
      return (await handle.stat()).isFile() ? await read(handle) : undefined;
    } catch (thrown) {
      return missing(thrown);
    } finally {
      await handle?.close();
    }
  }

  /** The real path of a file. Throws `FILE_NAME` if symbolic links lead out of its folder. */
  async #pathOf(file: string): Promise<string> {
    const [folder = ''] = file.split('/');
    const root = await realpath(join(this.#directory, folder));
    const parent = await realpath(dirname(join(root, file.slice(folder.length))));
    if (parent !== root && !parent.startsWith(`${root}${sep}`))
      throw fault(
        'FILE_NAME',
        file,
        coded`DIRECTORY_SYMBOLIC_LINK_ANOTHER: its directory is a symbolic link to another place; links are not followed`,
      );
    return join(parent, basename(file));
  }
}

const statOf = ({ size, mtimeMs }: { size: number; mtimeMs: number }): MediaFileStat => ({
  size,
  updated: Math.floor(mtimeMs / 1000),
  modifiedMs: mtimeMs,
});

async function sumOf(bytes: Uint8Array): Promise<number> {
  let crc = 0;
  for (let at = 0; at < bytes.length; at += CHUNK_BYTES) {
    crc = crc32(bytes.subarray(at, at + CHUNK_BYTES), crc);
    await yieldToEventLoop();
  }
  return crc;
}

const hex = (crc: number) => crc.toString(16).toUpperCase().padStart(8, '0');

function missing(thrown: unknown): undefined {
  if (['ENOENT', 'ENOTDIR', 'ELOOP', 'ENXIO'].includes(codeOf(thrown) ?? '')) return undefined;
  throw thrown;
}
