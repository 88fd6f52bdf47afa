import type { Random } from '../../tools/random.js';
import type { Frame } from '../../tools/client/replica.js';
import { MessageFollower } from './message-follower.js';
import { Model } from './model.js';
import { queriesOfType, type Query } from './queries-by-type.js';
import { queriesAbout } from './queries.js';
import { applyCall } from './rules.js';
import { pass } from './events/event-runs.js';
import { types, ModelFault, type Snapshot, type ModelContext } from './snapshot-types.js';
import { isRef, TIME_PASSES, type Ref, type Step } from './steps.js';
import { isSamePlain } from '../../runner/plain-equality.js';

/**
 * Probability that, after a call, all functions about an object and about the tree are called; the snapshot
 * is always compared.
 */
const ASKING = 0.25;
/** Members that follow the machine, not the model. */
const THEIRS = ['MediaUpdated', 'InstanceStatus'];
/** Members that depend on the time. */
const TIMES: readonly string[] =
  'lastUpdate lastChange lastRun nextRun LastRun NextRun InstanceChanged VariableUpdated VariableChanged'.split(
    ' ',
  );

/** The gateway of a sequence. */
export interface TestTarget extends ModelContext {
  /** The result, or the fault's code in `{ code }`. */
  call(name: string, params: readonly unknown[]): Promise<Outcome>;
  /** A snapshot, and the messages up to it since the previous one. */
  look(): Promise<{ readonly snapshot: Snapshot; readonly frames: readonly Frame[] }>;
  /** Advances the clock by a second or less; due events run. */
  pass(): Promise<void>;
  /** Unix seconds, or undefined if the second of a call is unknown. */
  readonly nowS: number | undefined;
}

export type Outcome = { readonly result: unknown } | { readonly code: string };

/** Runs one sequence on a gateway, on the model, and on a client that only follows the messages. */
export class ModelRun {
  readonly model: Model;
  readonly #random: Random | undefined;
  readonly #made = new Map<number, number>();
  #target: TestTarget;
  #follower: MessageFollower;
  /** Numbers of calls that succeeded and that were rejected. */
  readonly seen = { taken: 0, refused: 0 };

  /** `random`: also calls query functions at random. */
  static async begin(target: TestTarget, random?: Random): Promise<ModelRun> {
    return new ModelRun(target, (await target.look()).snapshot, random);
  }

  private constructor(target: TestTarget, snapshot: Snapshot, random: Random | undefined) {
    this.#target = target;
    this.#random = random;
    this.model = new Model(snapshot, target);
    this.#follower = new MessageFollower(snapshot);
  }

  /**
   * After a restart of the gateway: checks that everything is as before; after a power cut a value may be an
   * earlier one.
   */
  async goOn(target: TestTarget, after: 'a stop' | 'a cut'): Promise<string | undefined> {
    const { snapshot } = await target.look();
    this.#target = target;
    this.#follower = new MessageFollower(snapshot, this.model.fromMessages);
    this.model.restart();
    this.model.adopt(snapshot);
    const lost = after === 'a cut' ? this.model.fallBack(snapshot) : undefined;
    const all = [...this.model.objects.keys()].flatMap((id) => queriesOfType(this.model, id));
    const problem = lost ?? (await this.#ask(all)) ?? (await this.check());
    return problem === undefined ? undefined : `after ${after}: ${problem}`;
  }

  /** Makes one call and compares the results: returns the first difference, or undefined. */
  async step({ name, params, made }: Step): Promise<string | undefined> {
    await this.#pass(name === TIME_PASSES ? (params[0] as number) : 1);
    const given = params.map((param) => this.#given(param));
    const messages = `${name}(${JSON.stringify(given).slice(1, -1)})`;
    const wrong = name === TIME_PASSES ? undefined : await this.#call(name, given, made);
    const difference = wrong ?? (await this.check(given[0]));
    return difference === undefined ? undefined : `after ${messages}: ${difference}`;
  }

  async #pass(seconds: number): Promise<void> {
    for (let n = 0; n < seconds; n++) {
      await this.#target.pass();
      if (this.#target.nowS === undefined) return;
      this.model.now = this.#target.nowS;
      pass(this.model);
    }
  }

  async #call(
    name: string,
    given: readonly unknown[],
    place: number | undefined,
  ): Promise<string | undefined> {
    const outcome = await this.#target.call(name, given);
    const made = place !== undefined && 'result' in outcome ? (outcome.result as number) : 0;
    if (place !== undefined && made !== 0) this.#made.set(place, made);
    const expected = this.#expected({ name, params: given, made });
    if ('result' in outcome) this.seen.taken += 1;
    else this.seen.refused += 1;
    return isSamePlain(outcome, expected)
      ? undefined
      : `it returned ${JSON.stringify(outcome)}, not ${JSON.stringify(expected)}`;
  }

  /** Whether the snapshot matches the messages and the model, and the replies match. */
  async check(touched?: unknown): Promise<string | undefined> {
    const { snapshot, frames } = await this.#target.look();
    try {
      for (const frame of frames) this.#follower.apply(frame);
    } catch (thrown) {
      return `a follower of the messages: ${(thrown as Error).message}`;
    }
    this.model.adopt(snapshot);
    const [shown, expected] = [this.#timeless(snapshot), this.#timeless(this.model.snapshot)];
    const messages = Object.fromEntries(this.#follower.fromMessages);
    const wrong =
      difference(snapshot, this.#follower.snapshot, 'a follower of the messages') ??
      difference(shown, expected, 'the model') ??
      difference(
        { objects: messages },
        { objects: Object.fromEntries(this.model.fromMessages) },
        'the model',
      );
    return wrong ?? (this.#random === undefined ? undefined : this.#askAbout(touched, this.#random));
  }

  /** Queries the object of the call, or any event; now and then all functions for any object. */
  async #askAbout(touched: unknown, random: Random): Promise<string | undefined> {
    const { objects } = this.model;
    const events = this.model.all(types.event).map(([id]) => id);
    const one = objects.has(touched as number) ? (touched as number) : random.pick([...events, 0]);
    const wrong = await this.#ask(queriesOfType(this.model, one));
    if (wrong !== undefined || !random.chance(ASKING)) return wrong;
    return this.#ask(queriesAbout(this.model, random.pick([...objects.keys()]), random));
  }

  async #ask(all: readonly Query[]): Promise<string | undefined> {
    for (const [name, params, reply] of all) {
      const outcome = await this.#target.call(name, params);
      const isList = name.endsWith('List') || name.endsWith('ByType');
      // What a power cut may have reverted is unknown.
      const unknown = Object.entries(reply ?? {}).flatMap(([key, one]) => (one === undefined ? key : []));
      const sorted = (list: unknown) =>
        isList ? [...(list as unknown[])].sort() : this.#timeless(without(list, [...THEIRS, ...unknown]));
      const given = 'result' in outcome ? sorted(this.#known(name, outcome.result)) : outcome;
      if (!isSamePlain(given, sorted(reply)))
        return `${name}(${JSON.stringify(params).slice(1, -1)}) says ${JSON.stringify(given)}, not ${JSON.stringify(reply)}`;
    }
    return undefined;
  }

  /** Deletions that the model has, and tasks, without their time and user; other replies as they are. */
  #known(name: string, result: unknown): unknown {
    if (name === 'GW_GetTasks') return without(result, ['StartedMs', 'User']);
    if (name !== 'GW_GetDeleted') return result;
    const all = result as { ID: number }[];
    return without(
      all.filter(({ ID }) => this.model.deletions.has(ID)),
      ['DeletedMs', 'User'],
    );
  }

  #expected(call: Parameters<typeof applyCall>[1]): Outcome {
    try {
      return { result: applyCall(this.model, call) };
    } catch (thrown) {
      if (!(thrown instanceof ModelFault)) throw thrown;
      return { code: thrown.code };
    }
  }

  /** A parameter with ids instead of references to created objects. */
  #given(param: unknown): unknown {
    if (isRef(param)) return this.#idOf(param);
    if (Array.isArray(param)) return param.map((one) => this.#given(one));
    if (typeof param !== 'object' || param === null) return param;
    return Object.fromEntries(Object.entries(param).map(([key, value]) => [key, this.#given(value)]));
  }

  #idOf({ made, ident }: Ref): number {
    const { objects } = this.model;
    if (made === -1) return 0;
    if (made === -3)
      return [...objects].find(([, { data }]) => data['moduleName'] === 'Utility Control')?.[0] ?? 0;
    const id = this.#made.get(made) ?? 9999;
    if (ident === undefined || !objects.has(id)) return id;
    return this.model.childrenOf(id).find(([, child]) => child.ident === ident)?.[0] ?? 9999;
  }

  /** Without the times, if they are unknown. */
  #timeless<T>(value: T): T {
    return this.#target.nowS === undefined ? without(value, TIMES) : value;
  }
}

/** A value as JSON, without some keys. */
function without<T>(value: T, keys: readonly string[]): T {
  const text = JSON.stringify(value, (key, one: unknown) => (keys.includes(key) ? undefined : one));
  return text === undefined ? value : (JSON.parse(text) as T);
}

type Parts = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** The first entry in which the gateway and another state differ. */
function difference(gateway: object, other: object, who: string): string | undefined {
  for (const [part, entries] of Object.entries(gateway as Parts)) {
    const others = (other as Parts)[part] ?? {};
    for (const key of new Set([...Object.keys(entries), ...Object.keys(others)])) {
      if (isSamePlain(entries[key], others[key])) continue;
      return `${key} is ${JSON.stringify(entries[key])}, for ${who} ${JSON.stringify(others[key])}`;
    }
  }
  return undefined;
}
