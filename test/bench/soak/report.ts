/** What was measured at one time of a soak test, since its start. */
export interface Sample {
  readonly hours: number;
  readonly residentMiB: number;
  /** The same after a collection of garbage, in some samples. */
  readonly usedMiB: number | undefined;
  readonly descriptors: number;
  readonly threads: number;
  readonly writtenBytes: number;
  readonly cpuMs: number;
  /** Of calls of GetValue, each on a connection that is kept. */
  readonly medianMs: number;
  readonly p99Ms: number;
}

interface Load {
  readonly variables: number;
  readonly recorded: number;
  readonly changesPerS: number;
  /** How often values and records are written, seconds. */
  readonly intervals: readonly [number, number];
  /** How many seconds of load came in each second. */
  readonly speed: number;
  /** Bytes that are written once per day: the backup. */
  readonly dailyBytes: number;
}

/** Goals of a run of 24 hours. In a shorter one, the first part is filled caches and a heap that still grows. */
const GOAL = { slopeMiBPerHour: 0.1, writtenMBPerDay: 50 } as const;
const SETTLED_AFTER_H = 1;
const [WIDTH, HEIGHT, MARGIN] = [720, 240, 40] as const;

/** The table and the graph of a run, and the goals that it missed. The slope counts in runs of two hours and more. */
export function report(
  samples: readonly Sample[],
  { variables, recorded, changesPerS, intervals, speed, dailyBytes }: Load,
): { readonly markdown: string; readonly svg: string; readonly problems: readonly string[] } {
  const last = samples.at(-1);
  const [first] = samples;
  if (first === undefined || last === undefined) throw new Error('nothing was measured');
  const isLong = last.hours >= 2 * SETTLED_AFTER_H;
  const settled = samples.filter(({ hours }) => hours >= (isLong ? SETTLED_AFTER_H : last.hours / 2));
  const slope = slopeOf(settled);
  const used = settled.flatMap(({ hours, usedMiB }) =>
    usedMiB === undefined ? [] : { hours, residentMiB: usedMiB },
  );
  const usedSlope = slopeOf(used);
  const perDay = (last.writtenBytes / 1e6 / last.hours) * 24 + dailyBytes / 1e6;
  const span = (values: readonly number[]) => `${Math.min(...values)} to ${Math.max(...values)}`;
  const descriptors = settled.map((one) => one.descriptors);
  const threads = settled.map((one) => one.threads);
  const rows = [
    [
      speed === 1 ? 'duration' : `load of, compressed ${speed} times to`,
      speed === 1
        ? `${(last.hours * 60).toFixed(0)} min`
        : `${last.hours.toFixed(1)} h, ${((last.hours * 60) / speed).toFixed(0)} min`,
      '',
    ],
    [
      'load',
      `${variables} variables, ${recorded} recorded; ${changesPerS.toFixed(1)} changes per second`,
      '',
    ],
    ['values are written every, records every', `${intervals.join(' s, ')} s`, ''],
    [
      'resident memory, at the beginning and the end',
      `${first.residentMiB.toFixed(1)}, ${last.residentMiB.toFixed(1)} MiB`,
      '',
    ],
    [
      'the same after collections of garbage, at the first and the last',
      `${used.at(0)?.residentMiB.toFixed(1)}, ${used.at(-1)?.residentMiB.toFixed(1)} MiB`,
      '',
    ],
    [
      `slope after collections${speed === 1 ? '' : ' per hour of load'}, ${isLong ? 'after the first hour' : 'second half'}`,
      `${usedSlope.toFixed(3)} MiB per hour`,
      `< ${GOAL.slopeMiBPerHour}${isLong ? '' : ' (24 h)'}`,
    ],
    ['slope of all samples, with garbage', `${slope.toFixed(2)} MiB per hour`, ''],
    ['open descriptors', span(descriptors), 'constant'],
    ['threads', span(threads), 'constant'],
    [
      'written to the disk, per day at this rate, with a backup',
      `${perDay.toFixed(1)} MB`,
      `< ${GOAL.writtenMBPerDay} MB`,
    ],
    ['processor time', `${(last.cpuMs / 36_000 / (last.hours / speed)).toFixed(2)} % of a core`, ''],
    [
      'a call of GetValue, median and p99: first sample',
      `${first.medianMs.toFixed(2)} ms, ${first.p99Ms.toFixed(2)} ms`,
      '',
    ],
    [
      'the same, last sample',
      `${last.medianMs.toFixed(2)} ms, ${last.p99Ms.toFixed(2)} ms`,
      'as at the beginning',
    ],
  ];
  const problems = [
    isLong && usedSlope >= GOAL.slopeMiBPerHour && `memory grows by ${usedSlope.toFixed(3)} MiB per hour`,
    perDay >= GOAL.writtenMBPerDay && `${perDay.toFixed(1)} MB per day are written`,
    Math.max(...threads) > Math.min(...threads) + 1 && `threads: ${span(threads)}`,
    Math.max(...descriptors) > Math.min(...descriptors) + 4 && `descriptors: ${span(descriptors)}`,
  ].filter((problem) => problem !== false);
  const lines = [
    '| figure | value | goal |',
    '| --- | --- | --- |',
    ...rows.map((row) => `| ${row.join(' | ')} |`),
  ];
  return { markdown: `${lines.join('\n')}\n`, svg: graph(samples), problems };
}

/** The slope of the resident memory by least squares, MiB per hour. */
function slopeOf(samples: readonly Pick<Sample, 'hours' | 'residentMiB'>[]): number {
  const mean = (values: readonly number[]) => values.reduce((sum, one) => sum + one, 0) / values.length;
  const [x, y] = [mean(samples.map(({ hours }) => hours)), mean(samples.map((one) => one.residentMiB))];
  const above = samples.reduce((sum, one) => sum + (one.hours - x) * (one.residentMiB - y), 0);
  const below = samples.reduce((sum, one) => sum + (one.hours - x) ** 2, 0);
  return below === 0 ? 0 : above / below;
}

/** Resident memory and written bytes over time, each from 0 to its maximum. */
function graph(samples: readonly Sample[]): string {
  const end = samples.at(-1)?.hours ?? 1;
  const line = (name: string, colour: string, of: (sample: Sample) => number) => {
    const most = Math.max(...samples.map(of), 1e-9);
    const points = samples.map((sample) => {
      const x = MARGIN + (sample.hours / end) * (WIDTH - 2 * MARGIN);
      const y = HEIGHT - MARGIN - (of(sample) / most) * (HEIGHT - 2 * MARGIN);
      return `${x.toFixed(1)},${y.toFixed(1)}`;
    });
    return {
      most,
      name,
      colour,
      svg: `<polyline fill="none" stroke="${colour}" points="${points.join(' ')}"/>`,
    };
  };
  const lines = [
    line('resident memory, MiB', '#06c', (one) => one.residentMiB),
    line('written, MB', '#c60', (one) => one.writtenBytes / 1e6),
    line('descriptors', '#383', (one) => one.descriptors),
  ];
  const labels = lines.map(
    ({ name, most, colour }, i) =>
      `<text x="${MARGIN + i * 220}" y="20" fill="${colour}">${name}: at most ${most.toFixed(1)}</text>`,
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="sans-serif" font-size="13">
<rect width="${WIDTH}" height="${HEIGHT}" fill="#fff"/>
<path d="M${MARGIN} ${MARGIN}V${HEIGHT - MARGIN}H${WIDTH - MARGIN}" fill="none" stroke="#666"/>
${lines.map(({ svg }) => svg).join('\n')}
${labels.join('\n')}
<text x="${WIDTH - MARGIN}" y="${HEIGHT - 15}" text-anchor="end">${(end * 60).toFixed(0)} min</text>
</svg>
`;
}
