import { riseOf, type Summary } from './summary.js';

/** Number of fields of an aggregated record. Times are unix milliseconds. */
export const AGGREGATED_FIELDS = 7;

/** Aggregates records in ascending order, one by one or a chunk at a time by its summary. */
export interface Aggregation {
  add(atMs: number, value: number): void;
  /** Adds a complete chunk; returns false, without an effect, if its records must be read. */
  takeChunk(firstMs: number, lastMs: number, summary: Summary): boolean;
  /**
   * The result, newest first, {@link AGGREGATED_FIELDS} numbers each: start, duration, average, minimum, its
   * time, maximum, its time.
   */
  finish(untilMs: number): Float64Array;
}

/** The buckets between edges, and the current one. */
class Buckets {
  readonly edges: readonly number[];
  readonly sum: Float64Array;
  readonly min: Float64Array;
  readonly minMs: Float64Array;
  readonly max: Float64Array;
  readonly maxMs: Float64Array;
  at = 0;

  constructor(edges: readonly number[]) {
    const count = edges.length - 1;
    this.edges = edges;
    this.sum = new Float64Array(count);
    this.min = new Float64Array(count).fill(Infinity);
    this.minMs = new Float64Array(count);
    this.max = new Float64Array(count).fill(-Infinity);
    this.maxMs = new Float64Array(count);
  }

  /** Moves to the bucket that contains a time; returns false if there is none. */
  moveTo(ms: number): boolean {
    while (this.at < this.sum.length && this.endOf(this.at) <= ms) this.at++;
    return this.at < this.sum.length && this.startOf(this.at) <= ms;
  }

  startOf(index: number): number {
    return this.edges[index] as number;
  }

  endOf(index: number): number {
    return this.edges[index + 1] as number;
  }

  /** Moves to the bucket of the first time; returns whether it contains the second one, too. */
  moveIfWithin(firstMs: number, lastMs: number): boolean {
    return this.moveTo(firstMs) && lastMs < this.endOf(this.at);
  }

  updateMin(value: number, ms: number): void {
    if (value < (this.min[this.at] as number)) {
      this.min[this.at] = value;
      this.minMs[this.at] = ms;
    }
  }

  updateMax(value: number, ms: number): void {
    if (value > (this.max[this.at] as number)) {
      this.max[this.at] = value;
      this.maxMs[this.at] = ms;
    }
  }

  addTo(amount: number): void {
    this.sum[this.at] = (this.sum[this.at] as number) + amount;
  }
}

/**
 * Aggregates a gauge: the time-weighted average, where a value lasts until the next record; minimum and
 * maximum with their first times.
 */
export class GaugeAggregation implements Aggregation {
  readonly #buckets: Buckets;
  readonly #coveredMs: Float64Array;
  #value = NaN;
  #sinceMs = NaN;

  constructor(edges: readonly number[]) {
    this.#buckets = new Buckets(edges);
    this.#coveredMs = new Float64Array(edges.length - 1);
  }

  add(atMs: number, value: number): void {
    this.#extendUntil(atMs);
    this.#value = value;
    this.#sinceMs = atMs;
  }

  takeChunk(firstMs: number, lastMs: number, { last, integral, min, minMs, max, maxMs }: Summary): boolean {
    const buckets = this.#buckets;
    if (this.#isBefore(firstMs) || !isWithin(buckets, firstMs, lastMs)) return false;
    this.#extendUntil(firstMs);
    if (buckets.moveIfWithin(firstMs, lastMs) && lastMs > firstMs) {
      buckets.addTo(integral);
      buckets.updateMin(min, minMs);
      buckets.updateMax(max, maxMs);
      this.#cover(lastMs - firstMs);
    }
    this.#value = last;
    this.#sinceMs = lastMs;
    return true;
  }

  finish(untilMs: number): Float64Array {
    this.#extendUntil(untilMs);
    const { edges, sum, min, minMs, max, maxMs } = this.#buckets;
    const records: number[] = [];
    for (let n = sum.length - 1; n >= 0; n--) {
      const coveredMs = this.#coveredMs[n] as number;
      if (coveredMs === 0) continue;
      const average = (sum[n] as number) / coveredMs;
      records.push(edges[n] as number, coveredMs, average);
      records.push(min[n] as number, minMs[n] as number, max[n] as number, maxMs[n] as number);
    }
    return Float64Array.from(records);
  }

  #isBefore(ms: number): boolean {
    return ms < (this.#buckets.edges[0] as number);
  }

  #cover(ms: number): void {
    const { at } = this.#buckets;
    this.#coveredMs[at] = (this.#coveredMs[at] as number) + ms;
  }

  /** Extends the current value until a time, in every bucket on the way. */
  #extendUntil(untilMs: number): void {
    if (Number.isNaN(this.#sinceMs)) return;
    const buckets = this.#buckets;
    let fromMs = Math.max(this.#sinceMs, buckets.edges[0] as number);
    while (fromMs < untilMs && buckets.moveTo(fromMs)) {
      const endMs = Math.min(untilMs, buckets.endOf(buckets.at));
      buckets.addTo(this.#value * (endMs - fromMs));
      buckets.updateMin(this.#value, fromMs);
      buckets.updateMax(this.#value, fromMs);
      this.#cover(endMs - fromMs);
      fromMs = endMs;
    }
  }
}

/**
 * Aggregates a counter: its increase, counted at the time of the later record; minimum and maximum are single
 * increases.
 */
export class CounterAggregation implements Aggregation {
  readonly #buckets: Buckets;
  readonly #ignoresZeros: boolean;
  #value = NaN;
  #firstMs = NaN;

  constructor(edges: readonly number[], ignoresZeros: boolean) {
    this.#buckets = new Buckets(edges);
    this.#ignoresZeros = ignoresZeros;
  }

  add(atMs: number, value: number): void {
    if (this.#ignoresZeros && value === 0) return;
    if (Number.isNaN(this.#firstMs)) this.#firstMs = atMs;
    else this.#addRise(riseOf(this.#value, value), atMs);
    this.#value = value;
  }

  takeChunk(firstMs: number, lastMs: number, summary: Summary): boolean {
    const buckets = this.#buckets;
    if (this.#ignoresZeros && summary.hasZero) return false;
    if (!isWithin(buckets, firstMs, lastMs)) return false;
    this.add(firstMs, summary.first);
    if (buckets.moveIfWithin(firstMs, lastMs) && lastMs > firstMs) {
      buckets.addTo(summary.rise);
      buckets.updateMin(summary.leastRise, summary.leastRiseMs);
      buckets.updateMax(summary.mostRise, summary.mostRiseMs);
    }
    this.#value = summary.last;
    return true;
  }

  finish(untilMs: number): Float64Array {
    const { edges, sum, min, minMs, max, maxMs } = this.#buckets;
    const records: number[] = [];
    for (let n = sum.length - 1; n >= 0; n--) {
      const startMs = edges[n] as number;
      const coveredMs = Math.min(edges[n + 1] as number, untilMs) - Math.max(startMs, this.#firstMs);
      if (!(coveredMs > 0)) continue;
      const hasNoRise = min[n] === Infinity;
      records.push(startMs, coveredMs, sum[n] as number);
      if (hasNoRise) records.push(0, startMs, 0, startMs);
      else records.push(min[n] as number, minMs[n] as number, max[n] as number, maxMs[n] as number);
    }
    return Float64Array.from(records);
  }

  #addRise(rise: number, atMs: number): void {
    const buckets = this.#buckets;
    if (!buckets.moveTo(atMs)) return;
    buckets.addTo(rise);
    buckets.updateMin(rise, atMs);
    buckets.updateMax(rise, atMs);
  }
}

/** Whether one bucket contains a chunk, and all earlier buckets are complete. */
function isWithin(buckets: Buckets, firstMs: number, lastMs: number): boolean {
  let index = buckets.at;
  while (index < buckets.sum.length && buckets.endOf(index) <= firstMs) index++;
  return index < buckets.sum.length && buckets.startOf(index) <= firstMs && lastMs < buckets.endOf(index);
}
