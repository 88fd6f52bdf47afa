import { maskUrls, maskUrlsIn } from '../../base/url-secrets.js';
import type { AuditRecord, AuditRole } from '../../kernel/audit-record.js';
import type { Caller } from '../../device/declare.js';

/**
 * The audit role of a caller: the owner, code inside the gateway (scripts, events, devices), or a web front
 * user.
 */
export function auditRoleOf({ role, remote }: Caller): AuditRole {
  if (role !== 'owner') return 'webfront';
  return remote === 'local' ? 'inside' : 'owner';
}

/** Receives audit records. It is called during a function call, so it must only queue them. */
export interface AuditSink {
  record(entry: AuditRecord): void;
}

/** How long identical rejections are only counted before the next one is recorded, s. */
const COUNTING_S = 600;
/** The maximum number of distinct rejections counted at the same time. */
const KINDS_LIMIT = 256;

/**
 * Merges repeated rejections. Of failed calls with the same user, address, device, function and code, the first is
 * recorded, and the following ones as a count. The owner's calls are recorded individually.
 */
export class CountingAudit implements AuditSink {
  readonly #audit: AuditSink;
  readonly #counted = new Map<string, { readonly first: AuditRecord; last: AuditRecord; count: number }>();

  constructor(audit: AuditSink) {
    this.#audit = audit;
  }

  /** See {@link AuditSink}. */
  record(entry: AuditRecord): void {
    const { role, user, remote, device = '', method, ok, code = '', at } = entry;
    if (ok || role === 'owner') return this.#audit.record(entry);
    const kind = [user, remote, device, method, code].join('\n');
    const counted = this.#counted.get(kind);
    if (counted !== undefined && at - counted.first.at < COUNTING_S && at >= counted.first.at) {
      counted.count += 1;
      counted.last = entry;
      return;
    }
    if (counted !== undefined) this.#end(kind);
    this.#audit.record(entry);
    this.#counted.set(kind, { first: entry, last: entry, count: 0 });
    if (this.#counted.size <= KINDS_LIMIT) return;
    const [oldest] = this.#counted.keys();
    if (oldest !== undefined) this.#end(oldest);
  }

  /** Records the pending counts, before somebody reads the audit. */
  flush(): void {
    for (const kind of this.#counted.keys()) this.#end(kind);
  }

  #end(kind: string): void {
    const counted = this.#counted.get(kind);
    this.#counted.delete(kind);
    if (counted !== undefined && counted.count > 0)
      this.#audit.record({ ...counted.last, count: counted.count });
  }
}

/**
 * Maximum length of a recorded parameter, characters. A script or a configuration would fill the audit on its
 * own.
 */
const TEXT_LIMIT = 120;

/** Parameters as the audit stores them: long strings, lists and objects are truncated. */
export function shortenParameters(params: readonly unknown[]): readonly unknown[] {
  return params.map((param) =>
    isLong(param) ? cut(param) : typeof param === 'string' ? maskUrls(param) : param,
  );
}

function isLong(param: unknown): boolean {
  return typeof param === 'string' ? param.length > TEXT_LIMIT : typeof param === 'object' && param !== null;
}

function cut(param: unknown): string {
  const text = typeof param === 'string' ? maskUrls(param) : JSON.stringify(maskUrlsIn(param));
  return text.length > TEXT_LIMIT ? `${text.slice(0, TEXT_LIMIT)}…` : text;
}

/** What the audit records instead of a text that may contain a password. */
export const redacted = (text: string): string => `(${text.length} characters)`;
