import type { WorkerClient } from '../sqlite/worker-client.js';
import type { WorkerRequest } from '../sqlite/worker-protocol.js';

/** An object as it is stored: id, type, parent's id, and two JSON texts. */
export type ObjectRow = readonly [id: number, type: number, parent: number, attributes: string, data: string];
/** A variable's value; booleans as 0 and 1. Times are unix seconds. */
export type ValueRow = readonly [id: number, value: number | string, updated: number, changed: number];

/** An audit record in JSON, and the index of its role in `auditRoles`. */
export type AuditRow = readonly [ring: number, record: string];

/** What one transaction writes. */
export interface Batch {
  readonly objects: readonly ObjectRow[];
  readonly removed: readonly number[];
  /** A profile's name and JSON, or null where it is gone. */
  readonly profiles: readonly (readonly [name: string, profile: string | null])[];
  readonly meta: readonly (readonly [name: string, value: string])[];
  readonly values: readonly ValueRow[];
  /** Oldest first. */
  readonly audit: readonly AuditRow[];
  /** True when `values` holds all that the runtime directory does: it is emptied then. */
  readonly emptiesRuntime: boolean;
}

/** Where things are. */
export interface StorePaths {
  readonly directory: string;
  /** On a tmpfs, or undefined: then a crash loses the values since the last commit. */
  readonly runtimeDirectory: string | undefined;
  /** Files that go into a backup beside the database: the name there → the path. */
  readonly files: Readonly<Record<string, string>>;
}

/** How the database was found. */
export interface OpenReport {
  readonly found: 'sound' | 'new' | 'lost' | 'repaired' | 'from-backup' | 'read-only';
  /** What was wrong, where something was, with the names of the files that were set aside and taken. */
  readonly text: string;
  /** Damaged databases that are kept aside. */
  readonly quarantined: readonly string[];
  /** The first counter is the one after this; all up to `reserved` are reserved. */
  readonly counter: number;
  readonly reserved: number;
  readonly meta: readonly (readonly [name: string, value: string])[];
  readonly profiles: readonly string[];
}

/** Rows of {@link Database.rows}: one JSON text, and where to go on; undefined at the end. */
export interface RowPage {
  readonly text: string;
  readonly next: number | undefined;
}

/** The requests that the store's worker serves. */
export interface StoreRequests {
  open: { request: { places: StorePaths; nowMs: number; life: string }; reply: OpenReport };
  rows: { request: { after: number }; reply: RowPage };
  /** All was read; what was damaged, for people. */
  loaded: { request: object; reply: { restored: readonly string[]; lost: readonly string[] } };
  stage: { request: { values: readonly ValueRow[] }; reply: object };
  commit: { request: { batch: Batch }; reply: object };
  runtime: { request: { values: readonly ValueRow[]; counter: number }; reply: object };
  audit: { request: { limit: number; ring: number | undefined }; reply: { records: readonly string[] } };
  backup: {
    request: { reason: string; nowMs: number; kept: number };
    reply: { file: string; bytes: number; leftOut: readonly string[] };
  };
  /** Bytes that the store has written so far; undefined where the kernel does not count them. */
  status: { request: object; reply: { bytes: number | undefined } };
  close: { request: object; reply: object };
}

export type StoreRequest = WorkerRequest<StoreRequests>;

/** The store's worker as its client sees it. */
export type StoreWorker = WorkerClient<StoreRequests>;

/** Counters are reserved ahead in blocks (decision 9). */
export const COUNTER_BLOCK = 65_536;
/** The end of the block that follows the one in which `counter` lies. */
export function blockAfter(counter: number): number {
  return (Math.ceil(counter / COUNTER_BLOCK) + 1) * COUNTER_BLOCK;
}

/** How many backups are kept, whatever they were made for, unless configured otherwise. */
export const BACKUPS_KEPT = 7;
/** The newest audit records that are kept of each ring. */
export const AUDIT_KEPT = 10_000;
