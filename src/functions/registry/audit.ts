import { maskUrls, maskUrlsIn } from '../../base/url-secrets.js';
import type { AuditRecord, AuditRole } from '../../kernel/audit-record.js';
import type { Caller } from '../../device/declare.js';

/** The role of who calls: the owner, what runs inside the gateway (scripts, events, devices), the users of fronts. */
export function auditRoleOf({ role, remote }: Caller): AuditRole {
  if (role !== 'owner') return 'webfront';
  return remote === 'local' ? 'inside' : 'owner';
}

/** Takes the records; called on the way of a call, so it must only set them aside. */
export interface AuditSink {
  record(entry: AuditRecord): void;
}

/** Rejections of one kind are counted for so long, s, before the next one is recorded. */
const COUNTED_S = 600;
/** Kinds that are counted at a time. */
const KINDS_LIMIT = 256;

/**
 * Counts rejections: of calls of one user at one address to one function that fail with the same code, the first is
 * recorded, and those that follow as one number. The owner's are recorded one by one.
 */
export class CountingAudit implements AuditSink {
  readonly #audit: AuditSink;
  readonly #counted = new Map<string, { readonly first: AuditRecord; last: AuditRecord; count: number }>();

  constructor(audit: AuditSink) {
    this.#audit = audit;
  }

  /** See {@link AuditSink}. */
  record(entry: AuditRecord): void {
    const { role, user, remote, method, ok, code = '', at } = entry;
    if (ok || role === 'owner') return this.#audit.record(entry);
    const kind = [user, remote, method, code].join('\n');
    const counted = this.#counted.get(kind);
    if (counted !== undefined && at - counted.first.at < COUNTED_S && at >= counted.first.at) {
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

  /** Records what was counted so far, for those who read the audit. */
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

/** Enough to see what was done; a script's text or a configuration would fill the audit by itself. */
const TEXT_LIMIT = 120;

/** Parameters as the audit keeps them: texts and lists are cut. */
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
