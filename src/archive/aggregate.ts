import { riseOf, type Summary } from './summary.js';

/** Fields of one aggregated record, in this order. Times are unix milliseconds. */
export const AGGREGATED_FIELDS = 7;

/** What is made of a variable's records, given ascending: one record after the other, or a chunk by its summary. */
export interface Aggregation {
  add(atMs: number, value: number): void;
  /** Takes a chunk as a whole; false, having done nothing, where it must be read. */
  takeChunk(firstMs: number, lastMs: number, summary: Summary): boolean;
  /** The records, newest first, {@link AGGREGATED_FIELDS} numbers each: start, duration, average, least, when, most, when. */
  finish(untilMs: number): Float64Array;
}

/** The pieces of time between edges, and which of them the records have come to. */
class Pieces {
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

  /** Goes on to the piece in which a moment lies; false where it lies in none. */
  goTo(ms: number): boolean {
    while (this.at < this.sum.length && this.endOf(this.at) <= ms) this.at++;
    return this.at < this.sum.length && this.startOf(this.at) <= ms;
  }

  startOf(piece: number): number {
    return this.edges[piece] as number;
  }

  endOf(piece: number): number {
    return this.edges[piece + 1] as number;
  }

  /** Whether both moments lie in one piece, which is gone to. */
  hold(firstMs: number, lastMs: number): boolean {
    return this.goTo(firstMs) && lastMs < this.endOf(this.at);
  }

  least(value: number, ms: number): void {
    if (value < (this.min[this.at] as number)) {
      this.min[this.at] = value;
      this.minMs[this.at] = ms;
    }
  }

  most(value: number, ms: number): void {
    if (value > (this.max[this.at] as number)) {
      this.max[this.at] = value;
      this.maxMs[this.at] = ms;
    }
  }

  addTo(amount: number): void {
    this.sum[this.at] = (this.sum[this.at] as number) + amount;
  }
}

/** A gauge: the average over time, each value holding until the next record; least and most with their first times. */
export class GaugeAggregation implements Aggregation {
  readonly #pieces: Pieces;
  readonly #coveredMs: Float64Array;
  #value = NaN;
  #sinceMs = NaN;

  constructor(edges: readonly number[]) {
    this.#pieces = new Pieces(edges);
    this.#coveredMs = new Float64Array(edges.length - 1);
  }

  add(atMs: number, value: number): void {
    this.#holdUntil(atMs);
    this.#value = value;
    this.#sinceMs = atMs;
  }

  takeChunk(firstMs: number, lastMs: number, { last, integral, min, minMs, max, maxMs }: Summary): boolean {
    const pieces = this.#pieces;
    if (this.#isBefore(firstMs) || !isWithin(pieces, firstMs, lastMs)) return false;
    this.#holdUntil(firstMs);
    if (pieces.hold(firstMs, lastMs) && lastMs > firstMs) {
      pieces.addTo(integral);
      pieces.least(min, minMs);
      pieces.most(max, maxMs);
      this.#cover(lastMs - firstMs);
    }
    this.#value = last;
    this.#sinceMs = lastMs;
    return true;
  }

  finish(untilMs: number): Float64Array {
    this.#holdUntil(untilMs);
    const { edges, sum, min, minMs, max, maxMs } = this.#pieces;
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
    return ms < (this.#pieces.edges[0] as number);
  }

  #cover(ms: number): void {
    const { at } = this.#pieces;
    this.#coveredMs[at] = (this.#coveredMs[at] as number) + ms;
  }

  /** The value that holds since `#sinceMs` does so until then, in each piece that this passes. */
  #holdUntil(untilMs: number): void {
    if (Number.isNaN(this.#sinceMs)) return;
    const pieces = this.#pieces;
    let fromMs = Math.max(this.#sinceMs, pieces.edges[0] as number);
    while (fromMs < untilMs && pieces.goTo(fromMs)) {
      const endMs = Math.min(untilMs, pieces.endOf(pieces.at));
      pieces.addTo(this.#value * (endMs - fromMs));
      pieces.least(this.#value, fromMs);
      pieces.most(this.#value, fromMs);
      this.#cover(endMs - fromMs);
      fromMs = endMs;
    }
  }
}

/** A counter: what it rose by, at the time of the record that says so; least and most are single rises. */
export class CounterAggregation implements Aggregation {
  readonly #pieces: Pieces;
  readonly #ignoresZeros: boolean;
  #value = NaN;
  #firstMs = NaN;

  constructor(edges: readonly number[], ignoresZeros: boolean) {
    this.#pieces = new Pieces(edges);
    this.#ignoresZeros = ignoresZeros;
  }

  add(atMs: number, value: number): void {
    if (this.#ignoresZeros && value === 0) return;
    if (Number.isNaN(this.#firstMs)) this.#firstMs = atMs;
    else this.#rise(riseOf(this.#value, value), atMs);
    this.#value = value;
  }

  takeChunk(firstMs: number, lastMs: number, summary: Summary): boolean {
    const pieces = this.#pieces;
    if (this.#ignoresZeros && summary.hasZero) return false;
    if (!isWithin(pieces, firstMs, lastMs)) return false;
    this.add(firstMs, summary.first);
    if (pieces.hold(firstMs, lastMs) && lastMs > firstMs) {
      pieces.addTo(summary.rise);
      pieces.least(summary.leastRise, summary.leastRiseMs);
      pieces.most(summary.mostRise, summary.mostRiseMs);
    }
    this.#value = summary.last;
    return true;
  }

  finish(untilMs: number): Float64Array {
    const { edges, sum, min, minMs, max, maxMs } = this.#pieces;
    const records: number[] = [];
    for (let n = sum.length - 1; n >= 0; n--) {
      const startMs = edges[n] as number;
      const coveredMs = Math.min(edges[n + 1] as number, untilMs) - Math.max(startMs, this.#firstMs);
      if (!(coveredMs > 0)) continue;
      const isStill = min[n] === Infinity;
      records.push(startMs, coveredMs, sum[n] as number);
      if (isStill) records.push(0, startMs, 0, startMs);
      else records.push(min[n] as number, minMs[n] as number, max[n] as number, maxMs[n] as number);
    }
    return Float64Array.from(records);
  }

  #rise(rise: number, atMs: number): void {
    const pieces = this.#pieces;
    if (!pieces.goTo(atMs)) return;
    pieces.addTo(rise);
    pieces.least(rise, atMs);
    pieces.most(rise, atMs);
  }
}

/** Whether a chunk lies in one piece; the pieces before it are done with by then. */
function isWithin(pieces: Pieces, firstMs: number, lastMs: number): boolean {
  let piece = pieces.at;
  while (piece < pieces.sum.length && pieces.endOf(piece) <= firstMs) piece++;
  return piece < pieces.sum.length && pieces.startOf(piece) <= firstMs && lastMs < pieces.endOf(piece);
}
