import type { Random } from '../../tools/random.js';
import { randomJson, randomText, corrupt } from './json.js';

/** Requests that are invalid in their entirety. */
const WHOLES = [
  '',
  ' ',
  '[]',
  '{}',
  'null',
  '1',
  '"x"',
  '[[]]',
  '[1,2,3]',
  '{"jsonrpc":"2.0"}',
  '[{}]',
  '//',
  'NaN',
];

/** The deepest nesting: enough to overflow the stack of a recursive parser or checker. */
const DEEP = 50_000;

/**
 * The body of a POST to the API: a call or a batch, valid, unusual or malformed. `methods` are the functions
 * to call.
 */
export function randomBody(random: Random, methods: readonly string[]): Buffer {
  if (random.chance(0.05)) return Buffer.from(random.pick(WHOLES));
  if (random.chance(0.02)) return Buffer.from(deep(random, methods));
  const text = random.chance(0.2)
    ? `[${random.some(20, () => randomRequest(random, methods)).join()}]`
    : randomRequest(random, methods);
  return random.chance(0.25) ? corrupt(random, text) : Buffer.from(text);
}

/** One request object; most of its members are valid. */
export function randomRequest(random: Random, methods: readonly string[]): string {
  const members: string[] = [];
  const usually = (name: string, make: () => string) => {
    if (random.chance(0.04)) return;
    members.push(`"${name}":${random.chance(0.06) ? randomJson(random, 2) : make()}`);
    if (random.chance(0.02)) members.push(`"${name}":${randomJson(random, 1)}`);
  };
  usually('jsonrpc', () => '"2.0"');
  if (!random.chance(0.1))
    usually('id', () => random.pick(['1', '"1"', 'null', '0', '"h"', '1.5', '-7', '1e20']));
  usually('method', () => JSON.stringify(random.chance(0.9) ? random.pick(methods) : randomText(random)));
  usually('params', () => anyParams(random));
  if (random.chance(0.1)) members.push(`${JSON.stringify(randomText(random))}:${randomJson(random, 2)}`);
  if (random.chance(0.1)) members.reverse();
  return `{${members.join()}}`;
}

/** Parameters: mostly a list, of the length that many functions have; sometimes by name. */
function anyParams(random: Random): string {
  if (random.chance(0.15)) {
    const names = random.some(4, () =>
      random.pick(['VariableID', 'ID', 'Value', 'InstanceID', randomText(random)]),
    );
    return `{${names.map((name) => `${JSON.stringify(name)}:${randomJson(random, 2)}`).join()}}`;
  }
  return `[${random.some(5, () => randomJson(random, random.below(4))).join()}]`;
}

function deep(random: Random, methods: readonly string[]): string {
  const [open, close] = random.pick([
    ['[', ']'],
    ['{"a":', '}'],
  ] as const);
  const nest = `${open.repeat(DEEP)}1${random.chance(0.7) ? close.repeat(DEEP) : ''}`;
  const method = JSON.stringify(random.pick(methods));
  return random.pick([nest, `{"jsonrpc":"2.0","id":1,"method":${method},"params":${nest}}`]);
}
