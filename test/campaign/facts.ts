import type { Operation } from './operation-log.js';

/** The file, next to the data directory, in which a scenario notes what it has begun and what was acknowledged. */
export const FACTS_FILE = 'facts';

/** A change of what `key` names to `value`; null: it does not exist. `isDone`: the change was acknowledged. */
export interface Note {
  readonly key: string;
  readonly value: unknown;
  readonly isDone: boolean;
}

/** The values that a key may have after a crash: the last acknowledged one, and those begun since. */
export type AllowedValues = ReadonlyMap<string, readonly unknown[]>;

/**
 * The values that are allowed after the first `count` operations. The recorder keeps the notes in order with all
 * other changes, so it is known exactly what was acknowledged before a crash.
 */
export function allowedAfter(operations: readonly Operation[], count: number): AllowedValues {
  let inode = '';
  let text = '';
  for (const operation of operations.slice(0, count)) {
    if (operation.kind === 'create' && operation.path === `/${FACTS_FILE}`) inode = operation.inode;
    if (operation.kind === 'write' && operation.inode === inode) text += operation.data.toString();
  }
  const allowed = new Map<string, unknown[]>();
  for (const line of text.split('\n').slice(0, -1)) {
    const { key, value, isDone } = JSON.parse(line) as Note;
    if (isDone) allowed.set(key, [value]);
    // Nothing was there before the first change.
    else allowed.set(key, [...(allowed.get(key) ?? [null]), value]);
  }
  return allowed;
}
