import type { Random } from '../../tools/random.js';

/** Numbers at the limits of JSON, doubles, ids and counters; as text, because JSON.parse would round some. */
const NUMBERS = [
  '0',
  '-0',
  '1',
  '-1',
  '3.0',
  '0.5',
  '-2.5',
  '1e3',
  '1e400',
  '-1e400',
  '5e-324',
  '9007199254740991',
  '9007199254740993',
  '-9223372036854775808',
  '18446744073709551616',
  '2147483648',
  '4294967296',
  '9999',
  '10000',
  '59999',
  '60000',
  '0.1000000000000000055511151231257827',
] as const;

/** Texts that could be interpreted as something else. */
const TEXTS = [
  '',
  ' ',
  '0',
  '3.0',
  'true',
  'null',
  'NaN',
  'Infinity',
  '1e999',
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  '../../etc/passwd',
  '..\\..',
  '/dev/null',
  '%00',
  '%2e%2e%2f',
  "'; DROP TABLE objects; --",
  '<script>alert(1)</script>',
  '${7*7}',
  '{{7*7}}',
  '\u0000',
  '\u001b[2J',
  '\r\nX-Injected: 1',
  '\ud800',
  '\u202e',
  '🦉',
  '~Switch',
  '***',
] as const;

/** A text: one of the unusual ones, a long one, or random characters. */
export function randomText(random: Random): string {
  if (random.chance(0.6)) return random.pick(TEXTS);
  if (random.chance(0.05)) return random.pick(['a', 'ä', '\\', '"', '\u0001']).repeat(random.below(200_000));
  return String.fromCharCode(...random.some(12, () => random.below(random.chance(0.5) ? 128 : 65_536)));
}

/** The text of a JSON value of any kind, nested at most `depth` deep. */
export function randomJson(random: Random, depth = 4): string {
  switch (random.below(depth > 0 ? 8 : 6)) {
    case 0:
      return random.pick(['null', 'true', 'false']);
    case 1:
    case 2:
      return random.pick(NUMBERS);
    case 3:
      return String(random.below(70_000));
    case 4:
    case 5:
      return JSON.stringify(randomText(random));
    case 6:
      return `[${random.some(5, () => randomJson(random, depth - 1)).join()}]`;
    default:
      return `{${random.some(5, () => `${JSON.stringify(randomText(random))}:${randomJson(random, depth - 1)}`).join()}}`;
  }
}

/** The bytes of a text after a random corruption; a few are unchanged or still valid. */
export function corrupt(random: Random, text: string): Buffer {
  const bytes = Buffer.from(text);
  const at = random.below(bytes.length + 1);
  switch (random.below(8)) {
    case 0:
      return bytes.subarray(0, at);
    case 1:
      return Buffer.concat([bytes.subarray(0, at), random.bytes(1 + random.below(4)), bytes.subarray(at)]);
    case 2:
      bytes[at] = random.below(256);
      return bytes;
    case 3:
      return Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), bytes]);
    case 4:
      return Buffer.concat([bytes, bytes]);
    case 5:
      return Buffer.from(text, 'utf16le');
    case 6:
      return Buffer.concat([Buffer.from(' \t\r\n'.repeat(random.below(50))), bytes, Buffer.from('\n')]);
    default:
      return Buffer.concat([
        bytes.subarray(0, at),
        bytes.subarray(Math.min(bytes.length, at + random.below(8))),
      ]);
  }
}
