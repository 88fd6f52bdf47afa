import type { RecordRun, StoredValue } from './codec.js';

/**
 * Summary of a chunk of numbers for aggregating it without reading it. As a gauge, a value lasts until the
 * next record, and the time after the last record does not count. As a counter, it contains the increases
 * between its records.
 */
export interface Summary {
  readonly first: number;
  readonly last: number;
  /** Value times milliseconds. */
  readonly integral: number;
  readonly min: number;
  readonly minMs: number;
  readonly max: number;
  readonly maxMs: number;
  readonly rise: number;
  readonly leastRise: number;
  readonly leastRiseMs: number;
  readonly mostRise: number;
  readonly mostRiseMs: number;
  /** Whether the values include a zero, which a counter may have to ignore. */
  readonly hasZero: boolean;
}

/** Value ranges of meter registers. */
const REGISTERS = [2 ** 16, 2 ** 32];
/**
 * An overflow leaves a difference of nearly the register's range; with less than 15/16 of it, assume a reset.
 */
const OVERFLOW_SHARE = 1 / 16;
/** A counter that falls by less than a tenth was not reset. */
const FALL_PARTS = 10;

/**
 * The increase of a counter. A smaller value means a reset to 0, unless integers were so close to the end of
 * a 16-bit or 32-bit register that it overflowed, or it fell only a little: after a power cut or from a
 * restored backup, it continues from an older reading.
 */
export function riseOf(before: number, value: number): number {
  if (value >= before) return value - before;
  if (Number.isInteger(before) && Number.isInteger(value))
    for (const size of REGISTERS)
      if (before < size && before - value >= size * (1 - OVERFLOW_SHARE)) return value + size - before;
  return (before - value) * FALL_PARTS < before ? 0 : Math.max(value, 0);
}

/** The summary of a run of at least one number; undefined for texts. */
export function summaryOf({ times, values }: RecordRun): Summary | undefined {
  const [first] = values;
  if (!isNumbers(values) || typeof first !== 'number') return undefined;
  let [integral, min, minMs, max, maxMs] = [0, Infinity, 0, -Infinity, 0];
  let [rise, leastRise, leastRiseMs, mostRise, mostRiseMs] = [0, Infinity, 0, -Infinity, 0];
  let hasZero = first === 0;
  for (let n = 1; n < values.length; n++) {
    const [before, value] = [values[n - 1] as number, values[n] as number];
    const [fromMs, atMs] = [times[n - 1] as number, times[n] as number];
    integral += before * (atMs - fromMs);
    if (before < min) [min, minMs] = [before, fromMs];
    if (before > max) [max, maxMs] = [before, fromMs];
    const step = riseOf(before, value);
    rise += step;
    if (step < leastRise) [leastRise, leastRiseMs] = [step, atMs];
    if (step > mostRise) [mostRise, mostRiseMs] = [step, atMs];
    hasZero ||= value === 0;
  }
  const last = values.at(-1) as number;
  const asGauge = { first, last, integral, min, minMs, max, maxMs };
  return { ...asGauge, rise, leastRise, leastRiseMs, mostRise, mostRiseMs, hasZero };
}

function isNumbers(values: readonly StoredValue[]): boolean {
  return values.every((value) => typeof value === 'number');
}

/** Packs a summary for storing. */
export function packSummary(summary: Summary): Uint8Array {
  const { first, last, integral, min, minMs, max, maxMs } = summary;
  const { rise, leastRise, leastRiseMs, mostRise, mostRiseMs, hasZero } = summary;
  const fields = [first, last, integral, min, minMs, max, maxMs, rise];
  fields.push(leastRise, leastRiseMs, mostRise, mostRiseMs, Number(hasZero));
  return new Uint8Array(Float64Array.from(fields).buffer);
}

/** Unpacks a summary from {@link packSummary}. */
export function unpackSummary(bytes: Uint8Array): Summary {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const field = (index: number) => view.getFloat64(index * 8, true);
  return {
    first: field(0),
    last: field(1),
    integral: field(2),
    min: field(3),
    minMs: field(4),
    max: field(5),
    maxMs: field(6),
    rise: field(7),
    leastRise: field(8),
    leastRiseMs: field(9),
    mostRise: field(10),
    mostRiseMs: field(11),
    hasZero: field(12) !== 0,
  };
}
