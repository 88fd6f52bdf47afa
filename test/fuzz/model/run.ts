import { isDeepStrictEqual } from 'node:util';
import type { Random } from '../../tools/random.js';
import { Replica, type Frame } from '../../tools/replica.js';
import { Model, Refusal, type ShownModule, type Snapshot } from './model.js';
import { questions } from './questions.js';
import { isRef, type Ref, type Step } from './steps.js';

/** How often, after a call, it is asked about the tree; the snapshot is looked at always. */
const ASKING = 0.25;

/** A gateway as a sequence meets it. */
export interface World {
  readonly module: ShownModule;
  /** The result, or the fault's code in `{ code }`. */
  call(name: string, params: readonly unknown[]): Promise<Outcome>;
  /** A snapshot, and the messages up to it since the last time it was looked at. */
  look(): Promise<{ readonly snapshot: Snapshot; readonly frames: readonly Frame[] }>;
  /** Unix seconds, or undefined where nobody can say which second a call falls into. */
  readonly nowS: number | undefined;
}

export type Outcome = { readonly result: unknown } | { readonly code: string };

/** One sequence in a world, beside the model and beside a client that only follows the messages. */
export class Run {
  readonly model: Model;
  readonly #random: Random | undefined;
  readonly #made = new Map<number, number>();
  #world: World;
  #replica: Replica;
  /** How many calls succeeded, and how many were refused. */
  readonly seen = { taken: 0, refused: 0 };

  /** `random`: also asks, at random, what can be asked about the tree. */
  static async begin(world: World, random?: Random): Promise<Run> {
    return new Run(world, (await world.look()).snapshot, random);
  }

  private constructor(world: World, snapshot: Snapshot, random: Random | undefined) {
    this.#world = world;
    this.#random = random;
    this.model = new Model(snapshot, world.module);
    this.#replica = new Replica(snapshot.objects);
  }

  /** The gateway has been started anew: whether all is as it was; after a power cut a value may be an earlier one. */
  async goOn(world: World, after: 'a stop' | 'a cut'): Promise<string | undefined> {
    const { snapshot } = await world.look();
    this.#world = world;
    this.#replica = new Replica(snapshot.objects);
    const lost = after === 'a cut' ? this.model.fallBack(snapshot) : undefined;
    const complaint = lost ?? (await this.agrees(snapshot));
    return complaint === undefined ? undefined : `after ${after}: ${complaint}`;
  }

  /** Makes one call and looks whether all agree on what came of it: what does not, in words, or undefined. */
  async step({ name, params, made }: Step): Promise<string | undefined> {
    const given = params.map((param) => (isRef(param) ? this.#idOf(param) : param));
    const told = `${name}(${JSON.stringify(given).slice(1, -1)})`;
    const outcome = await this.#world.call(name, given);
    const isMade = made !== undefined && 'result' in outcome;
    if (isMade) this.#made.set(made, outcome.result as number);
    this.model.now = this.#world.nowS ?? 0;
    const expected = this.#expected(name, given, isMade ? (outcome.result as number) : 0);
    if ('result' in outcome) this.seen.taken += 1;
    else this.seen.refused += 1;
    if (!isDeepStrictEqual(outcome, expected))
      return `${told} gave ${JSON.stringify(outcome)}, not ${JSON.stringify(expected)}`;
    const difference = await this.check();
    return difference === undefined ? undefined : `after ${told}: ${difference}`;
  }

  /** Whether the snapshot is what the messages told and what the model says, and the answers fit. */
  async check(): Promise<string | undefined> {
    const { snapshot, frames } = await this.#world.look();
    try {
      for (const frame of frames) this.#replica.apply(frame);
    } catch (thrown) {
      return `a follower of the messages: ${(thrown as Error).message}`;
    }
    const followed = Object.fromEntries([...this.#replica.objects].map(([id, entry]) => [`ID${id}`, entry]));
    return (
      difference(snapshot.objects, followed, 'a follower of the messages') ?? (await this.agrees(snapshot))
    );
  }

  /** Whether a snapshot is what the model says. */
  async agrees(snapshot: Snapshot): Promise<string | undefined> {
    this.model.adopt(snapshot);
    const { objects, profiles } = this.model.snapshot;
    const wrong =
      difference(this.#timeless(snapshot.objects), this.#timeless(objects), 'the model') ??
      difference(snapshot.profiles, profiles, 'the model');
    if (wrong !== undefined || this.#random?.chance(ASKING) !== true) return wrong;
    return this.#ask(this.#random);
  }

  async #ask(random: Random): Promise<string | undefined> {
    for (const [name, params, answer] of questions(this.model, random)) {
      const outcome = await this.#world.call(name, params);
      const isList = name.endsWith('List') || name.endsWith('ByType');
      const sorted = (list: unknown) => (isList ? [...(list as unknown[])].sort() : list);
      const given = 'result' in outcome ? sorted(outcome.result) : outcome;
      if (!isDeepStrictEqual(given, sorted(answer)))
        return `${name}(${JSON.stringify(params).slice(1, -1)}) says ${JSON.stringify(given)}, not ${JSON.stringify(answer)}`;
    }
    return undefined;
  }

  #expected(name: string, given: readonly unknown[], made: number): Outcome {
    try {
      return { result: this.model.carryOut(name, given, made) };
    } catch (thrown) {
      if (!(thrown instanceof Refusal)) throw thrown;
      return { code: thrown.code };
    }
  }

  #idOf({ made, ident }: Ref): number {
    if (made === -1) return 0;
    const id = this.#made.get(made) ?? 9999;
    if (ident === undefined || !this.model.objects.has(id)) return id;
    return this.model.childrenOf(id).find(([, child]) => child.ident === ident)?.[0] ?? 9999;
  }

  /** Without the times, in a world of which nobody knows them. */
  #timeless(objects: Snapshot['objects']): Snapshot['objects'] {
    if (this.#world.nowS !== undefined) return objects;
    return Object.fromEntries(
      Object.entries(objects).map(([key, entry]) => {
        const { lastUpdate: _updated, lastChange: _changed, ...data } = entry.data;
        return [key, { ...entry, data }];
      }),
    );
  }
}

/** The first entry in which the gateway and another differ. */
function difference(
  gateway: Readonly<Record<string, unknown>>,
  other: Readonly<Record<string, unknown>>,
  who: string,
): string | undefined {
  for (const key of new Set([...Object.keys(gateway), ...Object.keys(other)])) {
    if (isDeepStrictEqual(gateway[key], other[key])) continue;
    return `${key} is ${JSON.stringify(gateway[key])}, to ${who} ${JSON.stringify(other[key])}`;
  }
  return undefined;
}

/** Runs a sequence to its end or to the first disagreement. */
export async function complaintOf(run: Run, steps: readonly Step[]): Promise<string | undefined> {
  for (const step of steps) {
    const complaint = await run.step(step);
    if (complaint !== undefined) return complaint;
  }
  return undefined;
}

/** A sequence that fails, with as many steps left out as can be: halves first, single steps last. */
export async function shortened(
  steps: readonly Step[],
  fails: (steps: readonly Step[]) => Promise<boolean>,
): Promise<readonly Step[]> {
  let kept = steps;
  for (let size = Math.ceil(steps.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let at = 0; at < kept.length;) {
      const without = [...kept.slice(0, at), ...kept.slice(at + size)];
      if (await fails(without)) kept = without;
      else at += size;
    }
  }
  return kept;
}

/** A sequence as a person reads it. */
export function written(steps: readonly Step[]): string {
  const word = (param: unknown) => {
    if (!isRef(param)) return JSON.stringify(param);
    const { made, ident } = param;
    if (made < 0) return made === -1 ? 'root' : 'never';
    return ident === undefined ? `#${made}` : `#${made}/${ident}`;
  };
  return steps
    .map(
      ({ name, params, made }) =>
        `${made === undefined ? '' : `#${made} = `}${name}(${params.map(word).join(', ')})`,
    )
    .join('\n');
}
