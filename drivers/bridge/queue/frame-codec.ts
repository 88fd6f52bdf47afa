import { crc32 } from 'node:zlib';
import { variableType, type Value, type VariableType } from '../../../src/device/module.js';
import { ByteReader, ByteWriter, MalformedBytes } from './bytes.js';
import type { Entry } from './entry.js';

/**
 * One write appends a frame to a file, or several if its values are long. A frame has a header of 16 bytes
 * (length and number of values, the CRC-32 of both, the CRC-32 of the payload; little-endian) and a payload of
 * records. A record is a value, or defines a text of the dictionary of its file.
 */
export const FRAME_HEADER_BYTES = 16;
/** A payload ends with the value that reaches this size, bytes. */
const PAYLOAD_BYTES = 1024 * 1024;
/** A longer payload was not written by us; earlier versions wrote all values of a write as one. */
const PAYLOAD_LIMIT = 64 * 1024 * 1024;

const tag = { none: 0, false: 1, true: 2, integer: 3, float: 4, text: 5, inexact: 6, define: 7 } as const;
const TAG_MASK = 0x07;
const QUALITY_SHIFT = 3;
const QUALITY_MASK = 0x03;
const HAS_REASON = 0x20;
const IS_UNTRUSTED = 0x40;
/** Zigzag numbers have one bit less. */
const INTEGER_LIMIT = 2 ** 52;

/** Encodes the frames of one file, whose dictionary it keeps. */
export class FrameWriter {
  readonly #texts = new Map<string, number>();

  /** Frames with these values. */
  encode(entries: readonly Entry[]): Buffer {
    const frames: Buffer[] = [];
    for (let done = 0; done < entries.length;) {
      const { frame, count } = this.#encodeFrame(entries, done);
      frames.push(frame);
      done += count;
    }
    return frames.length === 1 ? (frames[0] as Buffer) : Buffer.concat(frames);
  }

  /** The next frame, with the values from `start` on that fit, and their number. */
  #encodeFrame(entries: readonly Entry[], start: number): { frame: Buffer; count: number } {
    const writer = new ByteWriter();
    let [seq, atMs] = [0, 0];
    let end = start;
    while (end < entries.length && writer.length < PAYLOAD_BYTES) {
      const entry = entries[end++] as Entry;
      const path = this.#indexOf(writer, entry.path);
      const reason = entry.reason === '' ? 0 : this.#indexOf(writer, entry.reason);
      const boot = entry.untrusted === undefined ? 0 : this.#indexOf(writer, entry.untrusted.boot);
      const valueTag = tagOf(entry);
      const flags =
        (entry.reason === '' ? 0 : HAS_REASON) | (entry.untrusted === undefined ? 0 : IS_UNTRUSTED);
      writer.byte(valueTag | (entry.quality << QUALITY_SHIFT) | flags);
      writer.varint(path);
      writer.zigzag(entry.seq - seq);
      writer.zigzag(Math.round(entry.atMs) - atMs);
      [seq, atMs] = [entry.seq, Math.round(entry.atMs)];
      if (entry.reason !== '') writer.varint(reason);
      if (entry.untrusted !== undefined) {
        writer.varint(boot);
        writer.varint(Math.max(0, Math.round(entry.untrusted.monotonicMs)));
      }
      writeValue(writer, valueTag, entry);
    }
    const payload = writer.written;
    const frame = Buffer.allocUnsafe(FRAME_HEADER_BYTES + payload.length);
    frame.writeUInt32LE(payload.length, 0);
    frame.writeUInt32LE(end - start, 4);
    frame.writeUInt32LE(crc32(frame.subarray(0, 8)), 8);
    frame.writeUInt32LE(crc32(payload), 12);
    payload.copy(frame, FRAME_HEADER_BYTES);
    return { frame, count: end - start };
  }

  #indexOf(writer: ByteWriter, text: string): number {
    const known = this.#texts.get(text);
    if (known !== undefined) return known;
    const index = this.#texts.size;
    writer.byte(tag.define);
    // With its index: a damaged frame before this one may have defined others.
    writer.varint(index);
    writer.text(text);
    this.#texts.set(text, index);
    return index;
  }
}

function tagOf({ type, value }: Entry): number {
  if (value === undefined) return tag.none;
  if (typeof value === 'boolean') return value ? tag.true : tag.false;
  if (typeof value === 'string') return tag.text;
  if (type !== variableType.integer) return tag.float;
  return Number.isInteger(value) && Math.abs(value) < INTEGER_LIMIT ? tag.integer : tag.inexact;
}

function writeValue(writer: ByteWriter, valueTag: number, { type, value }: Entry): void {
  if (valueTag === tag.none) writer.byte(type);
  else if (typeof value === 'string') writer.text(value);
  else if (valueTag === tag.integer) writer.zigzag(Number(value));
  else if (typeof value === 'number') writer.float64(value);
}

/** The frames of a file: the values of each, and the number of values of damaged ones. */
export interface DecodedFrame {
  readonly entries: readonly Entry[];
  /** Values that the header of a damaged frame counts. */
  readonly damaged: number;
}

/**
 * Decodes the frames of a file, in order. A frame whose payload is damaged gives no values; after a damaged
 * header, nothing more can be read.
 */
export function* decodeFrames(bytes: Buffer): Generator<DecodedFrame> {
  const texts = new Map<number, string>();
  for (let at = 0; at + FRAME_HEADER_BYTES <= bytes.length;) {
    const length = bytes.readUInt32LE(at);
    const count = bytes.readUInt32LE(at + 4);
    const isHeader = crc32(bytes.subarray(at, at + 8)) === bytes.readUInt32LE(at + 8);
    if (!isHeader || length > PAYLOAD_LIMIT) return;
    const payload = bytes.subarray(at + FRAME_HEADER_BYTES, at + FRAME_HEADER_BYTES + length);
    const isSound = payload.length === length && crc32(payload) === bytes.readUInt32LE(at + 12);
    const entries = isSound ? decodePayload(payload, texts) : [];
    yield { entries, damaged: Math.max(0, count - entries.length) };
    at += FRAME_HEADER_BYTES + length;
  }
}

/** The values of a payload up to the first that cannot be read, as after a damaged definition. */
function decodePayload(payload: Buffer, texts: Map<number, string>): Entry[] {
  const entries: Entry[] = [];
  const reader = new ByteReader(payload);
  const previous = { seq: 0, atMs: 0 };
  try {
    while (!reader.isAtEnd) {
      const head = reader.byte();
      if ((head & TAG_MASK) === tag.define) texts.set(reader.varint(), reader.text());
      else entries.push(readEntry(reader, head, { texts, previous }));
    }
  } catch (thrown) {
    if (!(thrown instanceof MalformedBytes)) throw thrown;
  }
  return entries;
}

interface DecoderState {
  readonly texts: ReadonlyMap<number, string>;
  readonly previous: { seq: number; atMs: number };
}

function readEntry(reader: ByteReader, head: number, { texts, previous }: DecoderState): Entry {
  const text = () => {
    const found = texts.get(reader.varint());
    if (found === undefined) throw new MalformedBytes('a text is not defined');
    return found;
  };
  const path = text();
  const seq = (previous.seq += reader.zigzag());
  const atMs = (previous.atMs += reader.zigzag());
  const reason = (head & HAS_REASON) === 0 ? '' : text();
  const untrusted = (head & IS_UNTRUSTED) === 0 ? undefined : { boot: text(), monotonicMs: reader.varint() };
  const quality = ((head >> QUALITY_SHIFT) & QUALITY_MASK) as 0 | 1 | 2;
  const [type, value] = readValue(reader, head & TAG_MASK);
  return { seq, path, type, value, quality, reason, atMs, ...(untrusted && { untrusted }) };
}

function readValue(reader: ByteReader, valueTag: number): [VariableType, Value | undefined] {
  switch (valueTag) {
    case tag.none:
      return [reader.byte() as VariableType, undefined];
    case tag.false:
      return [variableType.boolean, false];
    case tag.true:
      return [variableType.boolean, true];
    case tag.integer:
      return [variableType.integer, reader.zigzag()];
    case tag.inexact:
      return [variableType.integer, reader.float64()];
    case tag.float:
      return [variableType.float, reader.float64()];
    default:
      return [variableType.string, reader.text()];
  }
}
