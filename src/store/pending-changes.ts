import type { Journal, ObjectWithValue } from '../kernel/journal.js';
import type { Kernel } from '../kernel/kernel.js';
import { objectType, type TreeObject } from '../kernel/object.js';
import { auditRoles } from '../kernel/audit-record.js';
import { AUDIT_KEPT, type AuditRow, type Batch, type ValueRow } from './worker-protocol.js';
import { rowOf, valueRowOf } from './rows.js';
import { metaName } from './schema.js';
import { LARGE_TEXT_CHARACTERS, LargeTextBudget } from './write-counter.js';

/** Values in one message to the worker: about a millisecond of work. */
export const VALUES_SLICE = 2000;
/** Characters of texts after which a message for the runtime directory ends, because of the worker's heap. */
const SLICE_CHARACTERS = 1_000_000;
/** Characters of texts in one commit, all of which the worker's heap must have space for. */
const COMMIT_CHARACTERS = 8_000_000;

/** Everything in one commit, so that it can be put back if the commit fails. */
export interface CommitSet {
  readonly version: number;
  readonly objects: ReadonlySet<TreeObject>;
  readonly removed: ReadonlySet<number>;
  readonly profiles: ReadonlySet<string>;
  readonly values: ReadonlySet<ObjectWithValue>;
  readonly meta: ReadonlyMap<string, string>;
  readonly audit: readonly AuditRow[];
}

/** Values in a commit: those of new objects and write budgets; those that are due; all. */
export type ValueSelection = 'configured' | 'due' | 'all';

/** Everything that is not on the disk yet: the kernel's journal, and data that belongs to no object. */
export class PendingChanges {
  readonly #kernel: Kernel;
  /** Variables that changed and events that ran since the last commit of values. */
  #values = new Set<ObjectWithValue>();
  /** Variables whose value is on the disk, but not its latest time. */
  #repeated = new Set<ObjectWithValue>();
  readonly #budget = new LargeTextBudget();
  /** Large texts that the last commit postponed. */
  waitingTexts = 0;
  /** Whether the last commit left texts for another one because of {@link COMMIT_CHARACTERS}. */
  hasMore = false;
  #meta = new Map<string, string>();
  #audit: AuditRow[] = [];
  /** Position of the id pool when it was last saved. */
  #savedIds: number;

  /** `ids`: the state of the ids as it is stored. */
  constructor(kernel: Kernel, ids: string | undefined) {
    this.#kernel = kernel;
    this.#savedIds = kernel.tree.ids.state === ids ? kernel.tree.ids.position : -1;
  }

  get hasValues(): boolean {
    return this.#values.size > 0 || this.#journal.values.size > 0;
  }

  get hasRepeated(): boolean {
    return this.#repeated.size > 0 || this.#journal.repeated.size > 0;
  }

  get isEmpty(): boolean {
    const { objects, removed, profiles } = this.#journal;
    return (
      [objects, removed, profiles, this.#meta].every(({ size }) => size === 0) && this.#audit.length === 0
    );
  }

  setMeta(name: string, value: string): void {
    this.#meta.set(name, value);
  }

  addAudit(row: AuditRow): void {
    this.#audit.push(row);
    // Bounds the memory while the disk rejects writes; the table has the same limit.
    if (this.#audit.length >= 2 * auditRoles.length * AUDIT_KEPT) this.#audit = newestOf(this.#audit);
  }

  get audit(): readonly AuditRow[] {
    return this.#audit;
  }

  /** The values that changed since the last call; they still have to be committed. */
  *freshValues(): Generator<ValueRow[]> {
    const { values, repeated } = this.#journal;
    this.#journal.values = new Set();
    this.#journal.repeated = new Set();
    for (const variable of values) {
      this.#values.add(variable);
      this.#repeated.delete(variable);
    }
    for (const variable of repeated) if (!this.#values.has(variable)) this.#repeated.add(variable);
    yield* slices(this.#present(new Set([...values, ...repeated])), SLICE_CHARACTERS);
  }

  take(which: ValueSelection, nowMs: number): CommitSet {
    const journal = this.#journal;
    const { objects, removed, profiles, version } = journal;
    const { ids } = this.#kernel.tree;
    // In the same transaction as the objects, so that no id is assigned twice.
    if (ids.position !== this.#savedIds) this.#meta.set(metaName.ids, ids.state);
    this.#savedIds = ids.position;
    journal.objects = new Set();
    journal.removed = new Set();
    journal.profiles = new Set();
    const meta = this.#meta;
    this.#meta = new Map();
    // The table would delete the others again.
    const audit = newestOf(this.#audit);
    this.#audit = [];
    const values = which === 'configured' ? this.#valuesOf(objects) : this.#takeValues();
    if (which === 'due') this.#postponeLargeTexts(values, nowMs);
    if (which === 'all') this.#takeRepeated(values);
    this.#limitTexts(values);
    journal.budgetedChanges = new Map();
    return { version, objects, removed, profiles, values, meta, audit };
  }

  /** Puts back a failed commit, except where newer changes replaced it. */
  putBack(taken: CommitSet): void {
    const journal = this.#journal;
    const objects = [...taken.objects].filter((object) => this.#isPresent(object));
    journal.objects = new Set([...objects, ...journal.objects]);
    journal.removed = new Set([...taken.removed, ...journal.removed]);
    journal.profiles = new Set([...taken.profiles, ...journal.profiles]);
    for (const variable of taken.values) if (this.#isPresent(variable)) this.#values.add(variable);
    this.#meta = new Map([...taken.meta, ...this.#meta]);
    this.#audit = newestOf([...taken.audit, ...this.#audit]);
  }

  /** Converts a commit to the batch for the worker, without the values. */
  batchOf(taken: CommitSet): Omit<Batch, 'values'> {
    const { profiles } = this.#kernel;
    return {
      objects: [...taken.objects].map(rowOf),
      removed: [...taken.removed],
      profiles: [...taken.profiles].map((name) => {
        const profile = profiles.find(name);
        return [name, profile === undefined ? null : JSON.stringify(profile)];
      }),
      meta: [...taken.meta],
      audit: taken.audit,
    };
  }

  /** The values of a commit when each slice is read; only the last slice is shorter than {@link VALUES_SLICE}. */
  valueRows({ values }: CommitSet): Generator<ValueRow[]> {
    return slices(this.#present(values));
  }

  get #journal(): Journal {
    return this.#kernel.journal;
  }

  #takeValues(): Set<ObjectWithValue> {
    const [few, many] = [this.#values, this.#journal.values].sort((a, b) => a.size - b.size) as [
      Set<ObjectWithValue>,
      Set<ObjectWithValue>,
    ];
    for (const variable of few) many.add(variable);
    this.#values = new Set();
    this.#journal.values = new Set();
    return many;
  }

  /** Postpones large texts beyond the daily budget, except those of variables with a write budget. */
  #postponeLargeTexts(values: Set<ObjectWithValue>, nowMs: number): void {
    this.waitingTexts = 0;
    for (const object of values) {
      if (!object.is(objectType.variable) || object.data.writeBudget !== undefined) continue;
      const { value } = object.data;
      if (typeof value !== 'string' || value.length <= LARGE_TEXT_CHARACTERS) continue;
      if (this.#budget.takes(value.length, nowMs)) continue;
      values.delete(object);
      this.#values.add(object);
      this.waitingTexts += 1;
    }
  }

  #limitTexts(values: Set<ObjectWithValue>): void {
    let characters = 0;
    this.hasMore = false;
    for (const object of values) {
      if (!object.is(objectType.variable) || typeof object.data.value !== 'string') continue;
      characters += object.data.value.length;
      if (characters <= COMMIT_CHARACTERS) continue;
      values.delete(object);
      this.#values.add(object);
      this.hasMore = true;
    }
  }

  #takeRepeated(values: Set<ObjectWithValue>): void {
    for (const repeated of [this.#repeated, this.#journal.repeated])
      for (const variable of repeated) values.add(variable);
    this.#repeated = new Set();
    this.#journal.repeated = new Set();
    this.waitingTexts = 0;
  }

  /** The first values of new variables, and values with a write budget. */
  #valuesOf(objects: ReadonlySet<TreeObject>): Set<ObjectWithValue> {
    const values = new Set<ObjectWithValue>();
    for (const object of objects)
      if (object.is(objectType.variable) || object.is(objectType.event)) {
        const hasNewValue = this.#journal.values.has(object) || this.#values.has(object);
        if (hasNewValue) values.add(object);
      }
    for (const variable of this.#journal.budgetedChanges.keys()) {
      values.add(variable);
      this.#values.delete(variable);
      this.#journal.values.delete(variable);
    }
    return values;
  }

  *#present(variables: ReadonlySet<ObjectWithValue>): Generator<ValueRow> {
    for (const variable of variables) if (this.#isPresent(variable)) yield valueRowOf(variable);
  }

  #isPresent(object: TreeObject): boolean {
    return this.#kernel.tree.find(object.id) === object;
  }
}

function* slices(rows: Iterable<ValueRow>, limit = Infinity): Generator<ValueRow[]> {
  let slice: ValueRow[] = [];
  let characters = 0;
  for (const row of rows) {
    slice.push(row);
    if (typeof row[1] === 'string') characters += row[1].length;
    if (slice.length < VALUES_SLICE && characters < limit) continue;
    yield slice;
    slice = [];
    characters = 0;
  }
  if (slice.length > 0) yield slice;
}

/** The newest records of each ring, as many as the table keeps. */
function newestOf(rows: AuditRow[]): AuditRow[] {
  if (rows.length <= AUDIT_KEPT) return rows;
  const counts = auditRoles.map(() => 0);
  const kept = rows.toReversed().filter(([ring]) => {
    counts[ring] = (counts[ring] ?? 0) + 1;
    return (counts[ring] ?? 0) <= AUDIT_KEPT;
  });
  return kept.reverse();
}
