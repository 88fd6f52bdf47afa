import { coded } from '../base/codes/coded-text.js';
import { chunksOf, indexMs } from './backup-index.js';
import { reasonOf } from './failure-reason.js';
import type { Repository } from './repository.js';

/** How many backups are kept: the newest of that number of days, weeks and months. */
export interface Retention {
  readonly days: number;
  readonly weeks: number;
  readonly months: number;
}

const DAY_MS = 86_400_000;

/** The backups that are kept, of names that are sorted from new to old. The newest is always kept. */
export function keptNames(names: readonly string[], { days, weeks, months }: Retention): Set<string> {
  const kept = new Set(names.slice(0, 1));
  const rules: readonly (readonly [number, (ms: number) => string])[] = [
    [days, (ms) => String(Math.floor(ms / DAY_MS))],
    // 1 January 1970 was a Thursday, 3 days after a Monday.
    [weeks, (ms) => String(Math.floor((ms / DAY_MS + 3) / 7))],
    [months, (ms) => new Date(ms).toISOString().slice(0, 7)],
  ];
  for (const [count, periodOf] of rules) {
    const periods = new Set<string>();
    for (const name of names) {
      const period = periodOf(indexMs(name));
      if (periods.has(period)) continue;
      periods.add(period);
      if (periods.size > count) break;
      kept.add(name);
    }
  }
  return kept;
}

/** Options of {@link prune}. */
interface PruneOptions {
  readonly retention: Retention;
  /** The chunks on the target. */
  readonly present: Iterable<string>;
  /** The backup that was just stored. It is kept even if the clock is behind, and others have newer names. */
  readonly stored: string;
}

/**
 * Deletes backups that are not kept, and then the chunks that no other backup has. If an index cannot be
 * read, it deletes no chunk, and `problem` says why.
 */
export async function prune(repository: Repository, { retention, present, stored }: PruneOptions) {
  const names = await repository.names();
  const kept = keptNames(names, retention).add(stored);
  const unneeded = names.filter((name) => !kept.has(name));
  for (const name of unneeded) await repository.deleteIndex(name);
  const used = new Set<string>();
  const backups = unneeded.length;
  for (const name of kept)
    try {
      for (const id of chunksOf(await repository.index(name))) used.add(id);
    } catch (thrown) {
      const problem = coded`INDEX_UNREADABLE: the backup ${name} cannot be read: ${reasonOf(thrown)}; no unused chunk is deleted; if this persists, delete indexes/${name}.sealed on the target`;
      return { backups, chunks: 0, problem };
    }
  let deleted = 0;
  for (const id of present)
    if (!used.has(id)) {
      await repository.deleteChunk(id);
      deleted++;
    }
  return { backups, chunks: deleted, problem: undefined };
}
