import { coded, type CodedText } from './codes/coded-text.js';

/** With more edits it is another word; longer inputs are not compared. */
const EDITS = 2;
const WORD_LENGTH = 64;

/** A suggestion for a mistyped word as `; did you mean …?`, or ''. */
export function didYouMean(given: string, known: readonly string[]): CodedText | '' {
  const near = closestWord(given, known);
  return near === undefined ? '' : coded`DID_YOU_MEAN: ; did you mean ${near}?`;
}

/** The known word with the smallest edit distance; undefined if none is close. */
export function closestWord(given: string, known: readonly string[]): string | undefined {
  if (given.length > WORD_LENGTH) return undefined;
  const [best] = known
    .map((word) => ({ word, edits: distance(given.toLowerCase(), word.toLowerCase()) }))
    .filter(({ edits }) => edits < given.length && edits <= Math.min(EDITS, Math.ceil(given.length / 3)))
    .sort((a, b) => a.edits - b.edits);
  return best?.word;
}

/** Levenshtein distance. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = (row[j - 1] as number) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[j] as number) + 1, (next[j - 1] as number) + 1));
    }
    row = next;
  }
  return row[b.length] as number;
}
