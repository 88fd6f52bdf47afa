import type { LoadedRecords } from './session-database.js';

/** What the thread of the database serves. */
export interface SessionRequests {
  readonly open: { request: { path: string; maxBytes: number }; reply: LoadedRecords };
  readonly write: {
    request: { puts: readonly (readonly [string, Uint8Array])[]; deletes: readonly string[] };
    reply: object;
  };
  readonly close: { request: object; reply: object };
}
