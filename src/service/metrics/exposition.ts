/** One value of a metric, with its labels. */
export type Sample = readonly [value: number, labels?: Readonly<Record<string, string>>];

/** All samples of one metric. */
export interface MetricFamily {
  /** With the base unit at its end; a counter ends in `_total`. */
  readonly name: string;
  readonly type: 'gauge' | 'counter';
  readonly help: string;
  readonly samples: Iterable<Sample>;
}

/** Durations by upper bound, as counts of those that are not longer. */
export interface HistogramFamily {
  readonly name: string;
  readonly help: string;
  readonly series: Iterable<readonly [Histogram, labels: Readonly<Record<string, string>>]>;
}

export const CONTENT_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

/** Upper bounds in seconds: from a call in memory to one that waits for a device. */
const BOUNDS_S = [0.0001, 0.001, 0.01, 0.1, 1, 10] as const;

/** Counts durations. */
export class Histogram {
  readonly #counts = BOUNDS_S.map(() => 0);
  #count = 0;
  #sum = 0;

  add(seconds: number): void {
    this.#count += 1;
    this.#sum += seconds;
    const at = BOUNDS_S.findIndex((bound) => seconds <= bound);
    if (at >= 0) this.#counts[at] = (this.#counts[at] ?? 0) + 1;
  }

  /** The lines of the text format: cumulative buckets, sum and count. */
  *lines(name: string, labels: Readonly<Record<string, string>>): Generator<string> {
    let below = 0;
    for (const [n, bound] of BOUNDS_S.entries()) {
      below += this.#counts[n] ?? 0;
      yield line(`${name}_bucket`, [below, { ...labels, le: String(bound) }]);
    }
    yield line(`${name}_bucket`, [this.#count, { ...labels, le: '+Inf' }]);
    yield line(`${name}_sum`, [this.#sum, labels]);
    yield line(`${name}_count`, [this.#count, labels]);
  }
}

/**
 * The text format of Prometheus, version 0.0.4
 * (prometheus.io/docs/instrumenting/exposition_formats). A family without samples is left out.
 */
export function expositionOf(families: Iterable<MetricFamily | HistogramFamily>): string {
  const lines: string[] = [];
  for (const family of families) {
    const own =
      'series' in family
        ? [...family.series].flatMap(([histogram, labels]) => [...histogram.lines(family.name, labels)])
        : Array.from(family.samples, (sample) => line(family.name, sample));
    if (own.length === 0) continue;
    const type = 'series' in family ? 'histogram' : family.type;
    lines.push(`# HELP ${family.name} ${escaped(family.help)}`, `# TYPE ${family.name} ${type}`, ...own);
  }
  return `${lines.join('\n')}\n`;
}

function line(name: string, [value, labels = {}]: Sample): string {
  const pairs = Object.entries(labels).map(([key, text]) => `${key}="${escaped(text).replace(/"/g, '\\"')}"`);
  return `${name}${pairs.length > 0 ? `{${pairs.join(',')}}` : ''} ${numberText(value)}`;
}

const escaped = (text: string): string => text.replace(/\\/g, '\\\\').replace(/\n/g, '\\n');

const numberText = (value: number): string =>
  Number.isFinite(value) ? String(value) : Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf';
