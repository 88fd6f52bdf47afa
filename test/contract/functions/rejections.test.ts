import t, { type Test } from 'tap';
import { ManualClock } from '../../../src/base/clock.js';
import { Fault, type FaultCode } from '../../../src/base/fault.js';
import type { Caller, FunctionDeclaration, Parameter } from '../../../src/device/declare.js';
import type { Gateway } from '../../../src/composition/gateway.js';
import { objectType } from '../../../src/kernel/object.js';
import { completeResult } from '../../tools/client/result-schema.js';
import { anonymousCaller, owner } from '../../tools/gateway/function-fixture.js';
import { idOf } from '../../tools/client/json-rpc.js';
import { SIMULATED_CONFIG, SAMPLE_TREE, startGateway } from '../../tools/gateway/gateway-fixture.js';
import { validValue, mistypedValues, outOfRangeValues } from '../../tools/client/parameter-samples.js';
import { snapshotOf } from '../../tools/client/replica.js';

/** Two configurators with different areas. */
const CONFIG = `${SIMULATED_CONFIG}${SAMPLE_TREE}configurators:
  - { title: Ground floor, ident: wf, base: ground_floor, password: tulip }
  - { title: Upper floor, ident: wf2, base: upper_floor, password: rose }
`;

const NOTHING: readonly FaultCode[] = ['NOTHING_TO_DO'];
/** An id that no object has: ids begin at 10000. */
const MISSING = 9999;

/** Faults for a missing object, including those of specific functions. */
const MISSING_CODES: readonly FaultCode[] = ['OBJECT_MISSING', 'NOT_OF_TYPE'];
const OWN_CODES: Readonly<Record<string, readonly FaultCode[]>> = {
  SVC_SetVariableCustomAction: ['ACTION_INVALID'],
  // The item is checked before its new parent.
  GW_CreateFrom: ['NAME_NOT_FOUND'],
};

const fixture = await startGateway(t, CONFIG, { clock: new ManualClock() });
const { registry, kernel } = fixture.gateway;
const declarations = registry.all();
const [ground, upper] = [await idOf(fixture, 'wf'), await idOf(fixture, 'wf2')];
const user: Caller = { role: 'webfront', user: 'webfront', remote: '10.0.0.9', configurator: ground };

/**
 * An existing object for every parameter that takes one, so that a call fails only because of the missing
 * one.
 */
const some = await objects();

async function objects(): Promise<Readonly<Record<string, number>>> {
  const made = async (name: string, ...params: unknown[]) =>
    (await completeResult(await registry.call(name, params, owner))) as number;
  const category = await made('SVC_CreateCategory');
  const variable = await made('SVC_CreateVariable', 1);
  const instance = await made('SVC_CreateInstance', 'Hardware');
  return {
    ID: category,
    ObjectID: variable,
    ParentID: category,
    TargetID: variable,
    SenderID: instance,
    CategoryID: category,
    InstanceID: instance,
    ParentInstanceID: instance,
    VariableID: variable,
    OldVariableID: variable,
    NewVariableID: variable,
    TriggerVariableID: variable,
    CompareVariableID: variable,
    ScriptID: await made('SVC_CreateScript', 0),
    LinkID: await made('SVC_CreateLink'),
    EventID: 0,
    MediaID: await made('SVC_CreateMedia', 5),
    TimerID: 0,
    ThreadID: 0,
  };
}

/** A web front’s function denies access to objects outside the area, existing or not. */
function missingCodes(name: string): readonly FaultCode[] {
  const own = OWN_CODES[name] ?? (name.startsWith('WFC_') ? (['ACCESS_DENIED'] as const) : []);
  return [...MISSING_CODES, ...own];
}

/** An existing object if the parameter takes one, or another valid value. */
function present({ name }: FunctionDeclaration, parameter: Parameter): unknown {
  if (parameter.kind !== 'integer') return validValue(parameter);
  const core = { AC: 'Archive Control', UC: 'Utility Control' }[name.slice(0, 2)];
  if (core !== undefined && parameter.name === 'InstanceID')
    return [...kernel.tree.objectsOfType(objectType.instance)].find(({ data }) => data.moduleName === core)
      ?.id;
  if (name.startsWith('WFC_') && parameter.name === 'InstanceID') return ground;
  return some[parameter.name] ?? validValue(parameter);
}

/** The outcome of a call: its result, or the fault’s code. */
type Outcome = { readonly result: unknown } | { readonly code: FaultCode; readonly rpc: number };

async function outcomeOf(name: string, params: unknown, caller: Caller = owner): Promise<Outcome> {
  try {
    return { result: await completeResult(await registry.call(name, params, caller)) };
  } catch (thrown) {
    if (!(thrown instanceof Fault)) throw thrown;
    return { code: thrown.code, rpc: thrown.rpc };
  }
}

/** A check that is made for every function: the calls, and their expected outcomes. */
interface Trial {
  readonly params: unknown;
  readonly caller?: Caller;
  /** The expected fault codes; none for a valid result. */
  readonly codes: readonly FaultCode[];
  readonly result?: unknown;
}

/** Makes a check for every function; the tree must be unchanged, and nothing published or journalled. */
function everyFunction(
  what: string,
  { atLeast, trials }: { atLeast: number; trials: (declaration: FunctionDeclaration) => readonly Trial[] },
): Promise<unknown> {
  return t.test(what, async (t) => {
    const before = snapshotOf(kernel);
    let count = 0;
    for (const declaration of declarations) {
      for (const trial of trials(declaration)) {
        await tryOut(t, declaration.name, trial);
        count += 1;
      }
    }
    t.ok(count >= atLeast, `${count} calls`);
    t.strictSame(snapshotOf(kernel), before, 'the tree is unchanged');
  });
}

async function tryOut(t: Test, name: string, { params, caller, codes, result }: Trial): Promise<void> {
  const state = stateOf(fixture.gateway);
  const messages = `${name}(${JSON.stringify(params)})`;
  const outcome = await outcomeOf(name, params, caller);
  if ('code' in outcome) {
    if (!codes.includes(outcome.code)) t.fail(`${messages}: ${outcome.code}`);
  } else if (codes.length > 0) t.fail(`${messages} gave ${JSON.stringify(outcome.result)}`);
  else t.strictSame(outcome.result, result, messages);
  if (stateOf(fixture.gateway) !== state) t.fail(`${messages} changed something`);
}

/** Counters that increase with every change of the configuration and every message. */
const stateOf = ({ kernel: { journal, changes } }: Gateway) => `${journal.version} ${changes.counter}`;

await everyFunction('a wrong number of parameters is rejected', {
  atLeast: 2 * declarations.length - 100,
  trials: ({ parameters }) => {
    const all = parameters.map(validValue);
    const required = parameters.filter(({ optional }) => optional !== true);
    const codes: readonly FaultCode[] = ['PARAMETER_COUNT'];
    return [
      { params: [...all, 0], codes },
      { params: { Nonsense: 0 }, codes: ['PARAMETER_UNKNOWN'] },
      ...(required.length === 0 ? [] : [{ params: all.slice(0, required.length - 1), codes }]),
    ];
  },
});

await everyFunction('a value of another type is rejected, for every parameter', {
  atLeast: 2000,
  trials: ({ parameters }) =>
    parameters.flatMap((parameter, place) =>
      mistypedValues(parameter).map((value) => ({
        params: parameters.map((one, at) => (at === place ? value : validValue(one))),
        codes: ['PARAMETER_TYPE'],
      })),
    ),
});

await everyFunction('a number outside an enumeration is rejected', {
  atLeast: 20,
  trials: ({ parameters }) =>
    parameters.flatMap((parameter, place) =>
      outOfRangeValues(parameter).map((value) => ({
        params: parameters.map((one, at) => (at === place ? value : validValue(one))),
        codes: ['PARAMETER_BOUNDS'],
      })),
    ),
});

await everyFunction('a missing object is reported, for every parameter that takes one', {
  atLeast: 100,
  trials: (declaration) => {
    const { name, parameters, unsupported: nothing } = declaration;
    const says = name.endsWith('Exists') ? { codes: [], result: false } : undefined;
    const codes = nothing === undefined ? missingCodes(name) : NOTHING;
    return parameters
      .filter((parameter) => parameter.kind === 'integer' && some[parameter.name] !== undefined)
      .map((missing) => ({
        params: parameters.map((one) => (one === missing ? MISSING : present(declaration, one))),
        ...(says ?? { codes }),
      }));
  },
});

await everyFunction('a caller without permission is rejected, whatever the parameters', {
  atLeast: 2 * declarations.length - 20,
  trials: ({ access, parameters }) => {
    const params = parameters.map(validValue);
    const codes: readonly FaultCode[] = ['ACCESS_DENIED'];
    if (access === 'public') return [];
    const anonymous = { params, codes, caller: anonymousCaller };
    if (access === 'owner') return [anonymous, { params, codes, caller: user }];
    // Limits only the changes that its own socket receives.
    if (access === 'socket') return [anonymous];
    return [anonymous, { params: [upper, ...params.slice(1)], codes, caller: user }];
  },
});
