/** Signing in and out over HTTP: the session is a cookie that pages cannot read. */
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

export type SignInResult =
  | { readonly kind: 'signed-in' }
  | { readonly kind: 'wrong' }
  | { readonly kind: 'wait'; readonly seconds: number }
  | { readonly kind: 'failed' };

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

/** Sends the credentials, which are kept nowhere. */
export async function signIn(
  path: string,
  credentials: Readonly<Record<string, string>>,
): Promise<SignInResult> {
  let response: Response;
  try {
    response = await fetch(path, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(credentials),
      cache: 'no-store',
    });
  } catch {
    return { kind: 'failed' };
  }
  if (response.ok) return { kind: 'signed-in' };
  if (response.status === 401) return { kind: 'wrong' };
  if (response.status === 429 || response.status === 503)
    return { kind: 'wait', seconds: Number(response.headers.get('Retry-After') ?? 30) || 30 };
  return { kind: 'failed' };
}

/** Ends the session; rejects if that failed. */
export async function signOut(path: string): Promise<void> {
  const { ok, status } = await fetch(path, { method: 'DELETE', cache: 'no-store' });
  // 401: it has ended already.
  if (!ok && status !== 401) throw new Error(String(status));
}

/** Whether others in the network could read what the page sends. */
export function isUnencrypted(): boolean {
  const isLoopback = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(location.hostname);
  return location.protocol === 'http:' && !isLoopback;
}

/** The program and the system of this browser, as far as it says so, for the list of sessions: `Firefox, Linux`. */
export function browserName(): string {
  const agent = navigator.userAgent;
  // Most claim to be the ones after them, too.
  const program = ['Edg', 'Firefox', 'Chrome', 'Safari'].find((one) => agent.includes(one));
  const system = ['Android', 'iPhone', 'iPad', 'Windows', 'Macintosh', 'Linux'].find((one) =>
    agent.includes(one),
  );
  return [program === 'Edg' ? 'Edge' : program, system].filter((one) => one !== undefined).join(', ');
}
