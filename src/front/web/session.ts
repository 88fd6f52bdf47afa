import { realTiming } from '../../client/timing.js';

/**
 * Time limit for the present session, ms: without packets from the gateway the browser waits for minutes, and
 * meanwhile the page does not connect.
 */
const SESSION_MS = 4000;

interface SessionState {
  readonly device: string;
  readonly validUntilMs: number;
  /** The area needs no password. */
  readonly open: boolean;
  /** The owner sees the front as its residents do. */
  readonly isOwnerView: boolean;
}

/**
 * The present session; undefined: there is none; rejects while the gateway cannot be reached, or is busy, and
 * after 4 s.
 */
export async function readSession(path: string): Promise<SessionState | undefined> {
  // Browsers before 2022 have no signal of a timeout.
  const limit = new AbortController();
  const cancel = realTiming.after(SESSION_MS, () => limit.abort());
  try {
    const response = await fetch(path, { cache: 'no-store', signal: limit.signal });
    if (response.status === 401) return undefined;
    if (!response.ok) throw new Error(`the gateway replied ${response.status}`);
    return (await response.json()) as SessionState;
  } finally {
    cancel();
  }
}
