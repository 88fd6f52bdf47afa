/**
 * Roles with separate rings in the audit, so that none can displace the records of another. `unverified`: whoever
 * gave a wrong password.
 */
export const auditRoles = ['owner', 'inside', 'webfront', 'unverified'] as const;
export type AuditRole = (typeof auditRoles)[number];

/** One audit record: who switched or changed what, and from where (`GW_GetAudit`). */
export interface AuditRecord {
  /** Absent in records from before roles were introduced, which belong to the owner. */
  readonly role?: AuditRole;
  /** Unix seconds. */
  readonly at: number;
  readonly user: string;
  /** Remote address, or `local` for calls from within the gateway. */
  readonly remote: string;
  /** What the user of a browser session called the device. */
  readonly device?: string;
  readonly method: string;
  /** Secrets are masked, long values are truncated. */
  readonly params: readonly unknown[];
  readonly ok: boolean;
  /** The stable name of the fault, if the call failed. */
  readonly code?: string;
  /** The number of identical rejections since the record of the first one. */
  readonly count?: number;
}
