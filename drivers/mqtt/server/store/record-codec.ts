import { crc32 } from 'node:zlib';

/** A record: a key and what belongs to it. Without a value, the record is deleted. */
export interface RecordChange {
  readonly key: string;
  readonly value: Buffer | undefined;
}

/** Bytes before the key: the length of the rest, its checksum, the kind, and the length of the key. */
const HEADER_BYTES = 13;
const PUT = 1;
const DELETE = 0;

/** Encodes a change for the journal. */
export function encodeChange({ key, value }: RecordChange): Buffer {
  const keyBytes = Buffer.from(key);
  const entry = Buffer.allocUnsafe(HEADER_BYTES + keyBytes.length + (value?.length ?? 0));
  entry.writeUInt32LE(entry.length - 8, 0);
  entry.writeUInt8(value === undefined ? DELETE : PUT, 8);
  entry.writeUInt32LE(keyBytes.length, 9);
  keyBytes.copy(entry, HEADER_BYTES);
  value?.copy(entry, HEADER_BYTES + keyBytes.length);
  entry.writeUInt32LE(crc32(entry.subarray(8)), 4);
  return entry;
}

/** The changes of a journal, up to the first incomplete or damaged one: a killed process leaves one at the end. */
export function* decodeChanges(journal: Buffer): Generator<RecordChange> {
  for (let at = 0; at + HEADER_BYTES <= journal.length;) {
    const end = at + 8 + journal.readUInt32LE(at);
    const keyEnd = at + HEADER_BYTES + journal.readUInt32LE(at + 9);
    if (end > journal.length || keyEnd > end) return;
    if (crc32(journal.subarray(at + 8, end)) !== journal.readUInt32LE(at + 4)) return;
    const key = journal.toString('utf8', at + HEADER_BYTES, keyEnd);
    const isPut = journal[at + 8] === PUT;
    yield { key, value: isPut ? Buffer.from(journal.subarray(keyEnd, end)) : undefined };
    at = end;
  }
}
