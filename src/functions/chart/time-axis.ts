import { chartSpan, type ChartSpan, type Period } from './period.js';

/** A tick of the time axis with its label, which may be centred in the day, month or year. */
export interface TimeTick {
  readonly atS: number;
  readonly textAtS: number;
  readonly text: string;
}

/** How a period is divided into ticks. */
interface Division {
  readonly steps: readonly number[];
  /** The time of the n-th unit after the start of the hour, day, month or year of `from`. */
  readonly unit: (from: Date, n: number) => Date;
  readonly text: (at: Date) => string;
  /** Labels are centred in a unit instead of at its start. */
  readonly isSpan: boolean;
}

const twoDigits = (n: number) => String(n).padStart(2, '0');
const timeText = (at: Date) => `${twoDigits(at.getHours())}:${twoDigits(at.getMinutes())}`;
const dayText = (at: Date) => `${twoDigits(at.getDate())}.${twoDigits(at.getMonth() + 1)}.`;
const day = (from: Date, n: number) => new Date(from.getFullYear(), from.getMonth(), from.getDate() + n);
const hour = (from: Date, n: number) => new Date(from.getFullYear(), from.getMonth(), from.getDate(), n);

/** Dates are in digits, as in formatted values, so that they need no language. */
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
    text: (at) => `${twoDigits(at.getMonth() + 1)}.${at.getFullYear()}`,
    isSpan: true,
  },
  [chartSpan.decade]: {
    steps: [1, 2, 5],
    unit: (from, n) => new Date(from.getFullYear() + n, 0, 1),
    text: (at) => String(at.getFullYear()),
    isSpan: true,
  },
};

/** Upper bound of the units in a period: up to 120 minutes, counted from the start of the hour. */
const UNITS_LIMIT = 130;

/**
 * The ticks of a period in local time; `fits` is whether a number of labels of a length have enough space.
 */
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
  // There is no room for all labels: only the first one is kept.
  return ticks.map((tick, n) => (n === 0 ? tick : { ...tick, text: '' }));
}
