/** The reply to credentials. The session that begins is a cookie that pages cannot read. */
export type SignInResult =
  | { readonly kind: 'signed-in' }
  | { readonly kind: 'wrong' }
  | { readonly kind: 'wait'; readonly seconds: number }
  | { readonly kind: 'failed' };

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
