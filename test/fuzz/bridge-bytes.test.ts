/**
 * What bridges read and write, from random inputs: payloads of Sparkplug, commands, and lines of the line protocol.
 * Nightly: `ROUNDS=1000000 node dist/test/fuzz/bridge-bytes.test.js`.
 */
import { isDeepStrictEqual } from 'node:util';
import t from 'tap';
import { parseCommand } from '../../drivers/bridge/json/json-payload.js';
import { encodeLine } from '../../drivers/bridge/lines/line-protocol.js';
import type { Entry } from '../../drivers/bridge/queue/entry.js';
import {
  decodePayload,
  encodePayload,
  type Metric,
  type MetricValue,
} from '../../drivers/bridge/sparkplug/payload.js';
import { variableType } from '../../src/device/module.js';
import { parseLine } from '../tools/bridge/line-parser.js';
import { fuzzSeed, Random, seedLabel } from '../tools/random.js';

const ROUNDS = Number(process.env['ROUNDS'] ?? 5000);
const options = { timeout: 60_000 + ROUNDS };
const seed = fuzzSeed();

const CHARACTERS = [
  'a',
  'Z',
  '0',
  ' ',
  ',',
  '=',
  '"',
  '\\',
  '\n',
  '\r',
  '#',
  '/',
  'ä',
  '€',
  '😀',
  '\t',
  '\0',
];

function textOf(random: Random, limit: number): string {
  return random.some(limit, () => random.pick(CHARACTERS)).join('');
}

function metricValue(random: Random): MetricValue {
  const float = random.bytes(8).readDoubleLE();
  switch (random.below(6)) {
    case 0:
      return { kind: 'int', value: random.bytes(4).readInt32LE() };
    case 1:
      return { kind: 'long', value: random.bytes(8).readBigInt64LE() };
    case 2:
      return { kind: 'float', value: Math.fround(random.next() * 1e6) };
    case 3:
      return { kind: 'double', value: Number.isNaN(float) ? 0 : float };
    case 4:
      return { kind: 'boolean', value: random.chance(0.5) };
    default:
      return { kind: 'string', value: textOf(random, 20) };
  }
}

function metricOf(random: Random): Metric {
  const integer = () => Math.floor(random.next() * 2 ** random.below(53));
  return {
    ...(random.chance(0.5) && { name: textOf(random, 12) }),
    ...(random.chance(0.5) && { alias: integer() }),
    ...(random.chance(0.5) && { timestamp: integer() }),
    ...(random.chance(0.5) && { dataType: random.below(40) }),
    ...(random.chance(0.2) && { isHistorical: true }),
    ...(random.chance(0.2) && { isNull: true }),
    ...(random.chance(0.3) && { quality: random.pick([0, 192, 500]) }),
    ...(random.chance(0.8) && { value: metricValue(random) }),
  };
}

t.test(`what is encoded for Sparkplug is decoded (${seedLabel(seed)})`, options, async (t) => {
  const random = new Random(seed);
  for (let round = 0; round < ROUNDS; round++) {
    const payload = {
      ...(random.chance(0.9) && { timestamp: random.below(2 ** 31) }),
      ...(random.chance(0.9) && { seq: random.below(256) }),
      metrics: random.some(6, () => metricOf(random)),
    };
    const decoded = decodePayload(encodePayload(payload));
    if (!isDeepStrictEqual(decoded, payload)) t.strictSame(decoded, payload, `round ${round}`);
  }
  t.pass('all payloads');
});

t.test(`hostile Sparkplug bytes are a payload or none (${seedLabel(seed)})`, options, async (t) => {
  const random = new Random(seed + 1);
  for (let round = 0; round < ROUNDS; round++) {
    const bytes = random.chance(0.3)
      ? random.bytes(random.below(60))
      : encodePayload({ timestamp: 1, seq: 1, metrics: random.some(4, () => metricOf(random)) });
    for (let flips = random.below(5); flips > 0 && bytes.length > 0; flips--)
      bytes[random.below(bytes.length)] = random.below(256);
    const decoded = decodePayload(bytes.subarray(0, random.below(bytes.length + 1)));
    if (decoded === undefined) continue;
    // What was understood can be written, and is understood again.
    const again = decodePayload(encodePayload(decoded));
    if (again?.metrics.length !== decoded.metrics.length) t.fail(`round ${round}: ${bytes.toString('hex')}`);
  }
  t.pass('all bytes');
});

t.test(`hostile commands are a command or none (${seedLabel(seed)})`, options, async (t) => {
  const random = new Random(seed + 2);
  const parts = [
    '{',
    '}',
    '"value":',
    '"id":',
    '"response":',
    'null',
    '1e999',
    '"x"',
    ',',
    '[',
    ']',
    '{}',
    '7',
  ];
  for (let round = 0; round < ROUNDS; round++) {
    const text = random.some(10, () => random.pick(parts)).join('');
    const command = parseCommand(Buffer.from(text));
    if (command === undefined) continue;
    const { id, response } = command;
    const isId = id === undefined || typeof id === 'number' || typeof id === 'string';
    if (!isId || (response !== undefined && typeof response !== 'string')) t.fail(`round ${round}: ${text}`);
  }
  t.pass('all commands');
});

/** A database sees these as one line, and ends a name before a backslash. */
const normalized = (text: string): string => text.replace(/[\r\n]+/g, ' ').replace(/\\+$/, '');

t.test(`a database reads the lines that are written (${seedLabel(seed)})`, options, async (t) => {
  const random = new Random(seed + 3);
  for (let round = 0; round < ROUNDS; round++) {
    const value = random.pick([undefined, random.chance(0.5), random.next() * 1e12, textOf(random, 20)]);
    const entry: Entry = {
      seq: 1 + random.below(2 ** 31),
      path: `hall/${textOf(random, 8)}`,
      type: variableType.float,
      value,
      quality: random.pick([0, 1, 2] as const),
      reason: '',
      atMs: random.below(2 ** 31) * 1000,
    };
    const measurement = `${random.pick(['', '#', ' '])}${textOf(random, 8)}`;
    const tags = random.some(4, () => ({ Name: textOf(random, 5), Value: textOf(random, 5) }));
    const line = encodeLine(entry, measurement, tags);
    try {
      const parsed = parseLine(line);
      const isSame =
        parsed.tags.get('path') === normalized(entry.path) &&
        parsed.fields.get('quality') === `${entry.quality}i` &&
        (typeof value !== 'string' || parsed.fields.get('text') === value.replace(/[\r\n]+/g, ' ')) &&
        (typeof value !== 'number' || Number(parsed.fields.get('value')) === value) &&
        parsed.time.length >= 7;
      if (!isSame) t.fail(`round ${round}: ${JSON.stringify(line)}`);
    } catch (thrown) {
      t.fail(`round ${round}: ${JSON.stringify(line)}: ${String(thrown)}`);
    }
  }
  t.pass('all lines');
});
