import { parseJsonOr } from '../../base/json.js';
import { kindOf, type StoredSession } from './session-state.js';

/** The content of the file. */
export interface StoredSessions {
  /** When it was written, unix ms; undefined if the wall clock was not set. */
  readonly savedMs: number | undefined;
  /** A slow hash of what opened an account, by its name. */
  readonly proofs: ReadonlyMap<string, string>;
  readonly sessions: readonly StoredSession[];
}

/** Reads the text of the file; damaged entries are left out. Throws if it is not such a file. */
export function readSessions(text: string): StoredSessions {
  const stored = parseJsonOr<Record<string, unknown> | undefined>(text, undefined);
  if (stored?.['version'] !== 1) throw new Error('the sessions file is damaged');
  const { savedMs, accounts, sessions } = stored;
  const proofs = Object.entries(Object(accounts) as Record<string, unknown>);
  return {
    savedMs: isDuration(savedMs) ? savedMs : undefined,
    proofs: new Map(proofs.filter((one): one is [string, string] => typeof one[1] === 'string')),
    sessions: Array.isArray(sessions) ? sessions.flatMap(readSession) : [],
  };
}

function readSession(stored: unknown): readonly StoredSession[] {
  const { id, account, digest, device, remote, ageMs, idleMs, leftMs } = Object(stored) as Record<
    string,
    unknown
  >;
  const texts = [id, account, digest, device, remote];
  if (!texts.every((one) => typeof one === 'string') || ![ageMs, idleMs, leftMs].every(isDuration)) return [];
  const bytes = Buffer.from(String(digest), 'base64url');
  if (bytes.length !== 32 || kindOf(String(account)) === undefined) return [];
  return [{ ...(stored as StoredSession), digest: bytes }];
}

const isDuration = (value: unknown): value is number =>
  typeof value === 'number' && Number.isFinite(value) && value >= 0;
