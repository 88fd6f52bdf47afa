/** Ends the session; rejects if that failed. */
export async function signOut(path: string): Promise<void> {
  const { ok, status } = await fetch(path, { method: 'DELETE', cache: 'no-store' });
  // 401: it has ended already.
  if (!ok && status !== 401) throw new Error(String(status));
}
