import type { TextRecord } from '../base/codes/coded-text.js';
import type { WorkerClient } from '../sqlite/worker-client.js';
import type { SharedProgress } from '../sqlite/shared-progress.js';
import type { BackupContent, BackupFile } from './backup-list.js';
import type { WorkerRequest } from '../sqlite/worker-protocol.js';

/** A stored object: id, type, id of the parent, and two JSON texts. */
export type ObjectRow = readonly [id: number, type: number, parent: number, attributes: string, data: string];
/** A stored value; booleans are 0 and 1. Times are unix seconds. */
export type ValueRow = readonly [id: number, value: number | string, updated: number, changed: number];

/** An audit record in JSON, and the index of its role in `auditRoles`. */
export type AuditRow = readonly [ring: number, record: string];

/** The content of one transaction. */
export interface Batch {
  readonly objects: readonly ObjectRow[];
  readonly removed: readonly number[];
  /** The name and JSON of a profile, or null if it was deleted. */
  readonly profiles: readonly (readonly [name: string, profile: string | null])[];
  readonly meta: readonly (readonly [name: string, value: string])[];
  readonly values: readonly ValueRow[];
  /** Oldest first. */
  readonly audit: readonly AuditRow[];
}

/** Paths of the store. */
export interface StorePaths {
  readonly directory: string;
  /** On a tmpfs. If undefined, a crash loses the values since the last commit. */
  readonly runtimeDirectory: string | undefined;
  /**
   * Files that a backup includes in addition to the database: the name in the backup → the path, or paths of
   * which the first that exists is meant.
   */
  readonly files: Readonly<Record<string, string | readonly string[]>>;
}

/** The state of the database when it was opened. */
export interface OpenReport {
  readonly found: 'sound' | 'new' | 'lost' | 'repaired' | 'from-backup' | 'read-only';
  /** Problems, with the names of quarantined files and of the backup used; undefined: there are none. */
  readonly text: TextRecord | undefined;
  /** Names of quarantined databases: damaged ones, and those of newer versions. */
  readonly quarantined: readonly string[];
  readonly newer: readonly string[];
  /** The backup that replaced a database of a newer version at this start. */
  readonly insteadOfNewer: string | undefined;
  /** The next change gets the counter after this one; counters up to `reserved` are reserved. */
  readonly counter: number;
  readonly reserved: number;
  readonly meta: readonly (readonly [name: string, value: string])[];
  readonly profiles: readonly string[];
}

/** A page of rows as one JSON text, and the position of the next page; undefined at the end. */
export interface RowPage {
  readonly text: string;
  readonly next: number | undefined;
}

/** The requests that the store's worker serves. */
export interface StoreRequests {
  open: { request: { places: StorePaths; nowMs: number; life: string }; reply: OpenReport };
  rows: { request: { after: number }; reply: RowPage };
  /** Ends loading; returns descriptions of the damaged rows. */
  loaded: { request: object; reply: { restored: readonly string[]; lost: readonly string[] } };
  stage: { request: { values: readonly ValueRow[] }; reply: object };
  commit: { request: { batch: Batch }; reply: object };
  runtime: { request: { values: readonly ValueRow[]; counter: number }; reply: object };
  audit: { request: { limit: number; ring: number | undefined }; reply: { records: readonly string[] } };
  backup: {
    request: {
      reason: string;
      note: string;
      nowMs: number;
      kept: number;
      progress?: SharedProgress | undefined;
    };
    reply: { file: string; bytes: number; leftOut: readonly string[] };
  };
  backups: { request: { directory: string }; reply: { backups: readonly BackupFile[] } };
  /** Checks a backup completely; the store serves nothing else meanwhile. */
  readBackup: { request: { path: string }; reply: BackupContent };
  /** Bytes that the store has written so far; undefined if the kernel does not count them. */
  status: { request: object; reply: { bytes: number | undefined } };
  close: { request: object; reply: object };
}

export type StoreRequest = WorkerRequest<StoreRequests>;

/** The client side of the store's worker. */
export type StoreWorker = WorkerClient<StoreRequests>;

/** Counters are reserved in blocks (interface, decision 9). */
export const COUNTER_BLOCK = 65_536;
/** The end of the block after the one that contains `counter`. */
export function blockAfter(counter: number): number {
  return (Math.ceil(counter / COUNTER_BLOCK) + 1) * COUNTER_BLOCK;
}

/** Default number of backups that are kept, including those made on request. */
export const BACKUPS_KEPT = 7;
/** Audit records kept per ring. */
export const AUDIT_KEPT = 10_000;
