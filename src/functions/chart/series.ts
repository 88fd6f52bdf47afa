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

/** Maximum number of records per dataset, more than a screen has pixels. */
const RECORDS_LIMIT = 10_000;

/** A value from `atS` (unix seconds) on for `durationS`. */
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
  /** The period of the values. */
  readonly period: Period;
  readonly span: AggregationSpan;
  readonly points: readonly Point[];
  /** The limit was reached; the oldest values are missing. */
  readonly isTruncated: boolean;
}

/** The part of the archive that charts read. */
export type ArchiveReader = Pick<ArchivePort, 'logged' | 'aggregated'>;

/** The values that a chart needs. */
interface SeriesRequest {
  readonly span: ChartSpan;
  readonly dense: Density;
  readonly period: Period;
}

/** Reads the values of a dataset; a string variable has none that can be drawn. */
export async function readSeries(
  readings: ArchiveReader,
  dataset: Dataset,
  request: SeriesRequest,
): Promise<Series> {
  const { span, dense, period: chartPeriod } = request;
  const period = periodAt(span, chartPeriod, dataset.offset);
  const base = { dataset, period };
  const { id, data } = dataset.variable;
  if (data.type === variableType.string)
    return { ...base, span: EVERY_CHANGE, points: [], isTruncated: false };
  if (dataset.kind === 'step' || (dense === density.raw && dataset.kind === 'line')) {
    const changes = await changesIn(readings, id, period);
    // A state with too many changes is drawn as the share of time.
    if (!changes.isTruncated || dataset.kind === 'line') return { ...base, span: EVERY_CHANGE, ...changes };
  }
  const aggregation = aggregationSpanOf(dataset.kind === 'bar' ? 'bar' : 'line', span, dense);
  const range = { span: aggregation, startS: period.startS, endS: period.endS - 1, limit: RECORDS_LIMIT };
  const records = await readings.aggregated(id, range);
  const points = records.map(({ timeStamp: atS, durationS, avg: value, min, max }) => ({
    atS,
    durationS,
    value,
    min,
    max,
  }));
  return { ...base, span: aggregation, points: points.reverse(), isTruncated: false };
}

/** The changes in a period, preceded by the value at its start. */
async function changesIn(
  readings: ArchiveReader,
  id: number,
  { startS, endS }: Period,
): Promise<Pick<Series, 'points' | 'isTruncated'>> {
  const records = await readings.logged(id, { startS, endS: endS - 1, limit: RECORDS_LIMIT });
  const isTruncated = records.length >= RECORDS_LIMIT;
  const before =
    isTruncated || startS < 2 ? [] : await readings.logged(id, { startS: 0, endS: startS - 1, limit: 1 });
  const points = [...records, ...before].flatMap(({ timeStamp, durationS, value }): Point[] => {
    const atS = Math.max(timeStamp, startS);
    const untilS = Math.min(timeStamp + durationS, endS);
    const number = Number(value);
    if (untilS < atS) return [];
    return [{ atS, durationS: untilS - atS, value: number, min: number, max: number }];
  });
  return { points: points.reverse(), isTruncated };
}
