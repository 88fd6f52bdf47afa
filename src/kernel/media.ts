import { crc32 } from 'node:zlib';
import { coded } from '../base/codes/coded-text.js';
import { fault } from '../base/fault.js';
import { message } from './messages.js';
import { objectType, type MediaData, type TreeObject } from './object.js';
import type { ObjectOptions, Tree } from './tree.js';

/** A media object. */
export type Media = TreeObject<5>;

/** Media types (interface §1). */
export const mediaType = { dashboard: 0, image: 1, sound: 2, stream: 3, chart: 4, document: 5 } as const;
export type MediaType = (typeof mediaType)[keyof typeof mediaType];

/** Checksum (8 hex digits), size (bytes) and modification time (unix seconds) of a content. */
export type MediaContentInfo = Pick<MediaData, 'crc' | 'size' | 'updated'>;

/** The time of an image, unix seconds, and whether its device is available. */
type ReportedState = Pick<MediaData, 'updated' | 'available'>;

/** Largest image that a device may report, bytes: a camera's picture of 8 megapixels. */
export const REPORTED_LIMIT = 2 * 1024 * 1024;

/** Memory for the images of all devices, bytes. */
export const REPORTED_BUDGET = 16 * 1024 * 1024;

/** Media as tree objects. Their contents are files, except images that devices report. */
export class MediaObjects {
  readonly #tree: Tree;
  /** Images that modules have declared. */
  readonly #declared = new WeakSet<Media>();
  /** What devices have reported; never stored. */
  readonly #reported = new Map<Media, Uint8Array>();
  constructor(tree: Tree) {
    this.#tree = tree;
  }

  /** Throws `NOT_OF_TYPE`. */
  get(id: number): Media {
    return this.#tree.getOfType(objectType.media, id);
  }

  create(type: MediaType, options: ObjectOptions = {}): Media {
    return this.#tree.create(objectType.media, mediaData(type), { ...options, created: [type] });
  }

  /** Sets the file, or the URL of a stream. The content is announced separately. */
  setFile(media: Media, file: string): void {
    if (media.data.file === file) return;
    this.#change(media, { file }, [message.MM_CHANGEFILE, [shownFile(file)]]);
  }

  /** Sets whether the content can be read. */
  setAvailable(media: Media, available: boolean): void {
    if (media.data.available === available) return;
    this.#change(media, { available }, [message.MM_AVAILABLE, [available]]);
  }

  /** Updates the content's data; emits a message only if it differs. */
  noteContent(media: Media, info: MediaContentInfo): void {
    this.setAvailable(media, true);
    const { crc, size, updated } = media.data;
    if (crc !== info.crc || size !== info.size || updated !== info.updated) this.announceContent(media, info);
  }

  /** Updates the content's data after a change; always emits a message. */
  announceContent(media: Media, { crc, size, updated }: MediaContentInfo): void {
    this.#change(media, { crc, size, updated }, [message.MM_UPDATE, [crc, size, updated]]);
  }

  /** Sets whether the module of the instance above an object declares it as an image that the device reports. */
  setDeclared(media: Media, isDeclared: boolean): void {
    if (isDeclared) this.#declared.add(media);
    else this.#declared.delete(media);
  }

  /** Whether the content comes from the device of the instance above the object. */
  isReported(media: Media): boolean {
    return this.#declared.has(media) && media.parent?.is(objectType.instance) === true;
  }

  /** Throws `READ_ONLY` if the content comes from a device: only the device changes it. */
  requireNotReported(media: Media): void {
    if (this.isReported(media))
      throw fault(
        'READ_ONLY',
        coded`WHAT_REPORTED_IMAGE: Media #${media.id} is an image of the device #${media.parentId}, with which it is deleted; it`,
      );
  }

  /** The image that a device has reported; undefined while there is none, or it is not available. */
  reportedContent(media: Media): Uint8Array | undefined {
    return media.data.available && this.isReported(media) ? this.#reported.get(media) : undefined;
  }

  /** Whether a device has reported an image, available or not. */
  hasReported(media: Media): boolean {
    return this.#reported.has(media);
  }

  /**
   * Replaces the image that a device reports with a copy of these bytes. Nothing is stored, and the change is
   * not announced: see `announceContent`. Throws `TEXT_TOO_LONG`.
   */
  report(media: Media, content: Uint8Array, { updated, available }: ReportedState): void {
    const size = content.length;
    if (size > REPORTED_LIMIT)
      throw fault('TEXT_TOO_LONG', coded`WHAT_IMAGE: The image`, REPORTED_LIMIT, 'bytes');
    let total = size;
    for (const [other, { length }] of this.#reported)
      // It was moved away from its instance, which does not discard it any more.
      if (!this.isReported(other)) this.release(other);
      else if (other !== media) total += length;
    if (total > REPORTED_BUDGET)
      throw fault(
        'TEXT_TOO_LONG',
        coded`WHAT_ALL_IMAGES: The images of all devices`,
        REPORTED_BUDGET,
        'bytes',
      );
    this.#reported.set(media, Uint8Array.from(content));
    this.#tree.touch(media);
    const crc = crc32(content).toString(16).toUpperCase().padStart(8, '0');
    Object.assign(media.data, { crc, size, updated });
    this.setAvailable(media, available);
  }

  /** Discards the image that a device has reported. */
  discardReported(media: Media): void {
    this.release(media);
    this.setAvailable(media, false);
  }

  /** Frees the memory of a deleted object. */
  release(media: Media): void {
    this.#reported.delete(media);
  }

  setCached(media: Media, cached: boolean): void {
    if (media.data.cached === cached) return;
    this.#change(media, { cached }, [message.MM_CHANGECACHED, [cached]]);
  }

  #change(media: Media, to: Partial<MediaData>, [sent, data]: readonly [number, readonly unknown[]]): void {
    this.#tree.touch(media);
    Object.assign(media.data, to);
    this.#tree.changes.emit(media.id, sent, data);
    // What a device reports is not stored: a camera sends images all the time.
    if (!this.isReported(media)) this.#tree.journal.markObject(media);
  }
}

/** The data of a new media object. */
function mediaData(type: number): MediaData {
  return { type, file: '', crc: '', size: 0, updated: 0, cached: false, available: false };
}

/** A file or a stream's URL with a masked password, for all users (interface, decision 16). */
export function shownFile(file: string): string {
  return file.replace(/^([a-z]+:\/\/[^/?#@:]*):[^/?#]*@/i, '$1:***@');
}
