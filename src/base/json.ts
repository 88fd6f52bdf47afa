/** An integer in plain digits that may be too long for a number. */
const LONG_INTEGER = /^[+-]?\d{16,}$/;

/**
 * Whether a numeral would become another number without anybody noticing: an integer in plain digits that no double is, such as
 * 9007199254740993. The shortest form of a double passes, too: that is how most languages write large ones.
 */
export function isInexact(numeral: string): boolean {
  if (!LONG_INTEGER.test(numeral)) return false;
  const number = Number(numeral);
  if (Number.isSafeInteger(number) || String(number) === numeral) return false;
  return !Number.isFinite(number) || BigInt(number) !== BigInt(numeral.replace('+', ''));
}

/** As JSON.parse, but integers that no number represents exactly are a bigint. Much slower: for texts that have some. */
export function parseExactly(text: string): unknown {
  return JSON.parse(text, withBigInts as (key: string, value: unknown) => unknown) as unknown;
}

/** What V8 hands to a reviver beside the value (ECMAScript proposal JSON.parse source text access). */
function withBigInts(_key: string, value: unknown, { source }: { source?: string }): unknown {
  return typeof value === 'number' && source !== undefined && isInexact(source) ? BigInt(source) : value;
}

/** As {@link parseExactly}, for texts of a few kilobytes of which nobody knows whether they have such integers. */
export function parseJson(text: string): unknown {
  return /\d{16}/.test(text) ? parseExactly(text) : (JSON.parse(text) as unknown);
}

/** Whether there is a bigint anywhere in what {@link parseExactly} gave. */
export function findBigInt(value: unknown): bigint | undefined {
  if (typeof value === 'bigint') return value;
  if (typeof value !== 'object' || value === null) return undefined;
  for (const item of Object.values(value)) {
    const found = findBigInt(item);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The value of a JSON text; `otherwise` where there is none, or it is damaged. */
export function parseJsonOr<T>(text: string | undefined, otherwise: T): T {
  try {
    return text === undefined ? otherwise : (JSON.parse(text) as T);
  } catch {
    return otherwise;
  }
}
