import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { ArchiveFile } from '../../../src/archive/archive-file.js';
import { emptyRecordBatch } from '../../../src/archive/write-buffer.js';
import { writtenByThread } from '../../../src/sqlite/database-files.js';
import {
  interleaved,
  QUIETEST,
  ratioOf,
  type Effort,
  type Figure,
  type Report,
  type Round,
} from '../statistics.js';
import { call, startBaseline, type Server } from '../gateway.js';
import { cpuMs, type Cores } from '../machine.js';
import { Adding, Changing, MINUTE_MS, RecordingGateway, YEAR_MINUTES, type Resident } from './recorded.js';

/** Of one round: five of them are a million. */
const RECORDS = 200_000;
/** Variables that change alternately: two changes of one within a millisecond are one record. */
const CHANGING = 2000;
/** A short and a long history. */
const SHORT = 100_000;
const DAY_SPAN = 1;

/**
 * The archive: the cost of writing a record, in time, on the disk and in memory, and of reading a year of
 * records.
 */
export async function archiveFigures(effort: Effort, cores: Cores, directory: string): Promise<Report> {
  await using added = await RecordingGateway.start(join(directory, 'added'), cores);
  await using changed = await RecordingGateway.start(join(directory, 'changed'), cores);
  mkdirSync(join(directory, 'rows'));
  await using rows = await startBaseline(cores.server, 'rows', join(directory, 'rows', 'rows.db'));
  const [variable = 0] = await added.log(1);
  const adding = new Adding(added, variable);
  await adding.add(SHORT);
  const short = await added.resident();
  using changing = new Changing(changed, await changed.log(CHANGING));
  const before = [added.written, changed.written] as const;
  const bare = (what: 1 | 2, count: number) =>
    timed(rows, count, () => call(rows.port, 'SetValue', what, count));
  const [byCall, ofOne, byChange, ofMany] = await interleaved(effort.rounds, [
    () => timed(added, RECORDS, () => adding.add(RECORDS)),
    () => bare(1, RECORDS),
    () => timed(changed, RECORDS, () => changing.change(RECORDS)),
    () => bare(2, RECORDS / 4),
  ]);
  const stored = [await added.stored(), await changed.stored()] as const;
  const records = RECORDS * (effort.rounds + 1);
  const goal = { is: 'at least', value: 0.5 } as const;
  return {
    figures: [
      ratioOf('a record added by calls of 10,000, to a row of a bare SQLite', [byCall, ofOne], goal),
      ratioOf(
        'a record of a change, set by calls in batches, to a row of a bare SQLite',
        [byChange, ofMany],
        goal,
      ),
      bytesFigure('added by calls', (added.written - before[0]) / records),
      bytesFigure('of changes', (changed.written - before[1]) / records),
      ...[1000, 100].map((records) =>
        bytesFigure(`of ${records.toLocaleString('en-US')} changes in 5 s`, inBatches(directory, records)),
      ),
      memoryFigure(short, await added.resident(), stored[0]),
      await yearFigure(effort, [added, rows], { variable, fromMs: adding.fromMs }),
    ],
    wrong: [
      ...wrongCount('added', stored[0], SHORT + records),
      ...wrongCount('changed', stored[1], records + CHANGING),
    ],
  };
}

/** Processor time and duration of one round, until everything is on the disk. */
async function timed(
  { pid }: { readonly pid: number },
  count: number,
  act: () => Promise<unknown>,
): Promise<Round> {
  const cpuBefore = cpuMs(pid);
  const startMs = performance.now();
  await act();
  const tookMs = performance.now() - startMs;
  return { cpuUs: ((cpuMs(pid) - cpuBefore) * 1000) / count, perSecond: (count * 1000) / tookMs };
}

/** Bytes written per record for records in batches, of this number of variables. */
function inBatches(directory: string, records: number): number {
  const file = new ArchiveFile(join(directory, `batches-${records}`));
  const startMs = Date.now();
  file.open(startMs);
  const before = writtenByThread() ?? 0;
  const batches = RECORDS / records;
  for (let batch = 0; batch < batches; batch++) {
    const all = emptyRecordBatch();
    for (let n = 0; n < records; n++) {
      all.ids.push(10_000 + (n % 20));
      all.times.push(startMs + batch * 5000 + n * 50);
      all.values.push(20 + ((batch + n) % 100) / 10);
      all.marks.push(0);
    }
    file.write({ records: all, clocks: [] });
  }
  file.close();
  return ((writtenByThread() ?? 0) - before) / (batches * records);
}

const bytesFigure = (what: string, bytes: number): Figure => ({
  name: `bytes written to disk per record, ${what}`,
  value: bytes,
  unit: 'B',
  goal: { is: 'below', value: 60 },
  ours: `${bytes.toFixed(1)} B`,
  baseline: '',
});

function memoryFigure(short: Resident, long: Resident, count: number): Figure {
  const text = ({ held, all }: Resident) => `${held.toFixed(1)} MiB, with garbage ${all.toFixed(0)}`;
  return {
    name: `resident set after ${(count / 1e6).toFixed(1)} million records, to that after ${SHORT.toLocaleString('en-US')}`,
    value: long.held / short.held,
    unit: '×',
    goal: { is: 'at most', value: 1.2 },
    ours: text(long),
    baseline: text(short),
    note: 'after garbage collection (`SVC_TrimKernel`), with the resident memory before it',
  };
}

async function yearFigure(
  { rounds }: Effort,
  [{ port, archive }, rows]: readonly [RecordingGateway, Server],
  { variable, fromMs }: { variable: number; fromMs: number },
): Promise<Figure> {
  const [fromS, toS] = [fromMs / 1000, (fromMs + YEAR_MINUTES * MINUTE_MS) / 1000];
  const [ours, theirs] = await interleaved(rounds, [
    async () => {
      const startMs = performance.now();
      const days = (await call(
        port,
        'AC_GetAggregatedValues',
        archive,
        variable,
        DAY_SPAN,
        fromS,
        toS,
        0,
      )) as unknown[];
      if (days.length < 360) throw new Error(`${days.length} days of a year`);
      return performance.now() - startMs;
    },
    async () => {
      await call(rows.port, 'SetValue', 3, (RECORDS * (rounds + 1) - YEAR_MINUTES) * MINUTE_MS);
      return Number(await call(rows.port, 'GetValue', 4));
    },
  ]);
  return {
    name: 'a year of one value per minute, aggregated by day',
    value: Math.min(...ours),
    unit: 'ms',
    goal: { is: 'below', value: 50 },
    ours: `${Math.min(...ours).toFixed(1)} ms`,
    baseline: `${Math.min(...theirs).toFixed(0)} ms, SQL over rows`,
    note: QUIETEST,
  };
}

/** Two changes within a millisecond may be one record; any other difference is a loss. */
function wrongCount(what: string, stored: number, expected: number): string[] {
  return stored > expected || stored < expected * 0.99
    ? [`${stored} records of ${expected} that were ${what}`]
    : [];
}
