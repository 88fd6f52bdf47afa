/**
 * Records in a bare SQLite and nothing else: `node rows.js FILE`. It writes them like the archive's
 * connection (WAL, each commit flushed), one row each, a thousand per commit: SetValue(1, count) writes this
 * number for one variable, SetValue(2, count) for two thousand variables alternately. SetValue(3, from)
 * aggregates the one variable since then by day, and variable 4 is the duration in milliseconds.
 */
import { DatabaseSync } from 'node:sqlite';
import { bareApi, listen } from './json-rpc-server.js';

const BATCH = 1000;
const CHANGING = 2000;
const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

const db = new DatabaseSync(process.argv[2] ?? '');
db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL');
db.exec(
  'CREATE TABLE records (variable INTEGER, at INTEGER, value REAL, PRIMARY KEY (variable, at)) WITHOUT ROWID',
);
const insert = db.prepare('INSERT INTO records VALUES (?, ?, ?)');
const byDay = db.prepare(
  `SELECT at / ${DAY_MS}, avg(value), min(value), max(value) FROM records WHERE variable = 0 AND at >= ? GROUP BY 1`,
);

/** Writes records; the function returns the variable of the n-th one. */
function writer(variableOf: (n: number) => number): (expected: number) => void {
  let written = 0;
  return (expected) => {
    for (const end = written + expected; written < end;) {
      db.exec('BEGIN');
      for (const stop = Math.min(end, written + BATCH); written < stop; written++)
        insert.run(variableOf(written), written * MINUTE_MS, 20 + (written % 100) / 10);
      db.exec('COMMIT');
    }
  };
}

const values = new Map<number, unknown>();
const acts = new Map([
  [1, writer(() => 0)],
  [2, writer((n) => 1 + (n % CHANGING))],
  [
    3,
    (fromMs: number) => {
      const start = process.hrtime.bigint();
      byDay.all(fromMs);
      values.set(4, Number(process.hrtime.bigint() - start) / 1e6);
    },
  ],
]);
listen(bareApi(values, (id) => acts.get(id)?.(Number(values.get(id)))));
