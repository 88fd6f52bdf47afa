import { HIDDEN, maskUrls } from '../base/url-secrets.js';

/** Parts of names whose values are secrets, as letters and digits in lower case. */
const SECRET_PARTS = [
  'password',
  'passwd',
  'passphrase',
  'passcode',
  'secret',
  'token',
  'apikey',
  'privatekey',
  'networkkey',
  'encryptionkey',
  'credential',
  'authorization',
  'username',
  'mqttuser',
] as const;
/** Complete names; within other names, they mean something else (`code_format`). */
const SECRET_NAMES: ReadonlySet<string> = new Set([
  'pass',
  'pwd',
  'psk',
  'pin',
  'code',
  'key',
  'auth',
  'cookie',
]);

/** A name that is followed by a value, within a text: `Password1 abc`, `token: abc`, `"api_key": "abc"`. */
const NAMED_VALUE =
  /(?:password|passwd|passphrase|passcode|secret|token|api[_-]?key|private[_-]?key|network[_-]?key|credential|authorization|username)\w{0,20}["']?(?:\s{0,4}[:=]\s{0,4}|\s{1,4})["']?[^\s"'{}%|*]/i;

/** Whether the value with this name, or the message with this level of its topic, is a secret. */
function isSecretName(name: string): boolean {
  const plain = name.toLowerCase().replace(/[^a-z\d]/g, '');
  return SECRET_NAMES.has(plain) || SECRET_PARTS.some((part) => plain.includes(part));
}

/** Deeper JSON is hidden: the search would exhaust the stack. */
const DEPTH_LIMIT = 100;

interface Named {
  readonly topic: string;
  readonly payload: Buffer;
}

/**
 * A message or bytes without secrets, each replaced by `***`:
 * - the payload, if a level of the topic is named like a secret;
 * - values of JSON with such a name, however deep, and passwords and tokens in URLs;
 * - a text in which such a name is followed by a value, because it cannot be seen where the value ends;
 * - `texts`: secrets that the user names, in topics, too.
 *
 * Returns the same payload if there is none.
 */
export function hideSecrets({ topic, payload }: Named, texts: readonly string[]): Named {
  const shown = hideTexts(topic, texts);
  if (payload.length > 0 && topic.split('/').some(isSecretName))
    return { topic: shown, payload: Buffer.from(HIDDEN) };
  // Latin-1 keeps each byte; texts are compared as their UTF-8 bytes.
  const bytes = texts.map((text) => Buffer.from(text).toString('latin1'));
  const known = Buffer.from(hideTexts(payload.toString('latin1'), bytes), 'latin1');
  const before = known.toString();
  const after = hideInText(before);
  if (after !== before) return { topic: shown, payload: Buffer.from(after) };
  return { topic: shown, payload: known.equals(payload) ? payload : known };
}

const hideTexts = (text: string, secrets: readonly string[]): string =>
  secrets.reduce((rest, secret) => rest.replaceAll(secret, HIDDEN), text);

function hideInText(text: string): string {
  const json = jsonOf(text);
  if (json === undefined) return hideInString(text);
  const found = { count: 0 };
  const shown = hideInValue(json, found, 0);
  // Without a secret, the original keeps the publisher's own spaces and numbers.
  return found.count === 0 ? text : JSON.stringify(shown);
}

/** Objects and lists only: any other payload is treated as a text. */
function jsonOf(text: string): object | undefined {
  if (!/^\s*[[{]/.test(text)) return undefined;
  try {
    return JSON.parse(text) as object;
  } catch {
    return undefined;
  }
}

function hideInString(text: string): string {
  const shown = maskUrls(text);
  return NAMED_VALUE.test(shown) ? HIDDEN : shown;
}

function hideInValue(value: unknown, found: { count: number }, depth: number): unknown {
  if (depth > DEPTH_LIMIT) {
    found.count += 1;
    return HIDDEN;
  }
  if (typeof value === 'string') {
    const shown = hideInString(value);
    if (shown !== value) found.count += 1;
    return shown;
  }
  if (Array.isArray(value)) return value.map((item) => hideInValue(item, found, depth + 1));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => {
      if (!isSecret(name, item)) return [name, hideInValue(item, found, depth + 1)];
      found.count += 1;
      return [name, HIDDEN];
    }),
  );
}

/**
 * Booleans, null and empty texts are not secrets. A number named `code` or `key` is a key code or an error
 * code.
 */
function isSecret(name: string, value: unknown): boolean {
  if (typeof value === 'boolean' || value === null || value === '') return false;
  return isSecretName(name) && !(typeof value === 'number' && /^(?:code|key)$/i.test(name));
}
