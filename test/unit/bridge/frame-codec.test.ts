import t from 'tap';
import { variableType } from '../../../src/device/module.js';
import { ByteReader, ByteWriter } from '../../../drivers/bridge/queue/bytes.js';
import type { Entry } from '../../../drivers/bridge/queue/entry.js';
import { decodeFrames, FRAME_HEADER_BYTES, FrameWriter } from '../../../drivers/bridge/queue/frame-codec.js';

const base = { quality: 0, reason: '', atMs: 1_700_000_000_123 } as const;

const ENTRIES: readonly Entry[] = [
  { ...base, seq: 7, path: 'a/ON', type: variableType.boolean, value: true },
  { ...base, seq: 8, path: 'a/OFF', type: variableType.boolean, value: false, atMs: 1_699_999_999_000 },
  { ...base, seq: 3, path: 'a/N', type: variableType.integer, value: -12_345 },
  { ...base, seq: 9, path: 'a/N', type: variableType.integer, value: Number.MAX_SAFE_INTEGER },
  { ...base, seq: 10, path: 'a/N', type: variableType.integer, value: -(2 ** 52) + 1 },
  { ...base, seq: 11, path: 'a/T', type: variableType.float, value: 21.5 },
  { ...base, seq: 12, path: 'a/T', type: variableType.float, value: 3 },
  { ...base, seq: 13, path: 'ä/Text', type: variableType.string, value: 'grün 🌱' },
  { ...base, seq: 14, path: 'ä/Text', type: variableType.string, value: '' },
  {
    ...base,
    seq: 15,
    path: 'a/T',
    type: variableType.float,
    value: undefined,
    quality: 2,
    reason: 'UNREACHABLE',
    untrusted: { boot: 'a boot', monotonicMs: 55 },
  },
];

const decoded = (bytes: Buffer) => [...decodeFrames(bytes)];

t.test('values of all types, with quality and untrusted times', async (t) => {
  const writer = new FrameWriter();
  const file = Buffer.concat([writer.encode(ENTRIES.slice(0, 4)), writer.encode(ENTRIES.slice(4))]);
  t.strictSame(
    decoded(file).flatMap(({ entries }) => entries),
    ENTRIES,
  );
});

t.test('a value takes few bytes', async (t) => {
  const writer = new FrameWriter();
  writer.encode(ENTRIES);
  const many = Array.from({ length: 100 }, (_, n): Entry => ({
    ...(ENTRIES[5] as Entry),
    seq: 20 + n,
    atMs: base.atMs + n,
  }));
  t.ok(writer.encode(many).length < 100 * 13, 'the dictionary and the differences keep it short');
});

t.test('long texts take several frames, which are read one by one', async (t) => {
  const texts = Array.from({ length: 31 }, (_, n): Entry => {
    return { ...(ENTRIES[7] as Entry), seq: 20 + n, value: '€'.repeat(65_000) };
  });
  const file = new FrameWriter().encode([...ENTRIES, ...texts]);
  const frames = decoded(file);
  t.strictSame(
    frames.flatMap(({ entries }) => entries),
    [...ENTRIES, ...texts],
  );
  const most = Math.max(...frames.map(({ entries }) => entries.length));
  t.ok(most < 20, `${most} values of ${file.length} bytes`);
  t.equal(new FrameWriter().encode([]).length, 0);
});

t.test('a damaged payload loses its values only, and is counted', async (t) => {
  const writer = new FrameWriter();
  const first = writer.encode(ENTRIES.slice(0, 4));
  const second = writer.encode([ENTRIES[2] as Entry, ENTRIES[7] as Entry]);
  first[FRAME_HEADER_BYTES + 3]! ^= 1;
  const [lost, kept] = decoded(Buffer.concat([first, second]));
  t.strictSame(lost, { entries: [], damaged: 4 });
  t.strictSame(kept, { entries: [], damaged: 2 }, 'a path that the damaged frame defined is never guessed');
  t.strictSame(decoded(writer.encode([ENTRIES[7] as Entry]))[0]?.damaged, 1);
});

t.test('a torn tail and a damaged header end the file', async (t) => {
  const frame = new FrameWriter().encode(ENTRIES);
  for (let length = 0; length < frame.length; length++) {
    const entries = decoded(frame.subarray(0, length)).flatMap((one) => one.entries);
    t.strictSame(entries, []);
  }
  for (let at = 0; at < 12; at++) {
    const damaged = Buffer.from(frame);
    damaged[at]! ^= 0x40;
    t.strictSame(decoded(damaged), []);
  }
});

t.test('numbers of the byte writer', async (t) => {
  const writer = new ByteWriter();
  const numbers = [0, 1, 127, 128, 300, 2 ** 31, 2 ** 32 + 5, Number.MAX_SAFE_INTEGER];
  for (const number of numbers) writer.varint(number);
  const signed = [0, -1, 1, -64, 64, -(2 ** 40)];
  for (const number of signed) writer.zigzag(number);
  const big = [0n, 1n, 2n ** 63n, 2n ** 64n - 1n];
  for (const number of big) writer.bigVarint(number);
  writer.float32(0.5);
  const reader = new ByteReader(Buffer.from(writer.written));
  t.strictSame(
    numbers.map(() => reader.varint()),
    numbers,
  );
  t.strictSame(
    signed.map(() => reader.zigzag()),
    signed,
  );
  t.strictSame(
    big.map(() => reader.bigVarint()),
    big,
  );
  t.equal(reader.float32(), 0.5);
  t.ok(reader.isAtEnd);
  t.throws(() => reader.byte(), { message: 'the bytes end too early' });
  t.throws(() => new ByteReader(Buffer.alloc(11, 0xff)).varint(), { message: 'a number is too large' });
  t.throws(() => new ByteReader(Buffer.alloc(11, 0xff)).bigVarint(), { message: 'a number is too long' });
  t.throws(() => new ByteReader(Buffer.from([5, 1])).block(), { message: 'the bytes end too early' });
});
