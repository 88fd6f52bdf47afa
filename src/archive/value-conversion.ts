import { variableType, type Value } from '../kernel/value.js';
import { AGGREGATED_FIELDS } from './aggregate.js';
import type { LoggedRows } from './worker-protocol.js';
import type { AggregatedValue, LoggedValue } from './port.js';

const seconds = (ms: number): number => Math.floor(ms / 1000);

/** Converts rows to records of a variable's type. */
export function valuesOf({ times, durations, values }: LoggedRows, type: number): LoggedValue[] {
  return Array.from(times, (atMs, n) => ({
    timeStamp: seconds(atMs),
    value: valueOf(values[n] as number | string, type),
    durationS: seconds(atMs + (durations[n] as number)) - seconds(atMs),
  }));
}

/** Converts a stored value to a variable's type. Downsampled numbers are averages. */
export function valueOf(stored: number | string, type: number): Value {
  if (typeof stored === 'string') return stored;
  if (type === variableType.boolean) return stored >= 0.5;
  return type === variableType.integer ? Math.round(stored) : stored;
}

/** Converts aggregated fields to records. */
export function aggregatedOf(fields: Float64Array): AggregatedValue[] {
  const values: AggregatedValue[] = [];
  for (let n = 0; n < fields.length; n += AGGREGATED_FIELDS) {
    const field = (index: number) => fields[n + index] as number;
    values.push({
      timeStamp: seconds(field(0)),
      durationS: Math.round(field(1) / 1000),
      avg: field(2),
      min: field(3),
      minTime: seconds(field(4)),
      max: field(5),
      maxTime: seconds(field(6)),
    });
  }
  return values;
}
