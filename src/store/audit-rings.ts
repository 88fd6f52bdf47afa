import type { DatabaseSync } from 'node:sqlite';
import { chained } from '../base/audit-chain.js';
import { isSound, iterateRows } from './checksums.js';
import { AUDIT_KEPT, type Batch } from './worker-protocol.js';

/** A record's number in the audit is a multiple of this, plus the number of its ring. */
const RINGS = 4;
/** Records between two truncations of the rings, because each truncation reads all numbers. */
const PRUNE_EVERY = 500;

/**
 * Appends to the audit, which keeps the newest records of each ring, each with the digest of the one before.
 * After a write that is rolled back a new one is needed.
 */
export class AuditRings {
  /** Records since the rings were last truncated. */
  #written = PRUNE_EVERY;
  /** The newest line of each ring, once it is known. */
  readonly #newest = new Map<number, string | undefined>();

  /** `put` writes a row of the table. Call it within a transaction. */
  write(db: DatabaseSync, audit: Batch['audit'], put: (row: readonly [number, string]) => void): void {
    if (audit.length > 0) {
      const last = Number(db.prepare('SELECT coalesce(max(number), 0) AS last FROM audit').get()?.['last']);
      let place = Math.floor(last / RINGS);
      for (const [ring, record] of audit) {
        const line = chained(record, this.#newestOf(db, ring));
        this.#newest.set(ring, line);
        put([++place * RINGS + ring, line]);
      }
    }
    this.#written += audit.length;
    if (this.#written < PRUNE_EVERY) return;
    this.#written = 0;
    const prune = db.prepare(
      `DELETE FROM audit WHERE number % ${RINGS} = ?1 AND number <=
       (SELECT number FROM audit WHERE number % ${RINGS} = ?1 ORDER BY number DESC LIMIT 1 OFFSET ${AUDIT_KEPT})`,
    );
    for (let ring = 0; ring < RINGS; ring++) prune.run(ring);
  }

  #newestOf(db: DatabaseSync, ring: number): string | undefined {
    if (!this.#newest.has(ring)) this.#newest.set(ring, newestAudit(db, 1, ring)[0]);
    return this.#newest.get(ring);
  }
}

/** The newest records of one ring or of all, newest first, as JSON; damaged rows are skipped. */
export function newestAudit(db: DatabaseSync, limit: number, ring: number | undefined): string[] {
  const where = ring === undefined ? '' : `WHERE number % ${RINGS} = ${ring}`;
  const sql = `SELECT number, record, sum FROM audit ${where} ORDER BY number DESC LIMIT ?`;
  return [...iterateRows(db, sql, limit)].filter(isSound).map(([, record]) => String(record));
}
