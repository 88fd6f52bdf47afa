import type { ArchivePort } from '../../archive/port.js';
import { variableType } from '../../kernel/value.js';
import type { Dataset } from './chart-definition.js';
import {
  EVERY_CHANGE,
  density,
  periodAt,
  aggregationSpanOf,
  type ChartSpan,
  type Density,
  type Period,
  type AggregationSpan,
} from './period.js';

/** Records that are read for one dataset: more dots than a screen has. */
const RECORDS_LIMIT = 10_000;

/** What held from `atS` on, for so long; unix seconds. */
export interface Point {
  readonly atS: number;
  readonly durationS: number;
  readonly value: number;
  readonly min: number;
  readonly max: number;
}

/** A dataset with its values, oldest first. */
export interface Series {
  readonly dataset: Dataset;
  /** Where they are from. */
  readonly period: Period;
  readonly span: AggregationSpan;
  readonly points: readonly Point[];
  /** There are more than could be read; the oldest are missing. */
  readonly isCut: boolean;
}

/** What is read of the archive. */
export type ArchiveReader = Pick<ArchivePort, 'logged' | 'aggregated'>;

/** What a chart is to show. */
export interface SeriesRequest {
  readonly span: ChartSpan;
  readonly dense: Density;
  readonly period: Period;
}

/** Reads what a dataset shows. A text has no values to be drawn. */
export async function readSeries(
  readings: ArchiveReader,
  dataset: Dataset,
  wanted: SeriesRequest,
): Promise<Series> {
  const { span, dense, period: shown } = wanted;
  const period = periodAt(span, shown, dataset.offset);
  const own = { dataset, period };
  const { id, data } = dataset.variable;
  if (data.type === variableType.string) return { ...own, span: EVERY_CHANGE, points: [], isCut: false };
  if (dataset.kind === 'step' || (dense === density.raw && dataset.kind === 'line')) {
    const changes = await changesIn(readings, id, period);
    // A state that changes more often than that is shown by the share of time.
    if (!changes.isCut || dataset.kind === 'line') return { ...own, span: EVERY_CHANGE, ...changes };
  }
  const piece = aggregationSpanOf(dataset.kind === 'bar' ? 'bar' : 'line', span, dense);
  const range = { span: piece, startS: period.startS, endS: period.endS - 1, limit: RECORDS_LIMIT };
  const records = await readings.aggregated(id, range);
  const points = records.map(({ timeStamp: atS, durationS, avg: value, min, max }) => ({
    atS,
    durationS,
    value,
    min,
    max,
  }));
  return { ...own, span: piece, points: points.reverse(), isCut: false };
}

/** The changes in a period, and with which value it began. */
async function changesIn(
  readings: ArchiveReader,
  id: number,
  { startS, endS }: Period,
): Promise<Pick<Series, 'points' | 'isCut'>> {
  const records = await readings.logged(id, { startS, endS: endS - 1, limit: RECORDS_LIMIT });
  const isCut = records.length >= RECORDS_LIMIT;
  const before =
    isCut || startS < 2 ? [] : await readings.logged(id, { startS: 0, endS: startS - 1, limit: 1 });
  const points = [...records, ...before].flatMap(({ timeStamp, durationS, value }): Point[] => {
    const atS = Math.max(timeStamp, startS);
    const untilS = Math.min(timeStamp + durationS, endS);
    const number = Number(value);
    if (untilS < atS) return [];
    return [{ atS, durationS: untilS - atS, value: number, min: number, max: number }];
  });
  return { points: points.reverse(), isCut };
}
