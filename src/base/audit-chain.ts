import { createHash } from 'node:crypto';
import { parseJsonOr } from './json.js';

/**
 * A record of the audit as it is stored and exported: one line of JSON. `seq` counts the records of a role;
 * `prev` is the digest of the line before. Records from before the chain was introduced have neither.
 */
interface AuditLine {
  readonly role?: string;
  readonly seq?: number;
  readonly prev?: string;
}

/** What was found in the lines of one role. */
export interface ChainReport {
  readonly role: string;
  records: number;
  /** The numbers of the first and the last record; 0 if it has none. */
  first: number;
  last: number;
  /** The digest of the last line. */
  digest: string;
  /** Where the chain is broken: the record that does not follow the one before it. */
  readonly breaks: number[];
}

/** The digest of a line: SHA-256 of its text in UTF-8, as base64url (RFC 4648 §5). */
export const digestOf = (line: string): string => createHash('sha256').update(line).digest('base64url');

/** Adds a record, a JSON object with at least one member, to a chain. `before` is the line before it. */
export function chained(record: string, before: string | undefined): string {
  const seq = (before === undefined ? 0 : (lineOf(before)?.seq ?? 0)) + 1;
  const prev = before === undefined ? '' : digestOf(before);
  return `${JSON.stringify({ seq, prev }).slice(0, -1)},${record.slice(1)}`;
}

/** The parsed line; undefined if it is no JSON object. */
export function lineOf(text: string): AuditLine | undefined {
  const line = parseJsonOr<unknown>(text, undefined);
  return typeof line === 'object' && line !== null ? line : undefined;
}

/** Follows the chain of each role through lines in the order in which they were written. */
export function followChains(lines: Iterable<string>): ChainReport[] {
  const reports = new Map<string, ChainReport>();
  const before = new Map<string, string>();
  for (const text of lines) {
    const line = lineOf(text);
    const role = line?.role ?? 'owner';
    const report = reports.get(role) ?? { role, records: 0, first: 0, last: 0, digest: '', breaks: [] };
    reports.set(role, report);
    report.records += 1;
    const seq = line?.seq ?? 0;
    const previous = before.get(role);
    // The lines before the oldest one have been deleted; those without a number are older than the chain.
    const follows =
      line !== undefined &&
      (previous === undefined ||
        (seq === 0 ? report.last === 0 : seq === report.last + 1 && line.prev === digestOf(previous)));
    if (!follows) report.breaks.push(seq);
    if (report.first === 0) report.first = seq;
    report.last = seq;
    report.digest = digestOf(text);
    before.set(role, text);
  }
  return [...reports.values()];
}
