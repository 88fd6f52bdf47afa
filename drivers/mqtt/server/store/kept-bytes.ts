import type { StoredPacket } from './stored-packet.js';

/** What a record costs in addition to its texts and its payload: its objects in memory, and its row. */
export const RECORD_BYTES = 512;

export const costOfPacket = ({ topic, payload }: StoredPacket): number =>
  RECORD_BYTES + topic.length + payload.length;

/** What a filter costs: each of its levels is an object of the tree. */
export const costOfFilter = (filter: string): number =>
  RECORD_BYTES * filter.split('/').length + filter.length;

/** The part of a limit that is in use. */
export class KeptBytes {
  readonly #limit: number;
  readonly #onFull: () => void;
  #bytes = 0;

  constructor(limit: number, onFull: () => void) {
    this.#limit = limit;
    this.#onFull = onFull;
  }

  hasRoom(bytes: number): boolean {
    return bytes <= 0 || this.#bytes + bytes <= this.#limit;
  }

  /** Whether there was room. A negative number releases bytes. */
  reserve(bytes: number): boolean {
    if (!this.hasRoom(bytes)) {
      this.#onFull();
      return false;
    }
    this.#bytes += bytes;
    return true;
  }

  release(bytes: number): void {
    this.#bytes -= bytes;
  }
}
