import type { WriteBudget, TreeObject } from './object.js';
import type { Value } from './value.js';

/** What has a row among the last values. */
export type ObjectWithValue = TreeObject<2> | TreeObject<4>;

/** From what a variable with a budget has moved since it last went to the disk, and since when. */
interface Moved {
  readonly from: Value;
  readonly sinceMs: number;
}

/**
 * What has changed and is not yet on the disk. The kernel notes it here; the store takes it. `version` grows with every
 * change of the configuration, so that a caller can tell whether its own call made one.
 */
export class Journal {
  /** Objects whose configuration changed, or that are new. */
  objects = new Set<TreeObject>();
  removed = new Set<number>();
  /** Names of profiles that changed, are new or gone. */
  profiles = new Set<string>();
  /** Variables whose value or times changed, and events that ran. */
  values = new Set<ObjectWithValue>();
  /** Variables that got the value that they had, and nothing else since they were last taken. */
  repeated = new Set<ObjectWithValue>();
  /** Those of them that have a budget of their own. */
  moved = new Map<TreeObject<2>, Moved>();
  version = 0;
  readonly #onChange: () => void;

  /** `onChange` is called at every change of the configuration; it must only schedule work. */
  constructor(onChange: () => void = () => undefined) {
    this.#onChange = onChange;
  }

  markObject(object: TreeObject): void {
    this.objects.add(object);
    this.#changed();
  }

  markRemoved(object: TreeObject): void {
    this.objects.delete(object);
    this.values.delete(object as TreeObject<2>);
    this.repeated.delete(object as TreeObject<2>);
    this.moved.delete(object as TreeObject<2>);
    this.removed.add(object.id);
    this.#changed();
  }

  /** A variable's value or times changed; its value was `from`. */
  markValue(variable: TreeObject<2>, from: Value, sinceMs: number): void {
    if (Object.is(from, variable.data.value) && !this.values.has(variable)) this.repeated.add(variable);
    else {
      this.values.add(variable);
      this.repeated.delete(variable);
    }
    if (variable.data.writeBudget !== undefined && !this.moved.has(variable))
      this.moved.set(variable, { from, sinceMs });
  }

  /** Whether a variable has used up its budget, so that it is time for the disk. */
  isDue(nowMs: number): boolean {
    for (const [{ data }, moved] of this.moved)
      if (data.writeBudget !== undefined && isSpent(data.writeBudget, { ...moved, to: data.value, nowMs }))
        return true;
    return false;
  }

  markProfile(name: string): void {
    this.profiles.add(name);
    this.#changed();
  }

  /** Something changed that belongs to the configuration and to no object: an option. Its owner hands it to the store. */
  markOther(): void {
    this.#changed();
  }

  #changed(): void {
    this.version++;
    this.#onChange();
  }
}

function isSpent(
  { every, withinS }: WriteBudget,
  { from, to, sinceMs, nowMs }: Moved & { readonly to: Value; readonly nowMs: number },
): boolean {
  if (to === from) return false;
  const passedMs = nowMs - sinceMs;
  // A clock that was set back says nothing of how long it has been.
  if (passedMs < 0 || passedMs >= withinS * 1000) return true;
  return typeof to === 'number' && typeof from === 'number' ? Math.abs(to - from) >= every : true;
}
