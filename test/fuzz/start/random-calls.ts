import type { Gateway } from '../../../src/composition/gateway.js';
import type { FunctionDeclaration, Parameter } from '../../../src/device/declare.js';
import { objectType } from '../../../src/kernel/object.js';
import type { Random } from '../../tools/random.js';
import { callAsOwner } from './sample-gateway.js';

/** Functions that change something; none that stops the gateway, waits, or reaches outside the machine. */
const CHANGES =
  /^(SVC_(Set|Create|Delete|Connect|Disconnect|Apply|Reset|Enable|Disable|Copy|Hide)|AC_(Set|Add|Delete|Change)|WFC_(Set|Add|Delete)|LC_Set|GW_(Set|Simulate|Create)|HW_Write|RequestAction|SetValue)/;
const NOT = /Password|Kernel|Remote|Flood|Time$/;
/** A call may wait for hardware that does not reply; the round continues. */
const PATIENCE_MS = 50;

const words = [
  '',
  'x',
  'STATUS',
  'STATE',
  'LINK',
  'VALUE',
  'TEMPERATURE',
  '~Wat',
  '~Switch',
  '~Temperature',
  'Mine',
  'values/mode',
  'lines/relay',
  'RELAY1',
  'BUTTON3',
  '[]',
  '{}',
  'null',
  '\u0000',
  'ü€😀"\\\n',
  '../../etc/passwd',
  'a'.repeat(300),
];
const numbers = [-1, 0, 1, 2, 3, 7, 100, 65_535, 2 ** 31, -(2 ** 31), 2 ** 53 - 1, 0.5, -0.001, 1e300];

/** A value, mostly not of the expected type. */
export function randomValue(random: Random, depth = 0): unknown {
  const kind = random.below(depth > 2 ? 4 : 6);
  if (kind === 0) return random.pick(numbers);
  if (kind === 1) return random.chance(0.5);
  if (kind === 2) return random.chance(0.2) ? null : random.pick(words);
  if (kind === 3) return random.pick(words);
  if (kind === 4) return random.some(4, () => randomValue(random, depth + 1));
  const names = ['Ident', 'Type', 'Profile', 'Pattern', 'StateTopic', 'Send', 'Name', 'constructor'];
  return Object.fromEntries(random.some(5, () => [random.pick(names), randomValue(random, depth + 1)]));
}

/** A row of a list of variables, valid or nearly. */
function someRow(random: Random): Record<string, unknown> {
  return {
    Ident: random.pick(['POWER', 'TEXT', 'STATE', 'STATUS', 'LINK', 'TEMPERATURE', 'NEW', 'a b']),
    Type: random.pick(['boolean', 'integer', 'float', 'string', 'boolean', 'other']),
    ...(random.chance(0.6) && { Profile: random.pick(['~Wat', 'Mine', '~Switch', '~Volt', '~String', '']) }),
  };
}

/** A value for a property: near the one that it has. */
export function randomPropertyValue(random: Random, name: string, value: unknown): unknown {
  if (/^(Host|Url|BindIP|Bus|Port|BindPort|.*Host)$/.test(name))
    return random.pick(['127.0.0.1', '', 0, 1, true, '/dev/nothing', 'mqtt://127.0.0.1:1', 'wat://']);
  if (Array.isArray(value) && random.chance(0.7)) {
    const extra = { Pattern: '^(.)$', StateTopic: 'a/b', Send: '{value}', CommandTopic: 'c' };
    const keys = Object.keys(extra).filter(() => random.chance(0.5));
    const row = () => ({
      ...someRow(random),
      ...Object.fromEntries(keys.map((key) => [key, extra[key as keyof typeof extra]])),
    });
    const kept = (value as unknown[]).filter(() => random.chance(0.7)) as Record<string, unknown>[];
    return [
      ...kept.map((one) => (random.chance(0.5) ? { ...one, ...someRow(random) } : one)),
      ...random.some(3, row),
    ];
  }
  if (name === 'Profile') return random.pick(['~Wat', 'Mine', '~Switch', '~Volt', '']);
  if (typeof value === 'number' && random.chance(0.7)) return random.pick(numbers);
  if (typeof value === 'boolean' && random.chance(0.7)) return !value;
  return randomValue(random);
}

/** Makes random calls: valid and invalid ones, and properties of all kinds. Returns the calls. */
export async function randomCalls(gateway: Gateway, random: Random, count: number): Promise<string[]> {
  const functions = gateway.registry
    .all()
    .filter(({ name, audited }) => audited !== false && CHANGES.test(name) && !NOT.test(name));
  const made: string[] = [];
  for (let n = 0; n < count; n++) {
    const [name, params] = random.chance(0.4)
      ? propertyCall(gateway, random)
      : anyCall(gateway, random, random.pick(functions));
    made.push(`${name}(${JSON.stringify(params).slice(1, -1).slice(0, 300)})`);
    const result = callAsOwner(gateway, name, ...params);
    await Promise.race([result, new Promise((resolve) => setTimeout(resolve, PATIENCE_MS))]);
    if (name === 'SVC_SetProperty' || name === 'SVC_SetConfiguration')
      await Promise.race([
        callAsOwner(gateway, 'SVC_ApplyChanges', params[0]),
        new Promise((resolve) => setTimeout(resolve, PATIENCE_MS)),
      ]);
  }
  return made;
}

type Call = readonly [name: string, params: readonly unknown[]];

function propertyCall(gateway: Gateway, random: Random): Call {
  const instances = [...gateway.kernel.tree.objectsOfType(objectType.instance)];
  const { id, data } = random.pick(instances);
  const all = Object.entries(data.properties);
  if (all.length === 0) return ['SVC_ApplyChanges', [id]];
  const changed = () => {
    const [name, value] = random.pick(all);
    return [name, randomPropertyValue(random, name, value)] as const;
  };
  if (random.chance(0.2))
    return ['SVC_SetConfiguration', [id, JSON.stringify(Object.fromEntries([changed(), changed()]))]];
  const [name, value] = changed();
  return ['SVC_SetProperty', [id, name, typeof value === 'object' ? JSON.stringify(value) : value]];
}

function anyCall(gateway: Gateway, random: Random, { name, parameters }: FunctionDeclaration): Call {
  const ids = [...gateway.kernel.tree.all()].map(({ id }) => id);
  return [name, parameters.map((one) => someParameter(random, ids, one))];
}

function someParameter(
  random: Random,
  ids: readonly number[],
  { name, kind, enumeration }: Parameter,
): unknown {
  if (random.chance(0.05)) return randomValue(random);
  switch (kind) {
    case 'boolean':
      return random.chance(0.5);
    case 'integer':
      if (enumeration !== undefined) return random.below(enumeration.length);
      return name.endsWith('ID') && random.chance(0.9)
        ? random.pick(ids)
        : random.pick(numbers.filter(Number.isInteger));
    case 'float':
      return random.pick(numbers);
    case 'string':
      if (/Module/.test(name))
        return random.pick(['GPIO Output', 'MQTT Device', 'Virtual I/O', 'Relay', 'Wat']);
      return random.pick(words);
    case 'array':
      return random.chance(0.5) ? random.some(4, () => random.pick(ids)) : randomValue(random, 1);
    default:
      return randomValue(random);
  }
}
