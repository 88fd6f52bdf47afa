import { chartSpan, type ChartSpan, type Period } from './period.js';

/** A mark of the time axis, and where its text stands: in the middle of the day, month or year that it names. */
export interface TimeTick {
  readonly atS: number;
  readonly textAtS: number;
  readonly text: string;
}

/** How time is divided: the steps that may be taken, the marks' moments, their texts. */
interface Division {
  readonly steps: readonly number[];
  /** The n-th unit from the beginning of what the moment lies in; a moment. */
  readonly unit: (from: Date, n: number) => Date;
  readonly text: (at: Date) => string;
  /** Texts stand in the middle of a unit rather than at its beginning. */
  readonly isSpan: boolean;
}

const two = (n: number) => String(n).padStart(2, '0');
const timeText = (at: Date) => `${two(at.getHours())}:${two(at.getMinutes())}`;
const dayText = (at: Date) => `${two(at.getDate())}.${two(at.getMonth() + 1)}.`;
const day = (from: Date, n: number) => new Date(from.getFullYear(), from.getMonth(), from.getDate() + n);
const hour = (from: Date, n: number) => new Date(from.getFullYear(), from.getMonth(), from.getDate(), n);

/** Texts of dates are in digits, as in formatted values: they need no language. */
const divisions: Readonly<Record<ChartSpan, Division>> = {
  [chartSpan.hour]: {
    steps: [5, 10, 15, 30],
    unit: (from, n) => new Date(Math.floor(from.getTime() / 3_600_000) * 3_600_000 + n * 60_000),
    text: timeText,
    isSpan: false,
  },
  [chartSpan.day]: { steps: [1, 2, 3, 4, 6, 12], unit: hour, text: timeText, isSpan: false },
  [chartSpan.week]: { steps: [1, 2, 4], unit: day, text: dayText, isSpan: true },
  [chartSpan.month]: { steps: [1, 2, 5, 7, 14], unit: day, text: dayText, isSpan: true },
  [chartSpan.year]: {
    steps: [1, 2, 3, 6],
    unit: (from, n) => new Date(from.getFullYear(), from.getMonth() + n, 1),
    text: (at) => `${two(at.getMonth() + 1)}.${at.getFullYear()}`,
    isSpan: true,
  },
  [chartSpan.decade]: {
    steps: [1, 2, 5],
    unit: (from, n) => new Date(from.getFullYear() + n, 0, 1),
    text: (at) => String(at.getFullYear()),
    isSpan: true,
  },
};

/** Units that a period can have at most: a month's days and one, a day's hours twice. */
const UNITS_LIMIT = 130;

/** The marks of a period of local time; `fits` says whether so many texts, the longest so long, have room. */
export function timeTicksOf(
  span: ChartSpan,
  { startS, endS }: Period,
  fits: (count: number, length: number) => boolean,
): readonly TimeTick[] {
  const { steps, unit, text, isSpan } = divisions[span];
  const from = new Date(startS * 1000);
  let ticks: TimeTick[] = [];
  for (const step of steps) {
    ticks = [];
    for (let n = 0; n < UNITS_LIMIT; n += step) {
      const at = unit(from, n);
      const atS = Math.floor(at.getTime() / 1000);
      if (atS >= endS) break;
      const isNew = atS > (ticks.at(-1)?.atS ?? -Infinity);
      if (atS < startS || !isNew) continue;
      const nextS = unit(from, n + 1).getTime() / 1000;
      ticks.push({ atS, textAtS: isSpan ? Math.min((atS + nextS) / 2, endS) : atS, text: text(at) });
    }
    if (fits(ticks.length, Math.max(0, ...ticks.map((tick) => tick.text.length)))) return ticks;
  }
  // There is no room for all: where it begins is said.
  return ticks.map((tick, n) => (n === 0 ? tick : { ...tick, text: '' }));
}
