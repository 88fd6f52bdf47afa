/** The goal of a figure; 'at least' and 'at most' apply to its value. */
export interface Goal {
  readonly is: 'at least' | 'at most' | 'below';
  readonly value: number;
}

/** One measured figure: a ratio to a baseline, or an absolute number. */
export interface Figure {
  readonly name: string;
  /** The value that is compared with the goal, with its unit: `×` for a ratio. */
  readonly value: number;
  readonly unit: string;
  readonly goal: Goal | undefined;
  /** The raw numbers behind the value. */
  readonly ours: string;
  readonly baseline: string;
  /** What the reader must know to interpret it. */
  readonly note?: string;
}

/**
 * One family of figures, and its errors: lost messages, wrong replies. They fail the run; a missed goal does
 * not.
 */
export interface Report {
  readonly figures: readonly Figure[];
  readonly wrong: readonly string[];
}

/** The effort of a measurement. */
export interface Effort {
  readonly rounds: number;
  /** Of one round of load. */
  readonly seconds: number;
}

/** Runs rounds of all sides alternately, A B A B, after one of each that is not counted. */
export async function interleaved<T, S extends readonly (() => Promise<T>)[]>(
  rounds: number,
  sides: readonly [...S],
): Promise<{ [K in keyof S]: Awaited<ReturnType<S[K]>>[] }> {
  const seen = sides.map((): T[] => []);
  for (let round = 0; round <= rounds; round++) {
    for (const [at, side] of sides.entries()) {
      const came = await side();
      if (round > 0) seen[at]?.push(came);
    }
  }
  return seen as { [K in keyof S]: Awaited<ReturnType<S[K]>>[] };
}

export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

/** The value below which this fraction of the values is. Throws for no values: nothing was measured. */
export function quantile(values: readonly number[], part: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  const value = sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))];
  if (value === undefined || Number.isNaN(value)) throw new Error('nothing was measured');
  return value;
}

/** The result of one round of load. */
export interface Round {
  /** Of the server, per call or message. */
  readonly cpuUs: number;
  readonly perSecond: number;
}

/** Compares both sides by processor time, which is comparable on a shared machine. */
export function ratioOf(name: string, [ours, theirs]: readonly [Round[], Round[]], goal: Goal): Figure {
  return {
    name,
    value: quietCpuUs(theirs) / quietCpuUs(ours),
    unit: '×',
    goal,
    ours: formatRounds(ours),
    baseline: formatRounds(theirs),
  };
}

/** Our processor time as a multiple of the baseline's. */
export function costOf(name: string, [ours, theirs]: readonly [Round[], Round[]], atMost: number): Figure {
  return {
    name,
    value: quietCpuUs(ours) / quietCpuUs(theirs),
    unit: '×',
    goal: { is: 'at most', value: atMost },
    ours: formatRounds(ours),
    baseline: formatRounds(theirs),
  };
}

/** Of the quieter rounds: other processes on the caches and on a virtual processor can only add time. */
export function quietCpuUs(rounds: readonly Round[]): number {
  return quantile(
    rounds.map(({ cpuUs }) => cpuUs),
    0.25,
  );
}

/** `12,300/s, 45.6 µs CPU`. */
export function formatRounds(rounds: readonly Round[]): string {
  const perSecond = median(rounds.map((round) => round.perSecond));
  const cpuUs = quietCpuUs(rounds);
  return `${Math.round(perSecond).toLocaleString('en-US')}/s, ${cpuUs.toFixed(cpuUs < 10 ? 2 : 1)} µs CPU`;
}

/** The note of a figure that load of other processes can only make worse. */
export const QUIETEST = 'the quietest round';

/** The median delays of both sides in their quietest rounds, ms. */
export function lagFigure(
  name: string,
  [ours, theirs]: readonly [readonly number[], readonly number[]],
  goal: Goal,
): Figure {
  const [mine, yours] = [Math.min(...ours), Math.min(...theirs)];
  return {
    name,
    value: mine / yours,
    unit: '×',
    goal,
    ours: `${mine.toFixed(3)} ms`,
    baseline: `${yours.toFixed(3)} ms`,
    note: QUIETEST,
  };
}

/** Whether a figure reaches its goal; true without a goal. */
export function isReached({ value, goal }: Figure): boolean {
  switch (goal?.is) {
    case undefined:
      return true;
    case 'at least':
      return value >= goal.value;
    case 'at most':
      return value <= goal.value;
    case 'below':
      return value < goal.value;
  }
}

/** The figures as a table in Markdown, with their notes below. */
export function table(figures: readonly Figure[]): string {
  const notes = [...new Set(figures.flatMap(({ note = [] }) => note))];
  const head = ['figure', 'value', 'goal', 'reached', 'stellwerk', 'baseline'];
  const rows = figures.map((figure) => [
    figure.note === undefined ? figure.name : `${figure.name} [${notes.indexOf(figure.note) + 1}]`,
    `${Number(figure.value.toPrecision(3)).toLocaleString('en-US')} ${figure.unit}`,
    figure.goal === undefined ? '' : `${sign[figure.goal.is]} ${figure.goal.value.toLocaleString('en-US')}`,
    figure.goal === undefined ? '' : isReached(figure) ? 'yes' : '**no**',
    figure.ours,
    figure.baseline,
  ]);
  const widths = head.map((word, at) => Math.max(word.length, ...rows.map((row) => (row[at] ?? '').length)));
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join(' | ')} |`;
  const ruler = line(widths.map((width) => '-'.repeat(width)));
  const remarks = notes.map((note, at) => `\n[${at + 1}] ${note}`);
  return [line(head), ruler, ...rows.map(line), ...remarks].join('\n');
}

const sign = { 'at least': '≥', 'at most': '≤', below: '<' } as const;
