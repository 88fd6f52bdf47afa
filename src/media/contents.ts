import { coded } from '../base/codes/coded-text.js';
import { urlChanged } from '../base/codes/url-changed.js';
import { fault, messageOf } from '../base/fault.js';
import type { Log } from '../base/log.js';
import { hasMaskedUrl, maskUrls } from '../base/url-secrets.js';
import type { Kernel } from '../kernel/kernel.js';
import { mediaType, shownFile, type Media, type MediaContentInfo } from '../kernel/media.js';
import { objectType } from '../kernel/object.js';
import { MEDIA_LIMIT, type MediaFiles, type MediaFileStat } from './media-files.js';
import type { Icons } from './icons.js';

/** Memory for cached contents, bytes; the least recently used is dropped first. */
export const CACHE_BUDGET = 16 * 1024 * 1024;

/** Valid URLs of streams. */
const STREAM = /^(rtsps?|rtmps?|https?|udp|rtp|mms):\/\/[^\s\\\p{C}]{1,1000}$/iu;

/** Dependencies of media contents. */
interface ContentsOptions {
  readonly kernel: Kernel;
  readonly files: MediaFiles;
  readonly icons: Icons;
  readonly log: Log;
  readonly nowMs: () => number;
}

interface CachedContent {
  readonly bytes: Buffer;
  readonly modifiedMs: number;
}

/**
 * The contents of media objects: files, and images that devices report. Contents of cached objects are held
 * in memory within a budget.
 */
export class MediaContents implements AsyncDisposable {
  readonly icons: Icons;
  readonly limit = MEDIA_LIMIT;
  readonly #options: ContentsOptions;
  readonly #cache = new Map<Media, CachedContent>();
  #isClosed = false;
  #checking: Promise<void> = Promise.resolve();

  constructor(options: ContentsOptions) {
    this.#options = options;
    this.icons = options.icons;
  }

  /** Checks in the background whether the files of all media exist unchanged. */
  start(): void {
    this.#checking = this.#checkAll();
  }

  /** Stops the check and waits for its end. */
  close(): Promise<void> {
    this.#isClosed = true;
    this.#cache.clear();
    return this.#checking;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** Checks whether the file was changed, deleted or restored outside the gateway. Throws `NOT_OF_TYPE`. */
  async refresh(id: number): Promise<void> {
    const media = this.#get(id);
    const { kernel } = this.#options;
    if (isStream(media)) return;
    if (media.data.file !== '') await this.#checkFile(media, media.data.file);
    // It was moved away from the instance whose device reports it.
    else if (kernel.media.reportedContent(media) === undefined) kernel.media.setAvailable(media, false);
  }

  /**
   * Reads the content. Throws `NOT_OF_TYPE`, `FILE_MISSING`, `DEVICE_OFFLINE`, `TEXT_TOO_LONG`, and
   * `NOT_SUPPORTED` for a stream.
   */
  async content(id: number): Promise<Buffer> {
    const media = this.#get(id);
    const reported = this.#options.kernel.media.reportedContent(media);
    if (reported !== undefined) return Buffer.from(reported);
    if (this.#options.kernel.media.isReported(media))
      throw fault(
        'DEVICE_OFFLINE',
        coded`IMAGE_NOT_AVAILABLE: media #${id} has no image until its device sends one`,
      );
    const file = fileOf(media);
    const found = await this.#checkFile(media, file);
    if (found === undefined) throw fault('FILE_MISSING', file);
    const cached = this.#cache.get(media);
    const isSame = cached?.modifiedMs === found.modifiedMs;
    const bytes = isSame ? cached.bytes : await this.#options.files.read(file);
    if (this.#isUnchanged(media, file) && media.data.cached)
      this.#cacheContent(media, { bytes, modifiedMs: found.modifiedMs });
    return bytes;
  }

  /**
   * Writes the content, to `media/<id>.json` or `.bin` if there is no file yet. Throws `NOT_OF_TYPE`,
   * `READ_ONLY`, `TEXT_TOO_LONG`, `STORE_FAILED`, and `NOT_SUPPORTED` for a stream.
   */
  async setContent(id: number, bytes: Uint8Array): Promise<void> {
    const { kernel, files } = this.#options;
    const media = this.#writable(id);
    const file = media.data.file === '' && !isStream(media) ? standardFile(media) : fileOf(media);
    const info = await files.write(file, bytes);
    this.#check(media);
    this.#cache.delete(media);
    kernel.media.setFile(media, file);
    kernel.media.setAvailable(media, true);
    kernel.media.announceContent(media, info);
  }

  /**
   * Sets the file, or the URL of a stream. Throws `NOT_OF_TYPE`, `READ_ONLY`, `FILE_NAME`; with `mustExist`
   * `FILE_MISSING`.
   */
  async setFile(id: number, path: string, mustExist: boolean): Promise<void> {
    const { kernel, files } = this.#options;
    const media = this.#writable(id);
    if (isStream(media)) return this.#setStream(media, path);
    const file = files.resolveName(path);
    const info = await files.readInfo(file);
    if (mustExist && info === undefined) throw fault('FILE_MISSING', file);
    this.#check(media);
    this.#cache.delete(media);
    kernel.media.setFile(media, file);
    this.#updateInfo(media, file, info);
  }

  /** Sets whether the content is cached in memory after its first use. Throws `NOT_OF_TYPE`, `READ_ONLY`. */
  setCached(id: number, cached: boolean): void {
    const media = this.#writable(id);
    this.#options.kernel.media.setCached(media, cached);
    if (!cached) this.#cache.delete(media);
  }

  /**
   * Announces that the content has changed, even if it is the same. Throws `NOT_OF_TYPE`, `READ_ONLY`,
   * `FILE_MISSING`.
   */
  async announceChange(id: number): Promise<void> {
    const { kernel, files, nowMs } = this.#options;
    const media = this.#writable(id);
    if (isStream(media))
      return kernel.media.announceContent(media, { crc: '', size: 0, updated: Math.floor(nowMs() / 1000) });
    const file = fileOf(media);
    const info = await files.readInfo(file);
    this.#check(media);
    this.#cache.delete(media);
    if (info !== undefined) {
      kernel.media.setAvailable(media, true);
      return kernel.media.announceContent(media, info);
    }
    kernel.media.setAvailable(media, false);
    throw fault('FILE_MISSING', file);
  }

  /**
   * Deletes an object, and on request its file if no other object uses it. Throws `NOT_OF_TYPE`,
   * `HAS_CHILDREN`.
   */
  async delete(id: number, deleteFile: boolean): Promise<void> {
    const { kernel, files } = this.#options;
    const media = this.#get(id);
    const { file } = media.data;
    kernel.tree.delete(media);
    this.#cache.delete(media);
    kernel.media.release(media);
    if (!deleteFile || isStream(media) || file === '') return;
    for (const other of kernel.tree.objectsOfType(objectType.media)) if (other.data.file === file) return;
    await files.remove(file);
  }

  /** The id of the object with this file or URL; undefined if there is none. Throws `FILE_NAME`. */
  findFile(path: string): number | undefined {
    const { kernel, files } = this.#options;
    const file = STREAM.test(path) ? path : files.resolveName(path);
    for (const { id, data } of kernel.tree.objectsOfType(objectType.media))
      if (data.file === file || shownFile(data.file) === file) return id;
    return undefined;
  }

  #get(id: number): Media {
    return this.#options.kernel.media.get(id);
  }

  /** A media object that users may change. Throws `NOT_OF_TYPE`, `READ_ONLY`. */
  #writable(id: number): Media {
    const media = this.#get(id);
    this.#options.kernel.media.requireNotReported(media);
    return media;
  }

  async #checkAll(): Promise<void> {
    const { kernel, log } = this.#options;
    for (const { id, data } of kernel.tree.objectsOfType(objectType.media)) {
      if (this.#isClosed) return;
      try {
        await this.refresh(id);
      } catch (thrown) {
        log.warn({ media: id, file: shownFile(data.file) }, messageOf(thrown));
      }
    }
  }

  async #checkFile(media: Media, file: string): Promise<MediaFileStat | undefined> {
    const { files } = this.#options;
    const found = await files.stat(file);
    const { available, size, updated } = media.data;
    const isKnown = found !== undefined && available && found.size === size && found.updated === updated;
    if (!isKnown) this.#updateInfo(media, file, found && (await files.readInfo(file)));
    return found;
  }

  #updateInfo(media: Media, file: string, info: MediaContentInfo | undefined): void {
    if (!this.#isUnchanged(media, file)) return;
    if (info === undefined) this.#options.kernel.media.setAvailable(media, false);
    else this.#options.kernel.media.noteContent(media, info);
  }

  #setStream(media: Media, url: string): void {
    const { kernel } = this.#options;
    const shown = shownFile(media.data.file);
    // As functions show it, or as an export has it.
    if (url === shown || url === maskUrls(shown)) return;
    if (!STREAM.test(url))
      throw fault(
        'FILE_NAME',
        shownFile(url),
        coded`STREAM_REQUIRES_URL_SUCH: a stream requires a URL, such as rtsp://camera/stream`,
      );
    if (hasMaskedUrl(url) && !hasMaskedUrl(media.data.file))
      throw fault('FILE_NAME', maskUrls(url), urlChanged());
    kernel.media.setFile(media, url);
    kernel.media.setAvailable(media, true);
  }

  /** Whether the object still exists with this file after waiting for something. */
  #isUnchanged(media: Media, file: string): boolean {
    return !this.#isClosed && this.#options.kernel.tree.find(media.id) === media && media.data.file === file;
  }

  /** Throws `NOT_OF_TYPE` if the object was deleted while a file was being read or written. */
  #check(media: Media): void {
    if (this.#options.kernel.tree.find(media.id) !== media) throw fault('NOT_OF_TYPE', 'Media', media.id);
  }

  /** Caches a content and drops the least recently used ones until all fit. */
  #cacheContent(media: Media, cached: CachedContent): void {
    this.#cache.delete(media);
    this.#cache.set(media, cached);
    let total = 0;
    for (const { bytes } of this.#cache.values()) total += bytes.length;
    for (const [oldest, { bytes }] of this.#cache) {
      if (total <= CACHE_BUDGET) return;
      this.#cache.delete(oldest);
      total -= bytes.length;
    }
  }
}

const isStream = ({ data }: Media) => data.type === mediaType.stream;

/** The file of an object. Throws `NOT_SUPPORTED` for a stream, `FILE_MISSING` if there is none yet. */
function fileOf(media: Media): string {
  if (isStream(media)) throw fault('NOT_SUPPORTED', coded`WHAT_STREAM_CONTENT: Content for a stream`);
  if (media.data.file === '') throw fault('FILE_MISSING', coded`WHAT_FILE_OF_MEDIA: of media #${media.id}`);
  return media.data.file;
}

/** The default file of an object. */
function standardFile({ id, data: { type } }: Media): string {
  const isJson = type === mediaType.dashboard || type === mediaType.chart;
  return `media/${id}.${isJson ? 'json' : 'bin'}`;
}
