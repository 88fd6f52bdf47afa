/** Deeper values are not compared, so that a cycle ends. */
const DEPTH_LIMIT = 50;

/**
 * Whether two values of plain objects, arrays and primitives are deeply and strictly equal; false, too, if
 * they contain anything else. Much faster than `isDeepStrictEqual` of Node.
 */
export function isSamePlain(one: unknown, other: unknown, depth = 0): boolean {
  if (Object.is(one, other)) return true;
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return false;
  const prototype: unknown = Object.getPrototypeOf(one);
  if (prototype !== Object.getPrototypeOf(other) || depth > DEPTH_LIMIT) return false;
  if (prototype !== Object.prototype && prototype !== Array.prototype && prototype !== null) return false;
  const keys = Object.keys(one);
  if (keys.length !== Object.keys(other).length) return false;
  // An array may end with empty elements, which have no key.
  if (Array.isArray(one) && one.length !== (other as unknown[]).length) return false;
  const [fields, others] = [one as Record<string, unknown>, other as Record<string, unknown>];
  return keys.every((key) => Object.hasOwn(others, key) && isSamePlain(fields[key], others[key], depth + 1));
}
