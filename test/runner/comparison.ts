/**
 * Replaces the comparisons of tap in the processes of the tests. The original formats both values even if they
 * are equal; here only those are formatted that a quick comparison does not find equal.
 */
import { createRequire } from 'node:module';
import { isSamePlain } from './plain-equality.js';

interface Comparison {
  readonly match: boolean;
  readonly diff: string;
}

type Compare = (found: unknown, expected: unknown, options?: object) => Comparison;

/** What tap uses of `tcompare`. */
type Comparisons = Record<
  'has' | 'hasStrict' | 'match' | 'matchOnly' | 'matchOnlyStrict' | 'matchStrict' | 'same' | 'strict',
  Compare
> & { format(value: unknown, options?: object): string };

// It is a dependency of tap's assertions, not of this package, and is found where they find it.
const tap = createRequire(createRequire(import.meta.url).resolve('tap'));
const original = createRequire(tap.resolve('@tapjs/asserts'))('tcompare') as Comparisons;

const EQUAL = { match: true, diff: '' };

export const { format, has, hasStrict, match, matchOnly, matchOnlyStrict, matchStrict } = original;

export const same: Compare = (found, expected, options) =>
  isSamePlain(found, expected) ? EQUAL : original.same(found, expected, options);

export const strict: Compare = (found, expected, options) =>
  isSamePlain(found, expected) ? EQUAL : original.strict(found, expected, options);
