/** Shown in place of a secret; writing it back keeps the secret (interface, decision 16). */
export const HIDDEN = '***';

/** `scheme://user:` and the password up to the last `@` before a path (RFC 3986 §3.2.1). */
const USER_INFO = /([a-z][\w+.-]{0,30}:\/\/[^\s/?#@:"]{0,256}:)([^\s/?#"]{1,1024})(?=@)/gi;
/** A parameter of a URL's query whose name says that it is a secret. */
const PARAMETER =
  /([?&](?:pass|password|passwd|pwd|token|access_token|auth_token|secret|client_secret|api_?key|key)=)([^\s&#"]{1,1024})/gi;
const MARK = /:\/\/|[?&]/;

/** The text with the secrets in its URLs hidden: `mqtt://user:***@host`, `http://host/?token=***`. */
export function maskUrls(text: string): string {
  if (!MARK.test(text)) return text;
  return text.replace(USER_INFO, `$1${HIDDEN}`).replace(PARAMETER, `$1${HIDDEN}`);
}

/** The secrets in the URLs of a text. */
export function urlSecrets(text: string): string[] {
  if (!MARK.test(text)) return [];
  return [USER_INFO, PARAMETER].flatMap((what) =>
    Array.from(text.matchAll(what), ([, , secret = '']) => secret),
  );
}

/** The secrets in the URLs of a JSON value's texts, however deep. */
export function urlSecretsIn(value: unknown): string[] {
  const secrets: string[] = [];
  mapTexts(value, undefined, (text) => {
    secrets.push(...urlSecrets(text));
    return text;
  });
  return secrets;
}

/** A JSON value with the secrets in the URLs of its texts hidden, however deep. */
export function maskUrlsIn(value: unknown): unknown {
  return mapTexts(value, undefined, maskUrls);
}

/**
 * A value that is written, with the secrets of the stored one where it has them hidden: the text as it was
 * shown stands for the stored text.
 */
export function unmaskUrlsIn(given: unknown, stored: unknown): unknown {
  return mapTexts(given, stored, (text, before) =>
    typeof before === 'string' && text !== before && text === maskUrls(before) ? before : text,
  );
}

/** Whether a text in the value still has a masked secret in a URL, for which there is no stored secret. */
export function hasMaskedUrl(value: unknown): boolean {
  return urlSecretsIn(value).includes(HIDDEN);
}

function mapTexts(value: unknown, other: unknown, map: (text: string, other: unknown) => string): unknown {
  if (typeof value === 'string') return map(value, other);
  if (Array.isArray(value)) {
    const others: readonly unknown[] = Array.isArray(other) ? other : [];
    return value.map((item, index) => mapTexts(item, others[index], map));
  }
  if (typeof value !== 'object' || value === null) return value;
  const others = typeof other === 'object' && other !== null ? (other as Record<string, unknown>) : {};
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [name, mapTexts(item, others[name], map)]),
  );
}
