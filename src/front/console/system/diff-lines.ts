/** A line that only one of two texts has; lines count from 1 in the text that has it. */
interface DiffLine {
  readonly kind: 'removed' | 'added';
  readonly line: number;
  readonly text: string;
}

/**
 * Maximum number of cells of the table of common subsequences, 4 bytes each; larger changes are shown as a
 * replacement.
 */
const CELLS_LIMIT = 2_000_000;

/** The lines in which two texts differ, in their order. */
export function diffLines(before: string, after: string): DiffLine[] {
  const [old, current] = [before.split('\n'), after.split('\n')];
  let start = 0;
  while (start < old.length && start < current.length && old[start] === current[start]) start++;
  let end = 0;
  const rest = Math.min(old.length, current.length) - start;
  while (end < rest && old[old.length - 1 - end] === current[current.length - 1 - end]) end++;
  const a = old.slice(start, old.length - end);
  const b = current.slice(start, current.length - end);
  const common = a.length * b.length > CELLS_LIMIT ? undefined : commonLengths(a, b);
  const width = b.length + 1;
  const lines: DiffLine[] = [];
  for (let [i, j] = [0, 0]; i < a.length || j < b.length;) {
    const text = a[i];
    const isKept = common !== undefined && i < a.length && j < b.length && text === b[j];
    const isRemoved =
      j === b.length ||
      (i < a.length &&
        (common === undefined || (common[(i + 1) * width + j] ?? 0) >= (common[i * width + j + 1] ?? 0)));
    if (isKept) [i, j] = [i + 1, j + 1];
    else if (isRemoved) lines.push({ kind: 'removed', line: start + ++i, text: text ?? '' });
    else lines.push({ kind: 'added', line: start + j + 1, text: b[j++] ?? '' });
  }
  return lines;
}

/** Length of the longest common subsequence of the rests of two lists, by row and column. */
function commonLengths(a: readonly string[], b: readonly string[]): Uint32Array {
  const width = b.length + 1;
  const lengths = new Uint32Array((a.length + 1) * width);
  for (let i = a.length - 1; i >= 0; i--)
    for (let j = b.length - 1; j >= 0; j--)
      lengths[i * width + j] =
        a[i] === b[j]
          ? 1 + (lengths[(i + 1) * width + j + 1] ?? 0)
          : Math.max(lengths[(i + 1) * width + j] ?? 0, lengths[i * width + j + 1] ?? 0);
  return lengths;
}
