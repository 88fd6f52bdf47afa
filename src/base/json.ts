/** An integer in plain digits that may be too long for a number. */
const LONG_INTEGER = /^[+-]?\d{16,}$/;

/**
 * Whether a numeral is an integer in plain digits that a double cannot represent, such as 9007199254740993.
 * The shortest form of a double is exact: most languages write large doubles that way.
 */
export function isInexact(numeral: string): boolean {
  if (!LONG_INTEGER.test(numeral)) return false;
  const number = Number(numeral);
  if (Number.isSafeInteger(number) || String(number) === numeral) return false;
  return !Number.isFinite(number) || BigInt(number) !== BigInt(numeral.replace('+', ''));
}

/**
 * JSON.parse with a bigint for each integer that no number represents exactly. Much slower than
 * JSON.parse: use it only for texts that contain such integers.
 */
export function parseExactly(text: string): unknown {
  return JSON.parse(text, withBigInts as (key: string, value: unknown) => unknown) as unknown;
}

/** The reviver's third argument is the source text (ECMAScript, JSON.parse source text access). */
function withBigInts(_key: string, value: unknown, { source }: { source?: string }): unknown {
  return typeof value === 'number' && source !== undefined && isInexact(source) ? BigInt(source) : value;
}

/** As {@link parseExactly}, for texts of a few kilobytes that may have such integers. */
export function parseJson(text: string): unknown {
  return /\d{16}/.test(text) ? parseExactly(text) : (JSON.parse(text) as unknown);
}

/** The first bigint in a value from {@link parseExactly}, at any depth. */
export function findBigInt(value: unknown): bigint | undefined {
  if (typeof value === 'bigint') return value;
  if (typeof value !== 'object' || value === null) return undefined;
  for (const item of Object.values(value)) {
    const found = findBigInt(item);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Parses a JSON text; returns `otherwise` if it is missing or invalid. */
export function parseJsonOr<T>(text: string | undefined, otherwise: T): T {
  try {
    return text === undefined ? otherwise : (JSON.parse(text) as T);
  } catch {
    return otherwise;
  }
}
