import { message } from './messages.js';
import { objectType, type MediaData, type TreeObject } from './object.js';
import type { ObjectOptions, Tree } from './tree.js';

/** A media object of the tree. */
export type Media = TreeObject<5>;

/** Media types by their numbers in the interface (§1). */
export const mediaType = { dashboard: 0, image: 1, sound: 2, stream: 3, chart: 4, document: 5 } as const;
export type MediaType = (typeof mediaType)[keyof typeof mediaType];

/** What is known of a content: its checksum (8 hex digits), its size in bytes, when it was changed (unix seconds). */
export type MediaContentInfo = Pick<MediaData, 'crc' | 'size' | 'updated'>;

/** Media: what the tree knows of them. Their contents are files. */
export class MediaObjects {
  readonly #tree: Tree;
  constructor(tree: Tree) {
    this.#tree = tree;
  }

  /** Throws `NOT_OF_TYPE`. */
  get(id: number): Media {
    return this.#tree.getOfType(objectType.media, id);
  }

  create(type: MediaType, beginning: ObjectOptions = {}): Media {
    return this.#tree.create(objectType.media, mediaData(type), { ...beginning, created: [type] });
  }

  /** It has another file; a stream: another URL. What is known of its content is told by itself. */
  setFile(media: Media, file: string): void {
    if (media.data.file === file) return;
    this.#change(media, { file }, [message.MM_CHANGEFILE, [shownFile(file)]]);
  }

  /** Its content can be had, or no longer. */
  setAvailable(media: Media, available: boolean): void {
    if (media.data.available === available) return;
    this.#change(media, { available }, [message.MM_AVAILABLE, [available]]);
  }

  /** Its content is there and is this; told when it differs from what is known. */
  noteContent(media: Media, facts: MediaContentInfo): void {
    this.setAvailable(media, true);
    const { crc, size, updated } = media.data;
    if (crc !== facts.crc || size !== facts.size || updated !== facts.updated)
      this.announceContent(media, facts);
  }

  /** Its content has changed and now is this; always told. */
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
export function mediaData(type: number): MediaData {
  return { type, file: '', crc: '', size: 0, updated: 0, cached: false, available: false };
}

/** A file or a stream's URL as anybody may see it: a password in it is hidden (decision 16). */
export function shownFile(file: string): string {
  return file.replace(/^([a-z]+:\/\/[^/?#@:]*):[^/?#]*@/i, '$1:***@');
}
