import { parseJsonOr } from '../base/json.js';
import { auditRoles, type AuditRecord, type AuditRole } from '../kernel/audit-record.js';
import type { JournalWriter } from './journal-writer.js';
import type { PendingChanges } from './pending-changes.js';
import type { AuditRow, StoreWorker } from './worker-protocol.js';

/** Where the audit is: on the disk, and what is still to be written. */
interface AuditSource {
  readonly pending: PendingChanges;
  readonly writer: JournalWriter;
  readonly worker: StoreWorker;
}

/** The newest records, newest first, with those that cannot be written now; with a role only its ring's. */
export async function readAudit(
  source: AuditSource,
  limit: number,
  role?: AuditRole,
): Promise<AuditRecord[]> {
  const { pending, worker } = source;
  await written(source);
  const ring = role && auditRoles.indexOf(role);
  const isInRing = ([one]: AuditRow) => ring === undefined || one === ring;
  const waiting = pending.audit.filter(isInRing).reverse();
  const { records } = await worker.request('audit', { limit, ring }).catch((thrown: unknown) => {
    if (waiting.length > 0) return { records: [] };
    throw thrown;
  });
  return [...waiting.map(([, record]) => record), ...records]
    .slice(0, limit)
    .map((record) => parseJsonOr<AuditRecord | undefined>(record, undefined))
    .filter((record) => record !== undefined);
}

/** The newest records of a ring as they are stored, oldest first. */
export async function readAuditLines(source: AuditSource, limit: number, role: AuditRole): Promise<string[]> {
  await written(source);
  const ring = auditRoles.indexOf(role);
  const { records } = await source.worker.request('audit', { limit, ring });
  return records.toReversed();
}

/** Waits until what is recorded so far is on the disk, if it can be written. */
async function written({ pending, writer }: AuditSource): Promise<void> {
  if (pending.audit.length > 0) writer.schedule();
  await writer.settled();
}
