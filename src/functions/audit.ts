/** Who switched or changed what, and from where: one line of `GW_GetAudit`. */
export interface AuditRecord {
  /** Unix seconds. */
  readonly at: number;
  readonly user: string;
  /** Remote address, or `local` for calls from inside. */
  readonly remote: string;
  readonly method: string;
  /** Without secrets, long ones shortened. */
  readonly params: readonly unknown[];
  readonly ok: boolean;
  /** The stable name of the failure, where it failed. */
  readonly code?: string;
}

/** Takes the records; called on the way of a call, so it must only set them aside. */
export interface Audit {
  record(entry: AuditRecord): void;
}

/** Enough to see what was done; a script's text or a configuration would fill the audit by itself. */
const TEXT_LIMIT = 120;

/** Parameters as the audit keeps them: texts and lists are cut. */
export function shortened(params: readonly unknown[]): readonly unknown[] {
  return params.some(isLong) ? params.map((param) => (isLong(param) ? cut(param) : param)) : params;
}

function isLong(param: unknown): boolean {
  return typeof param === 'string' ? param.length > TEXT_LIMIT : typeof param === 'object' && param !== null;
}

function cut(param: unknown): string {
  const text = typeof param === 'string' ? param : JSON.stringify(param);
  return text.length > TEXT_LIMIT ? `${text.slice(0, TEXT_LIMIT)}…` : text;
}
