import type { DatabaseSync, SQLInputValue, StatementResultingChanges } from 'node:sqlite';

/** A prepared statement whose rows are arrays of the type `R`. */
export interface ArrayStatement<R> {
  get(...parameters: SQLInputValue[]): R | undefined;
  all(...parameters: SQLInputValue[]): R[];
  iterate(...parameters: SQLInputValue[]): Iterable<R>;
  run(...parameters: SQLInputValue[]): StatementResultingChanges;
}

/**
 * Prepares a statement whose rows are arrays; `R` must match its columns. With `bigInts`, integers are
 * bigint: a flipped bit can make one too large for a number.
 */
export function prepareArrays<R extends readonly unknown[]>(
  db: DatabaseSync,
  sql: string,
  { bigInts = false } = {},
): ArrayStatement<R> {
  const statement = db.prepare(sql);
  statement.setReturnArrays(true);
  statement.setReadBigInts(bigInts);
  // Node's types describe rows as objects only.
  return statement as unknown as ArrayStatement<R>;
}
