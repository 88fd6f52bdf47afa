import { coded } from '../../base/codes/coded-text.js';
import { createECDH } from 'node:crypto';
import { fault } from '../../base/fault.js';
import { parseJsonOr } from '../../base/json.js';

/** Where messages for one browser are sent; as the browser gave it. */
export interface PushSubscription {
  /** The ID of the browser's session: the subscription ends with it. */
  readonly session: string;
  readonly configurator: number;
  readonly device: string;
  readonly language: 'de' | 'en';
  readonly endpoint: string;
  /** Base64url. */
  readonly p256dh: string;
  readonly auth: string;
  /** When it was made, unix s. */
  readonly at: number;
}

/** The texts of a request. */
export type GivenSubscription = Partial<Record<'endpoint' | 'p256dh' | 'auth' | 'language', string>>;

/** Push services use 200 to 500 characters. */
const ENDPOINT_LIMIT = 1024;
const AUTH_LENGTH = 16;
const CURVE = 'prime256v1';

/**
 * Checks what a browser sent, which may be anything: the endpoint is requested by the gateway, so it must be
 * HTTPS at the usual port, without credentials. Throws `INVALID_REQUEST`.
 */
export function checkSubscription(
  given: GivenSubscription,
): Pick<PushSubscription, 'endpoint' | 'p256dh' | 'auth' | 'language'> {
  const { endpoint = '', p256dh = '', auth = '', language } = given;
  const url = URL.canParse(endpoint) ? new URL(endpoint) : undefined;
  if (endpoint.length > ENDPOINT_LIMIT || url?.protocol !== 'https:' || url.username + url.password !== '')
    throw fault(
      'INVALID_REQUEST',
      coded`ENDPOINT_MUST_HTTPS_URL: endpoint must be an https URL of a push service`,
    );
  if (!isPoint(p256dh))
    throw fault('INVALID_REQUEST', coded`P256DH_INVALID: p256dh must be a point of P-256, base64url`);
  if (bytesOf(auth)?.length !== AUTH_LENGTH)
    throw fault(
      'INVALID_REQUEST',
      coded`AUTH_MUST_BYTES_BASE64URL: auth must be ${AUTH_LENGTH} bytes, base64url`,
    );
  return { endpoint: url.href, p256dh, auth, language: language === 'de' ? 'de' : 'en' };
}

/** Reads the file of the subscriptions; damaged entries are left out. */
export function readSubscriptions(text: string): readonly PushSubscription[] {
  const stored = parseJsonOr<{ version?: unknown; subscriptions?: unknown } | undefined>(text, undefined);
  if (stored?.version !== 1 || !Array.isArray(stored.subscriptions)) return [];
  return stored.subscriptions.flatMap((entry: unknown) => {
    const { session, configurator, device, at, ...given } = Object(entry) as PushSubscription;
    if (typeof session !== 'string' || typeof device !== 'string') return [];
    if (!Number.isInteger(configurator) || !Number.isInteger(at)) return [];
    try {
      return [{ session, configurator, device, at, ...checkSubscription(given) }];
    } catch {
      // Damaged: its user subscribes again.
      return [];
    }
  });
}

function bytesOf(text: string): Buffer | undefined {
  return typeof text === 'string' && /^[\w-]{1,120}$/.test(text) ? Buffer.from(text, 'base64url') : undefined;
}

function isPoint(text: string): boolean {
  const bytes = bytesOf(text);
  if (bytes?.length !== 65 || bytes[0] !== 4) return false;
  try {
    const own = createECDH(CURVE);
    own.generateKeys();
    return own.computeSecret(bytes).length > 0;
  } catch {
    // Not on the curve.
    return false;
  }
}
