import type { Random } from '../../tools/random.js';
import { randomJson, randomText, corrupt } from './json.js';

/** Values with a meaning in YAML, or for a careless parser. */
const VALUES = [
  '',
  '~',
  'null',
  'yes',
  'no',
  'on',
  '0x1F',
  '0o17',
  '1e3',
  '.inf',
  '.nan',
  '-1',
  '65536',
  '99999999999999999999',
  '2024-01-01',
  '[]',
  '{}',
  '[ [ [ ] ] ]',
  '!!binary aGk=',
  '!!js/function "function(){}"',
  '!!python/object/apply:os.system [ls]',
  '!x y',
  '&a [*a]',
  '*missing',
  '<<: *a',
  '"unfinished',
  "'it''s'",
  '|',
  '>-',
  '@x',
  '`x`',
  '%x',
  '? x',
  '- - -',
  '# only a comment',
] as const;

/** Known and unknown keys. */
const KEYS = [
  'board',
  'api',
  'port',
  'tree',
  'webServers',
  'password',
  '__proto__',
  'constructor',
  'x',
  '<<',
  '? [a]',
];

/** The "billion laughs": small text that expands exponentially. */
const LAUGHS = [
  'a: &a [x,x,x,x,x,x,x,x,x]',
  ...Array.from('bcdefghi', (name, n) => `${name}: &${name} [${Array(9).fill(`*${'abcdefgh'[n]}`).join()}]`),
].join('\n');

/** A configuration: `valid` with some of its lines changed, repeated or removed; rarely, hostile YAML instead. */
export function randomYaml(random: Random, valid: string): Buffer {
  if (random.chance(0.01)) return Buffer.from(LAUGHS);
  if (random.chance(0.01)) return Buffer.from(random.pick(['[', '{a: ', '- ']).repeat(20_000));
  const lines = valid.split('\n');
  for (let change = random.below(4); change >= 0; change--) changeLine(random, lines);
  const text = lines.join('\n');
  return random.chance(0.15) ? corrupt(random, text) : Buffer.from(text);
}

function changeLine(random: Random, lines: string[]): void {
  const at = random.below(lines.length);
  const line = lines[at] ?? '';
  const value = () =>
    random.chance(0.7)
      ? random.pick(VALUES)
      : random.chance(0.5)
        ? randomJson(random, 2)
        : randomText(random);
  switch (random.below(8)) {
    case 0:
      lines.splice(at, 1);
      break;
    case 1:
      lines.splice(at, 0, line);
      break;
    case 2:
      lines[at] = random.pick([' ', '  ', '\t', '    ']) + line;
      break;
    case 3:
      lines[at] = line.trimStart();
      break;
    case 4:
      lines.splice(at, 0, `${/^\s*/.exec(line)?.[0] ?? ''}${random.pick(KEYS)}: ${value()}`);
      break;
    case 5:
      lines[at] = line.replace(/: [^{[,}\]]+/, () => `: ${value()}`);
      break;
    case 6:
      lines[at] = line.replace(/\w+:/, () => `${random.pick(KEYS)}:`);
      break;
    default:
      lines[at] = line.slice(0, random.below(line.length + 1));
  }
}
