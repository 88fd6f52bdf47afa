import { createRequire } from 'node:module';
import t from 'tap';
import { nativeFile } from '../../../src/base/package-root.js';
import type { GpioAddon } from '../../../drivers/gpio/backends/cdev.js';

const addon = createRequire(import.meta.url)(nativeFile('gpio.node')) as GpioAddon;

// The compiler rejects a member that the interface does not declare, and a missing one.
const members: Record<keyof GpioAddon, 'object' | 'function'> = {
  flags: 'object',
  chip: 'function',
  lines: 'function',
  Request: 'function',
  KeeperSocket: 'function',
};
const flags: Record<keyof GpioAddon['flags'], 'number'> = {
  used: 'number',
  activeLow: 'number',
  input: 'number',
  output: 'number',
  rising: 'number',
  falling: 'number',
  openDrain: 'number',
  openSource: 'number',
  pullUp: 'number',
  pullDown: 'number',
  biasDisabled: 'number',
};
const requestMethods: Record<keyof InstanceType<GpioAddon['Request']>, 'function'> = {
  get: 'function',
  set: 'function',
  configure: 'function',
  watch: 'function',
  pause: 'function',
  close: 'function',
};
const keeperMethods: Record<keyof InstanceType<GpioAddon['KeeperSocket']>, 'function'> = {
  send: 'function',
  receive: 'function',
  close: 'function',
};

/** The types of an object's own members, without the constructor of a class. */
function typesOf(object: object): Record<string, string> {
  const names = Object.getOwnPropertyNames(object).filter((name) => name !== 'constructor');
  return Object.fromEntries(names.map((name) => [name, typeof Reflect.get(object, name)]));
}

t.test('the addon has the members of its TypeScript interface, and no others', async (t) => {
  t.strictSame(typesOf(addon), members);
  t.strictSame(typesOf(addon.flags), flags);
  t.strictSame(typesOf(addon.Request.prototype as object), requestMethods);
  t.strictSame(typesOf(addon.KeeperSocket.prototype as object), keeperMethods);
});

t.test('every flag is a bit of its own', async (t) => {
  const bits = Object.values(addon.flags);
  t.ok(bits.every((bit) => bit > 0 && Number.isInteger(Math.log2(bit))));
  t.equal(new Set(bits).size, bits.length);
});

// A function of Node-API has no arity (its `length` is 0), so that it can only be called without parameters.
t.test('functions and constructors reject missing parameters', async (t) => {
  for (const name of ['chip', 'lines'] as const)
    t.throws(() => Reflect.apply(addon[name], undefined, []) as unknown, TypeError, name);
  for (const name of ['Request', 'KeeperSocket'] as const)
    t.throws(() => Reflect.construct(addon[name], []) as unknown, TypeError, name);
});
