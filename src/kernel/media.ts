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

/** Media as tree objects; their contents are files. */
export class MediaObjects {
  readonly #tree: Tree;
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

  setCached(media: Media, cached: boolean): void {
    if (media.data.cached === cached) return;
    this.#change(media, { cached }, [message.MM_CHANGECACHED, [cached]]);
  }

  #change(media: Media, to: Partial<MediaData>, [sent, data]: readonly [number, readonly unknown[]]): void {
    this.#tree.touch(media);
    Object.assign(media.data, to);
    this.#tree.changes.emit(media.id, sent, data);
    this.#tree.journal.markObject(media);
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
