import { RpcError } from '../../../client/errors.js';
import { errorText } from '../app.js';
import { firstPageTexts } from '../i18n/first-page.js';

/** What accepts the claim code. */
export const CLAIM_PATH = '/console/claim';

/** A reply that is no error of a function. */
class ClaimError extends Error {
  readonly kind: 'wrong' | 'wait' | 'failed';
  readonly seconds: number;

  constructor(kind: ClaimError['kind'], seconds = 0) {
    super(kind);
    this.kind = kind;
    this.seconds = seconds;
  }
}

/** Sends texts with the claim code; returns the reply, undefined if it is empty. Rejects if it is an error. */
export async function postClaim<T>(
  path: string,
  body: Readonly<Record<string, string>>,
): Promise<T | undefined> {
  const response = await fetch(CLAIM_PATH + path, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
    cache: 'no-store',
  });
  return readClaim<T>(response);
}

/** The reply to a request with the claim code. Rejects if it is an error. */
async function readClaim<T>(
  response: Pick<Response, 'ok' | 'status' | 'headers' | 'json'>,
): Promise<T | undefined> {
  if (response.ok) return response.status === 204 ? undefined : ((await response.json()) as T);
  const seconds = Number(response.headers.get('Retry-After') ?? 0);
  if (response.status === 401) throw new ClaimError('wrong');
  if (seconds > 0) throw new ClaimError('wait', seconds);
  if (response.status === 404) throw new ClaimError('failed');
  const { error } = (await response.json()) as {
    readonly error: { readonly code: number; readonly message: string; readonly data: unknown };
  };
  throw new RpcError(error.code, error.message, error.data);
}

/** What to show about a request that was rejected. */
export function claimProblem(thrown: unknown): string {
  const text = firstPageTexts();
  if (thrown instanceof ClaimError)
    return thrown.kind === 'wait' ? text.wait(thrown.seconds) : text[thrown.kind];
  return thrown instanceof RpcError ? errorText(thrown) : text.failed;
}
