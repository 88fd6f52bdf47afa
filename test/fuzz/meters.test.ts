import t from 'tap';
import { FRAME_LIMIT, FrameParser } from '../../drivers/meter/mbus/frames.js';
import { MbusSyntaxError } from '../../drivers/meter/mbus/records.js';
import { MbusApplicationError, readTelegram } from '../../drivers/meter/mbus/telegram.js';
import { SmlParser } from '../../drivers/meter/sml/sml-parser.js';
import { SML_TELEGRAM_LIMIT } from '../../drivers/meter/sml/transport.js';
import { TEXT_TELEGRAM_LIMIT, TextParser } from '../../drivers/meter/text/text-parser.js';
import type { Telegram, TelegramListener, TelegramParser } from '../../drivers/meter/telegram.js';
import { parseAll, recordedTelegrams } from '../tools/meters/recorded-telegrams.js';
import { fuzzSeed, Random, seedLabel } from '../tools/random.js';

/** Mutated telegrams per protocol; nightly: `ROUNDS=1000000 node dist/test/run.js fuzz/meters`. */
const ROUNDS = Number(process.env['ROUNDS'] ?? 3000);

/** A protocol with recorded telegrams that its parser accepts. */
interface Subject {
  readonly name: string;
  readonly recordings: readonly Buffer[];
  readonly create: (listener: TelegramListener) => TelegramParser;
  /** More bytes than the longest telegram: after them the parser has forgotten what preceded. */
  readonly limit: number;
  /**
   * The parts of bytes that are a telegram with a correct checksum, by a check that does not use the parser:
   * one of 65,536 mutated telegrams has a correct CRC, one of 256 a correct sum.
   */
  checked(bytes: Buffer): Buffer[];
}

/** CRC-16/ARC, bit by bit. */
function crc(bytes: Uint8Array): number {
  let value = 0;
  for (const byte of bytes)
    for (let bit = 0; bit < 8; bit++) {
      const isSet = ((value ^ (byte >> bit)) & 1) === 1;
      value = (value >> 1) ^ (isSet ? 0xa001 : 0);
    }
  return value;
}

/** The text telegrams whose CRC or block check is correct. */
function checkedTexts(bytes: Buffer): Buffer[] {
  const found: Buffer[] = [];
  const plain = Buffer.from(bytes.map((byte) => (byte < 0x80 ? byte : byte & 0x7f)));
  for (let start = plain.indexOf('/'); start !== -1; start = plain.indexOf('/', start + 1)) {
    const end = plain.indexOf('!', start);
    if (end === -1) break;
    const last = plain.toString('latin1', end, end + 10);
    const sent = /^!([0-9A-Fa-f]{1,4})\r*\n/.exec(last);
    if (sent !== null && Number.parseInt(sent[1] ?? '', 16) === crc(plain.subarray(start, end + 1)))
      found.push(bytes.subarray(start, end + sent[0].length));
    const stx = plain.indexOf('\x02', start);
    const etx = plain.indexOf('\x03', end);
    if (stx === -1 || etx === -1) continue;
    const check = plain.subarray(stx + 1, etx + 1).reduce((sum, byte) => sum ^ byte, 0);
    if (check === plain[etx + 1]) found.push(bytes.subarray(start, etx + 2));
  }
  return found;
}

/** The frames of an M-Bus as telegrams; their records are as text in one record. */
function createMbus(listener: TelegramListener): TelegramParser {
  return new FrameParser({
    onFrame(frame) {
      try {
        const value = JSON.stringify(readTelegram(frame));
        listener.onTelegram({ check: 'valid', records: [{ code: '', value, unit: '', resolution: 0 }] });
      } catch (thrown) {
        if (!(thrown instanceof MbusSyntaxError || thrown instanceof MbusApplicationError)) throw thrown;
        listener.onRejected('malformed');
      }
    },
  });
}

/** The frames of an M-Bus whose sum is correct. */
function checkedFrames(bytes: Buffer): Buffer[] {
  return Array.from(bytes.keys(), (at) => bytes.subarray(at, at + 6 + (bytes[at + 1] ?? 0))).filter(
    (frame) => {
      const [start, length = 0, again, second] = frame;
      const content = frame.subarray(4, -2);
      const sum = content.reduce((total, one) => total + one, 0) & 0xff;
      return (
        start === 0x68 &&
        again === length &&
        second === 0x68 &&
        content.length === length &&
        frame.at(-2) === sum
      );
    },
  );
}

/** Recorded telegrams that have a valid checksum. */
function validTexts(kind: string): Buffer[] {
  return recorded(kind).filter(
    (bytes) => parseAll((listener) => new TextParser(listener), bytes).telegrams[0]?.check === 'valid',
  );
}

const recorded = (kind: string) => recordedTelegrams(kind).map(({ hex }) => Buffer.from(hex, 'hex'));

const subjects: readonly Subject[] = [
  {
    name: 'SML',
    recordings: recorded('SML'),
    create: (listener) => new SmlParser(listener),
    limit: SML_TELEGRAM_LIMIT,
    // Two checksums must agree: this does not happen.
    checked: () => [],
  },
  ...['DSMR', 'D0'].map((name) => ({
    name,
    recordings: validTexts(name),
    create: (listener: TelegramListener) => new TextParser(listener),
    limit: TEXT_TELEGRAM_LIMIT,
    checked: checkedTexts,
  })),
  {
    name: 'M-Bus',
    recordings: recorded('MBUS').filter((bytes) => parseAll(createMbus, bytes).telegrams.length > 0),
    create: createMbus,
    limit: FRAME_LIMIT,
    checked: checkedFrames,
  },
];

/** What interference, a loose head or a hostile sender does to a telegram. */
function mutate(random: Random, telegram: Buffer, others: readonly Buffer[]): Buffer {
  const bytes = Buffer.from(telegram);
  const at = random.below(bytes.length);
  switch (random.below(7)) {
    case 0: {
      for (let count = 1 + random.below(4); count > 0; count--) {
        const place = random.below(bytes.length);
        bytes[place] = (bytes[place] ?? 0) ^ (1 << random.below(8));
      }
      return bytes;
    }
    case 1:
      return bytes.subarray(0, at);
    case 2:
      return Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + 1 + random.below(8))]);
    case 3:
      return Buffer.concat([bytes.subarray(0, at), random.bytes(random.below(30)), bytes.subarray(at)]);
    case 4:
      return Buffer.concat([bytes.subarray(0, at), random.pick(others)]);
    case 5:
      return Buffer.concat([bytes.subarray(0, at), bytes.subarray(0, at), bytes.subarray(at)]);
    default:
      return Buffer.concat([bytes.subarray(at), Buffer.alloc(random.below(40), random.below(256))]);
  }
}

const textOf = ({ records }: Telegram) => JSON.stringify(records);

for (const { name, recordings, create, limit, checked } of subjects) {
  const seed = fuzzSeed();
  t.test(`${name}: only telegrams of the meter are accepted (${seedLabel(seed)})`, (t) => {
    const random = new Random(seed);
    const found: string[] = [];
    const parser = create({
      onTelegram: (telegram) => {
        if (telegram.check === 'valid') found.push(textOf(telegram));
      },
      onRejected: () => undefined, // counted by the instance, not here
    });
    const valid = new Set<string>();
    for (const recording of recordings) {
      parser.push(recording);
      for (const text of found.splice(0)) valid.add(text);
    }
    t.equal(valid.size, recordings.length);
    const wrong: string[] = [];
    let recent = Buffer.alloc(0);
    for (let round = 0; round < ROUNDS; round++) {
      const bytes = mutate(random, random.pick(recordings), recordings);
      recent = Buffer.concat([recent.subarray(-limit), bytes]);
      parser.push(bytes);
      const unknown = found.splice(0).filter((text) => !valid.has(text));
      if (unknown.length === 0) continue;
      const genuine = checked(recent).flatMap((part) => parseAll(create, part).telegrams.map(textOf));
      wrong.push(...unknown.filter((text) => !genuine.includes(text)));
    }
    t.strictSame(wrong, []);
    // Whatever preceded, a telegram is read after at most one that was swallowed.
    parser.push(Buffer.alloc(limit + 1));
    for (const recording of recordings) {
      parser.push(recording);
      parser.push(recording);
      t.ok(found.splice(0).length > 0, 'the next telegram is read');
    }
    t.end();
  });

  t.test(`${name}: random bytes are no telegram (${seedLabel(seed)})`, (t) => {
    const random = new Random(seed);
    let count = 0;
    const parser = create({
      onTelegram: ({ check }) => (count += Number(check === 'valid')),
      onRejected: () => undefined, // counted by the instance, not here
    });
    for (let round = 0; round < ROUNDS / 10; round++) parser.push(random.bytes(random.below(600)));
    t.equal(count, 0);
    t.end();
  });
}
