import type { AuditEntry } from '../../../client/generated/records.js';

/**
 * Entries, newest first, with keys that they keep when newer ones arrive. Equal ones are counted from the
 * oldest.
 */
export function withKeys(
  entries: readonly AuditEntry[],
): readonly (readonly [key: string, entry: AuditEntry])[] {
  const counts = new Map<string, number>();
  return entries.reduceRight<(readonly [string, AuditEntry])[]>((keyed, entry) => {
    const { TimeStamp, User, Method, Parameters } = entry;
    const text = JSON.stringify([TimeStamp, User, Method, Parameters]);
    const count = (counts.get(text) ?? 0) + 1;
    counts.set(text, count);
    return [[`${count} ${text}`, entry], ...keyed];
  }, []);
}
