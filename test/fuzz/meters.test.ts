import t from 'tap';
import { SmlParser } from '../../drivers/meter/sml/sml-parser.js';
import { SML_TELEGRAM_LIMIT } from '../../drivers/meter/sml/transport.js';
import type { Telegram, TelegramListener, TelegramParser } from '../../drivers/meter/telegram.js';
import { recordedTelegrams } from '../tools/meters/recorded-telegrams.js';
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
}

const recorded = (kind: string) => recordedTelegrams(kind).map(({ hex }) => Buffer.from(hex, 'hex'));

const subjects: readonly Subject[] = [
  {
    name: 'SML',
    recordings: recorded('SML'),
    create: (listener) => new SmlParser(listener),
    limit: SML_TELEGRAM_LIMIT,
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

for (const { name, recordings, create, limit } of subjects) {
  const seed = fuzzSeed();
  t.test(`${name}: only telegrams of the meter are accepted (${seedLabel(seed)})`, (t) => {
    const random = new Random(seed);
    const found: string[] = [];
    const parser = create({
      onTelegram: (telegram) => found.push(textOf(telegram)),
      onRejected: () => undefined, // counted by the instance, not here
    });
    const valid = new Set<string>();
    for (const recording of recordings) {
      parser.push(recording);
      for (const text of found.splice(0)) valid.add(text);
    }
    t.equal(valid.size, recordings.length);
    const wrong: string[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      parser.push(mutate(random, random.pick(recordings), recordings));
      for (const text of found.splice(0)) if (!valid.has(text)) wrong.push(text);
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
      onTelegram: () => (count += 1),
      onRejected: () => undefined, // counted by the instance, not here
    });
    for (let round = 0; round < ROUNDS / 10; round++) parser.push(random.bytes(random.below(600)));
    t.equal(count, 0);
    t.end();
  });
}
