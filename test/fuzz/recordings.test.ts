import t from 'tap';
import { hideSecrets } from '../../src/recording/hide-secrets.js';
import { parseRecording, transferLine } from '../../src/recording/entry-format.js';
import { received } from '../tools/recording/transfers.js';
import { fuzzSeed, Random, seedLabel } from '../tools/random.js';

/** Inputs per test; nightly: `ROUNDS=1000000 node dist/test/run.js fuzz/recordings`. */
const ROUNDS = Number(process.env['ROUNDS'] ?? 3000);

const SEED = fuzzSeed();
const SECRET = 'c0rrect-horse';
const NAMES = [
  'password',
  'Wifi_Password2',
  'apiKey',
  'networkKey',
  'access-token',
  'pass',
  'PIN',
  'clientSecret',
];
const PLAIN = ['state', 'power', 'ssid', 'code_format', 'pinion', 'keys', ''];

/** JSON with the secret below names of secrets, and texts elsewhere. */
function document(random: Random, depth: number): unknown {
  const kind = depth > 4 ? 0 : random.below(4);
  if (kind === 0) return random.pick<unknown>([1.5, null, true, 'on', '', '"}', '\u2028\u0000']);
  if (kind === 1) return Array.from({ length: random.below(4) }, () => document(random, depth + 1));
  const entries = Array.from({ length: random.below(5) }, (): [string, unknown] => {
    if (random.below(3) > 0) return [random.pick(PLAIN), document(random, depth + 1)];
    return [random.pick(NAMES), random.pick<unknown>([SECRET, [SECRET, 1], { a: { b: SECRET } }])];
  });
  return Object.fromEntries(entries);
}

t.test(`no secret of a JSON payload is left (${seedLabel(SEED)})`, async (t) => {
  const random = new Random(SEED);
  for (let round = 0; round < ROUNDS; round++) {
    const text = JSON.stringify(document(random, 0), null, random.below(2));
    const shown = hideSecrets({ topic: 'a/b', payload: Buffer.from(text) }, []).payload.toString();
    // A document that is only a text has no name.
    if (shown.includes(SECRET)) t.fail(text);
    if (!text.includes(SECRET) && shown !== text) t.fail(`${text} became ${shown}`);
  }
  t.pass();
});

t.test(`a named value of a text is never left, and no bytes are an error (${seedLabel(SEED)})`, async (t) => {
  const random = new Random(SEED);
  for (let round = 0; round < ROUNDS; round++) {
    const noise = Buffer.from(Array.from({ length: random.below(40) }, () => random.below(256)));
    const separator = random.pick([' ', ': ', '=', '": "', ' = ', ':']);
    const text = `${random.pick(['', 'x;', '{'])}${random.pick(['password', 'Password1', 'token', 'API_KEY'])}${separator}${SECRET}`;
    const bytes = Buffer.concat([Buffer.from(text), random.below(2) === 0 ? noise : Buffer.alloc(0)]);
    const shown = hideSecrets({ topic: 'a/b', payload: bytes }, []).payload;
    if (shown.includes(SECRET)) t.fail(JSON.stringify(text));
    hideSecrets({ topic: noise.toString('latin1'), payload: noise }, [SECRET]);
  }
  t.pass();
});

t.test(`a damaged recording is read, or its error names a line (${seedLabel(SEED)})`, async (t) => {
  const random = new Random(SEED);
  const complete = `{"recording":1,"traffic":"mqtt"}\n${['a', 'b/c', 'd']
    .map((topic, ms) => transferLine(received(ms, topic, '{"state":"ON"}')))
    .join('')}`;
  for (let round = 0; round < ROUNDS; round++) {
    const bytes = Buffer.from(complete);
    for (let count = random.below(4); count >= 0; count--)
      bytes[random.below(bytes.length)] = random.below(256);
    const damaged = bytes.toString().slice(0, random.below(2) === 0 ? undefined : random.below(bytes.length));
    try {
      for (const entry of parseRecording(damaged).entries) if (!(entry.ms >= 0)) t.fail(damaged);
    } catch (thrown) {
      if (!/^\d+: /.test(String((thrown as Error).message))) t.fail(`${damaged}: ${String(thrown)}`);
    }
  }
  t.pass();
});
