import type { Random } from './random.js';

/** The unit that a disk writes completely or not at all, bytes. */
export const SECTOR_BYTES = 512;

/** What a power cut does to a write that was not flushed. */
const OUTCOMES = ['lost', 'lost', 'complete', 'torn'] as const;

export type WriteOutcome = (typeof OUTCOMES)[number];

/** What a power cut does to a write. */
export const outcomeOf = (isFlushed: boolean, random: Random): WriteOutcome =>
  isFlushed ? 'complete' : random.pick(OUTCOMES);

/**
 * The parts of a write that reach the disk, as offsets in its data. Of a torn write those are about half of its
 * sectors. Sectors begin at multiples of their size on the disk.
 */
export function* writtenParts(
  { offset, length }: { readonly offset: number; readonly length: number },
  outcome: WriteOutcome,
  random: Random,
): Generator<{ readonly from: number; readonly to: number }> {
  if (outcome === 'complete') yield { from: 0, to: length };
  if (outcome !== 'torn') return;
  for (let from = 0; from < length;) {
    const to = Math.min(from + SECTOR_BYTES - ((offset + from) % SECTOR_BYTES), length);
    if (random.chance(0.5)) yield { from, to };
    from = to;
  }
}
