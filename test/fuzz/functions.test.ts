import t from 'tap';
import { Fault } from '../../src/base/fault.js';
import type { FunctionDeclaration, Parameter } from '../../src/device/declare.js';
import type { Kernel } from '../../src/kernel/kernel.js';
import { schemaViolation, completeResult } from '../tools/client/result-schema.js';
import { anonymousCaller, bus, FunctionFixture, lamp, owner } from '../tools/gateway/function-fixture.js';
import { Random, fuzzSeed, seedLabel } from '../tools/random.js';
import { Replica, snapshotOf, type Frame } from '../tools/client/replica.js';
import { randomJson, randomText } from './inputs/json.js';

/** Bounds the suite: about 3 s. */
const CALLS = 15_000;
/** Number of calls after which the state of a client is compared with the tree. */
const CHUNK = 500;
/** Limit of objects in the tree, above which none is created. */
const CROWD = 400;

const seed = fuzzSeed();

/** Counters that increase with every change of the configuration and every message. */
const stateOf = ({ journal, changes }: Kernel) => [journal.version, changes.counter] as const;
const isSame = (a: readonly number[], b: readonly number[]) => a.every((number, at) => number === b[at]);

await t.test(
  `every call succeeds, or is rejected and has changed nothing (${seedLabel(seed)})`,
  async (t) => {
    const random = new Random(seed);
    await using fixture = new FunctionFixture();
    const { kernel, registry } = fixture;
    for (let type = 0; type <= 3; type++) await fixture.call('SVC_CreateVariable', type);
    for (const { id } of [bus, lamp]) await fixture.call('SVC_CreateInstance', id);
    const declarations = registry.all();
    const replica = new Replica(snapshotOf(kernel));
    const results = { taken: 0, refused: 0 };
    const waiting: Promise<void>[] = [];
    let seen = kernel.changes.counter;
    for (let n = 1; n <= CALLS; n++) {
      const declaration = random.pick(declarations);
      if (declaration.name.startsWith('SVC_Create') && [...kernel.tree.all()].length > CROWD) continue;
      const params = someByName(
        random,
        declaration,
        JSON.parse(paramsOf(random, declaration, kernel)) as unknown[],
      );
      const messages = `${declaration.name}(${JSON.stringify(params).slice(0, 200)})`;
      const before = stateOf(kernel);
      let reply: unknown;
      try {
        reply = registry.call(declaration.name, params, owner);
      } catch (thrown) {
        reply = Promise.reject(thrown as Error);
        if (!isSame(stateOf(kernel), before)) t.fail(`${messages} was rejected and changed something`);
      }
      waiting.push(
        completeResult(reply).then(
          (result) => {
            const difference = n % 4 === 0 ? schemaViolation(declaration, result) : undefined;
            if (difference !== undefined) t.fail(difference);
            results.taken++;
          },
          (thrown: unknown) => {
            results.refused++;
            if (!(thrown instanceof Fault)) t.fail(`${messages} threw ${String(thrown)}`);
            else if (thrown.code === 'INTERNAL') t.fail(`${messages} threw ${(thrown.cause as Error).stack}`);
          },
        ),
      );
      // Calls overlap with earlier ones that have no reply yet.
      if (n % CHUNK === 0 || random.chance(0.3)) await Promise.all(waiting.splice(0));
      if (n % CHUNK === 0) {
        for (const { frame } of kernel.changes.since(seen)) replica.apply(JSON.parse(frame) as Frame);
        seen = kernel.changes.counter;
        const entries = [...replica.objects].map(([id, entry]) => [`ID${id}`, entry]);
        t.same(Object.fromEntries(entries), snapshotOf(kernel), 'the messages are complete');
        if (!t.passing()) break;
      }
    }
    t.ok(results.taken > CALLS / 10 && results.refused > CALLS / 10, JSON.stringify(results));
    t.same(fixture.errors, []);
  },
);

await t.test('without credentials only one function returns anything', async (t) => {
  const random = new Random(seed + 1);
  await using fixture = new FunctionFixture();
  for (const declaration of fixture.registry.all()) {
    if (declaration.name === 'WFC_GetConfigurators') continue;
    const call = async () =>
      fixture.registry.call(
        declaration.name,
        JSON.parse(paramsOf(random, declaration, fixture.kernel)),
        anonymousCaller,
      );
    await t.rejects(call(), { code: 'ACCESS_DENIED' }, declaration.name);
  }
});

/** Parameters, mostly of the right types, as JSON text. */
function paramsOf(random: Random, { parameters }: FunctionDeclaration, kernel: Kernel): string {
  const texts = parameters.map((parameter) =>
    random.chance(0.1) ? randomJson(random) : fitting(random, parameter, kernel),
  );
  if (random.chance(0.03)) texts.pop();
  if (random.chance(0.03)) texts.push(randomJson(random));
  return `[${texts.join()}]`;
}

/** The same parameters, sometimes by name. */
function someByName(random: Random, { parameters }: FunctionDeclaration, params: unknown[]): unknown {
  if (params.length > parameters.length || !random.chance(0.2)) return params;
  return Object.fromEntries(params.map((param, at) => [parameters[at]?.name, param]));
}

function fitting(random: Random, { name, kind, enumeration }: Parameter, kernel: Kernel): string {
  switch (kind) {
    case 'boolean':
      return String(random.chance(0.5));
    case 'integer':
      if (enumeration !== undefined) return String(random.below(enumeration.length + 1));
      if (/ID$|^(Parent|Target|Action|Sender)/.test(name)) return idFor(random, name, kernel);
      return String(random.below(20) - 5);
    case 'float':
      return String(random.below(2000) / 8 - 100);
    case 'string':
      if (/Module|ID$/.test(name) && random.chance(0.5))
        return JSON.stringify(random.pick([bus.id, lamp.id]));
      if (/Profile|Name/.test(name) && random.chance(0.5))
        return JSON.stringify(random.pick(['Own', 'Other', '~Switch', '~Temperature', '']));
      return JSON.stringify(
        random.chance(0.5) ? random.pick(['a', 'b_1', 'STATE', 'LEVEL', 'Place']) : randomText(random),
      );
    case 'variant':
      return random.chance(0.7)
        ? random.pick(['true', '3', '"3.5"', '21.5', '"on"', 'null'])
        : randomJson(random, 2);
    case 'array':
      return random.chance(0.5)
        ? `[${random.some(4, () => idFor(random, '', kernel)).join()}]`
        : randomJson(random, 2);
  }
}

/** Mostly the id of an existing object, of the type that the parameter's name implies. */
function idFor(random: Random, name: string, kernel: Kernel): string {
  const types: Record<string, number> = { Category: 0, Instance: 1, Variable: 2, Script: 3, Link: 6 };
  const expected = types[/^[A-Z][a-z]+/.exec(name)?.[0] ?? ''];
  const all = [
    ...(expected === undefined || random.chance(0.2)
      ? kernel.tree.all()
      : kernel.tree.objectsOfType(expected as 0)),
  ];
  return String(all.length === 0 || random.chance(0.05) ? random.below(70_000) : random.pick(all).id);
}
