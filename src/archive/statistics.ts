import { type ArchiveFile, idOf } from './archive-file.js';
import type { SeriesStatistics } from './worker-protocol.js';

/** Approximate bytes of a record that is not in a chunk yet. */
const HEAD_RECORD_BYTES = 4;

/** The statistics of all series. */
export function seriesStatistics(file: ArchiveFile): SeriesStatistics[] {
  const all = new Map<number, SeriesStatistics>();
  const rows = file.chunks
    .statement<readonly [number, number, number, number, number]>(
      'SELECT series, min(t0), max(t1), sum(count), sum(length(records)) FROM chunks GROUP BY series',
    )
    .all();
  for (const [series, firstMs, lastMs, count, bytes] of rows)
    add(all, { id: idOf(series), firstMs, lastMs, count, bytes });
  for (const [series, { times }] of file.heads()) {
    const [firstMs, lastMs] = [times[0], times.at(-1)];
    if (firstMs === undefined || lastMs === undefined) continue;
    const bytes = times.length * HEAD_RECORD_BYTES;
    add(all, { id: idOf(series), firstMs, lastMs, count: times.length, bytes });
  }
  return [...all.values()];
}

/** The ids of all variables that have records, also of deleted ones. Costs one index lookup per variable. */
export function recordedVariables(file: ArchiveFile): number[] {
  const ids = new Set<number>();
  const next = file.chunks.statement<readonly [number | null]>(
    'SELECT min(series) FROM chunks WHERE series > ?',
  );
  for (let series = -1; ;) {
    const [found] = next.get(series) ?? [null];
    if (found === null) break;
    ids.add(idOf(found));
    // The other series of the same variable adds nothing.
    series = idOf(found) * 2 + 1;
  }
  for (const [series, { times }] of file.heads()) if (times.length > 0) ids.add(idOf(series));
  return [...ids];
}

function add(all: Map<number, SeriesStatistics>, more: SeriesStatistics): void {
  const known = all.get(more.id);
  if (known === undefined) return void all.set(more.id, more);
  all.set(more.id, {
    id: more.id,
    firstMs: Math.min(known.firstMs, more.firstMs),
    lastMs: Math.max(known.lastMs, more.lastMs),
    count: known.count + more.count,
    bytes: known.bytes + more.bytes,
  });
}
