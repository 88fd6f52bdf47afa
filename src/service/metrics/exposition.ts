import type { Histogram } from '../../base/metrics/histogram.js';

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

/** A family of samples that may rise and fall, without the prefix of its name. */
export function gauge(name: string, help: string, samples: readonly Sample[]): MetricFamily {
  return { name: `stellwerk_${name}`, type: 'gauge', help, samples };
}

/** A family of counts since the gateway was started, without the prefix of its name. */
export function counter(name: string, help: string, samples: readonly Sample[]): MetricFamily {
  return { name: `stellwerk_${name}`, type: 'counter', help, samples };
}

export const CONTENT_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

/**
 * The text format of Prometheus, version 0.0.4
 * (prometheus.io/docs/instrumenting/exposition_formats). A family without samples is left out.
 */
export function expositionOf(families: Iterable<MetricFamily | HistogramFamily>): string {
  const lines: string[] = [];
  for (const family of families) {
    const own =
      'series' in family
        ? [...family.series].flatMap(([histogram, labels]) => [
            ...histogramLines(family.name, histogram, labels),
          ])
        : Array.from(family.samples, (sample) => line(family.name, sample));
    if (own.length === 0) continue;
    const type = 'series' in family ? 'histogram' : family.type;
    lines.push(`# HELP ${family.name} ${escaped(family.help)}`, `# TYPE ${family.name} ${type}`, ...own);
  }
  return `${lines.join('\n')}\n`;
}

/** Cumulative buckets, sum and count. */
function* histogramLines(
  name: string,
  histogram: Histogram,
  labels: Readonly<Record<string, string>>,
): Generator<string> {
  for (const [bound, count] of histogram.cumulative())
    yield line(`${name}_bucket`, [count, { ...labels, le: String(bound) }]);
  yield line(`${name}_bucket`, [histogram.count, { ...labels, le: '+Inf' }]);
  yield line(`${name}_sum`, [histogram.sum, labels]);
  yield line(`${name}_count`, [histogram.count, labels]);
}

function line(name: string, [value, labels = {}]: Sample): string {
  const pairs = Object.entries(labels).map(([key, text]) => `${key}="${escaped(text).replace(/"/g, '\\"')}"`);
  return `${name}${pairs.length > 0 ? `{${pairs.join(',')}}` : ''} ${numberText(value)}`;
}

const escaped = (text: string): string => text.replace(/\\/g, '\\\\').replace(/\n/g, '\\n');

const numberText = (value: number): string =>
  Number.isFinite(value) ? String(value) : Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf';
