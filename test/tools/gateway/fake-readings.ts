import type { ArchiveReader } from '../../../src/functions/chart/series.js';
import { spanEndS } from '../../../src/functions/chart/period.js';
import type { Value } from '../../../src/kernel/value.js';

type Logged = Awaited<ReturnType<ArchiveReader['logged']>>[number];
type Aggregated = Awaited<ReturnType<ArchiveReader['aggregated']>>[number];

/**
 * An archive in memory: records by variable, oldest first, as pairs of time and value; periods begin at the
 * start of the request.
 */
export class FakeReadings implements ArchiveReader {
  readonly #records: ReadonlyMap<number, readonly (readonly [number, Value])[]>;
  readonly #nowS: number;
  /** Variables whose periods are sums. */
  readonly counters = new Set<number>();
  readonly requests: {
    readonly id: number;
    readonly span?: number;
    readonly startS: number;
    readonly endS: number;
  }[] = [];

  constructor(records: Iterable<readonly [number, readonly (readonly [number, Value])[]]>, nowS: number) {
    this.#records = new Map(records);
    this.#nowS = nowS;
  }

  async logged(id: number, range: Parameters<ArchiveReader['logged']>[1]): Promise<readonly Logged[]> {
    const { startS, endS, limit } = range;
    this.requests.push({ id, startS, endS });
    const all = this.#all(id).filter(({ timeStamp }) => timeStamp >= startS && timeStamp <= endS);
    return all.reverse().slice(0, limit);
  }

  async aggregated(
    id: number,
    range: Parameters<ArchiveReader['aggregated']>[1],
  ): Promise<readonly Aggregated[]> {
    const { span, startS, endS, limit } = range;
    this.requests.push({ id, span, startS, endS });
    const all = this.#all(id);
    const pieces: Aggregated[] = [];
    for (let timeStamp = startS; timeStamp <= Math.min(endS, this.#nowS);) {
      const end = Math.min(spanEndS(span, timeStamp), this.#nowS);
      const within = all
        .map(({ timeStamp: at, durationS, value }) => ({
          from: Math.max(at, timeStamp),
          to: Math.min(at + durationS, end),
          isNew: at >= timeStamp,
          value: Number(value),
        }))
        .filter(({ from, to }) => to > from);
      const durationS = within.reduce((sum, { from, to }) => sum + to - from, 0);
      const [values, held] = [within.map(({ value }) => value), within.map(({ from, to }) => to - from)];
      const sum = this.counters.has(id)
        ? within.filter(({ isNew }) => isNew).reduce((total, { value }) => total + value, 0)
        : values.reduce((total, value, n) => total + value * ((held[n] as number) / durationS), 0);
      if (durationS > 0)
        pieces.push({
          timeStamp,
          durationS,
          avg: sum,
          min: Math.min(...values),
          minTime: timeStamp,
          max: Math.max(...values),
          maxTime: timeStamp,
        });
      timeStamp = spanEndS(span, timeStamp);
    }
    return pieces.reverse().slice(0, limit);
  }

  #all(id: number): Logged[] {
    const records = this.#records.get(id) ?? [];
    return records.map(([timeStamp, value], n) => ({
      timeStamp,
      value,
      durationS: (records[n + 1]?.[0] ?? this.#nowS) - timeStamp,
    }));
  }
}
