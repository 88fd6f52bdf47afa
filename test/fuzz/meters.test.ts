import t from 'tap';
import { SmlParser } from '../../drivers/meter/sml/sml-parser.js';
import { SML_TELEGRAM_LIMIT } from '../../drivers/meter/sml/transport.js';
import { TEXT_TELEGRAM_LIMIT, TextParser } from '../../drivers/meter/text/text-parser.js';
import type { Telegram, TelegramListener, TelegramParser } from '../../drivers/meter/telegram.js';
import { parseAll, recordedTelegrams } from '../tools/meters/recorded-telegrams.js';
import { fuzzSeed, Random, seedLabel } from '../tools/random.js';

/** Mutated telegrams per protocol; nightly: `ROUNDS=1000000 node dist/test/fuzz/meters.test.js`. */
const ROUNDS = Number(process.env['ROUNDS'] ?? 3000);

/** A protocol with recorded telegrams that its parser accepts. */
interface Subject {
  readonly name: string;
  readonly recordings: readonly Buffer[];
  readonly create: (listener: TelegramListener) => TelegramParser;
  /** More bytes than the longest telegram: after them the parser has forgotten what preceded. */
  readonly limit: number;
  /**
   * Whether bytes contain a telegram with a correct checksum that no meter has sent: one of 65,536 mutated
   * telegrams has.
   */
  isGenuine(bytes: Buffer): boolean;
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

/** Whether there is a text telegram whose CRC or block check is correct. */
function hasGenuineText(bytes: Buffer): boolean {
  const plain = bytes.map((byte) => (byte < 0x80 ? byte : byte & 0x7f));
  const text = Buffer.from(plain).toString('latin1');
  for (let start = text.indexOf('/'); start !== -1; start = text.indexOf('/', start + 1)) {
    const end = text.indexOf('!', start);
    if (end === -1) return false;
    const sent = /^!([0-9A-Fa-f]{1,4})\r*\n/.exec(text.slice(end, end + 10))?.[1];
    if (sent !== undefined && Number.parseInt(sent, 16) === crc(plain.subarray(start, end + 1))) return true;
    const stx = text.indexOf('\x02', start);
    const etx = text.indexOf('\x03', end);
    if (stx === -1 || etx === -1) continue;
    const check = plain.subarray(stx + 1, etx + 1).reduce((sum, byte) => sum ^ byte, 0);
    if (check === plain[etx + 1]) return true;
  }
  return false;
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
    isGenuine: () => false,
  },
  ...['DSMR', 'D0'].map((name) => ({
    name,
    recordings: validTexts(name),
    create: (listener: TelegramListener) => new TextParser(listener),
    limit: TEXT_TELEGRAM_LIMIT,
    isGenuine: hasGenuineText,
  })),
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

for (const { name, recordings, create, limit, isGenuine } of subjects) {
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
      if (unknown.length > 0 && !isGenuine(recent)) wrong.push(...unknown);
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
