/**
 * Whether a version is newer than another: numbers are compared as numbers, and a pre-release (`1.0.0-rc1`,
 * `1.0.0~rc1`) is older than its release. False if they are equal.
 */
export function isNewer(version: string, than: string): boolean {
  const [ours, theirs] = [partsOf(version), partsOf(than)];
  for (let i = 0; i < Math.max(ours.length, theirs.length); i++) {
    const order = compare(ours[i] ?? '', theirs[i] ?? '');
    if (order !== 0) return order > 0;
  }
  return false;
}

const partsOf = (version: string): string[] => version.match(/\d+|[a-z]+|[-~+]/gi) ?? [];

function compare(a: string, b: string): number {
  if (a === b) return 0;
  // `-rc1` sorts before the end, `+1` after it.
  const [rankA, rankB] = [rankOf(a), rankOf(b)];
  if (rankA !== rankB) return rankA - rankB;
  return /^\d/.test(a) ? Number(a) - Number(b) : a < b ? -1 : 1;
}

const rankOf = (part: string): number => (part === '' ? 1 : /[-~]/.test(part) ? 0 : /^\d/.test(part) ? 3 : 2);
