import type { WriteBudget, TreeObject } from './object.js';
import type { Value } from './value.js';

/** Objects with a row in the table of last values. */
export type ObjectWithValue = TreeObject<2> | TreeObject<4>;

/**
 * The value of a variable with a write budget when it was last written, and when it changed first after that.
 */
interface BudgetedChange {
  readonly from: Value;
  readonly sinceMs: number;
}

/**
 * Changes that are not on disk yet. The kernel adds them, the store removes them. `version` increases with every change of the configuration, so that a caller can detect whether its call made one.
 */
export class Journal {
  /** Objects whose configuration changed, or that are new. */
  objects = new Set<TreeObject>();
  removed = new Set<number>();
  /** Names of profiles that were changed, created or deleted. */
  profiles = new Set<string>();
  /** Variables whose value or times changed, and events that ran. */
  values = new Set<ObjectWithValue>();
  /** Variables that were only updated with the same value since they were last taken. */
  repeated = new Set<ObjectWithValue>();
  /** Changed variables with a write budget. */
  budgetedChanges = new Map<TreeObject<2>, BudgetedChange>();
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
    this.budgetedChanges.delete(object as TreeObject<2>);
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
    if (variable.data.writeBudget !== undefined && !this.budgetedChanges.has(variable))
      this.budgetedChanges.set(variable, { from, sinceMs });
  }

  /** Whether a variable has used up its write budget, so that the store must write it. */
  isDue(nowMs: number): boolean {
    for (const [{ data }, moved] of this.budgetedChanges)
      if (data.writeBudget !== undefined && isSpent(data.writeBudget, { ...moved, to: data.value, nowMs }))
        return true;
    return false;
  }

  markProfile(name: string): void {
    this.profiles.add(name);
    this.#changed();
  }

  /**
   * Marks a change of the configuration that belongs to no object, such as an option. Its owner passes it to
   * the store.
   */
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
  { from, to, sinceMs, nowMs }: BudgetedChange & { readonly to: Value; readonly nowMs: number },
): boolean {
  if (to === from) return false;
  const passedMs = nowMs - sinceMs;
  // If the clock was set back, the time since then is unknown.
  if (passedMs < 0 || passedMs >= withinS * 1000) return true;
  return typeof to === 'number' && typeof from === 'number' ? Math.abs(to - from) >= every : true;
}
