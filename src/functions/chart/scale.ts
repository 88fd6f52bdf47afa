/** Values beyond this are drawn at the edge: what is computed with them stays finite. */
const VALUE_LIMIT = 1e300;
/** Values that differ by less of themselves are the same in a chart. */
const SAME = 1e-9;
/** Nothing is told apart below this: doubles have no room for steps there. */
const LEAST = 1e-290;

export const clampValue = (value: number): number => Math.max(-VALUE_LIMIT, Math.min(VALUE_LIMIT, value));

/** A mark of an axis, with its text. */
export interface Tick {
  readonly value: number;
  readonly text: string;
}

/** What an axis reaches over, and its marks. */
export interface Scale {
  readonly low: number;
  readonly high: number;
  readonly ticks: readonly Tick[];
}

/** A scale over what lies between two values, with about `count` marks at round numbers; the ends are such. */
export function niceScale(least: number, most: number, count: number): Scale {
  let [low, high] = [clampValue(Math.min(least, most)), clampValue(Math.max(least, most))];
  if (high - low <= Math.max(Math.abs(low), Math.abs(high)) * SAME + LEAST) {
    const room = Math.abs(high) * 0.05 || 0.5;
    [low, high] = [low - room, high + room];
  }
  const step = niceStep((high - low) / count);
  const [first, last] = [Math.floor(low / step), Math.ceil(high / step)];
  const ticks = Array.from({ length: last - first + 1 }, (_one, n) => ({
    value: (first + n) * step,
    text: numberText((first + n) * step, step),
  }));
  return { low: first * step, high: last * step, ticks };
}

/** The next of 1, 2 and 5 with any power of ten. */
function niceStep(least: number): number {
  const power = 10 ** Math.floor(Math.log10(least));
  for (const nice of [1, 2, 5]) if (nice * power >= least * (1 - SAME)) return nice * power;
  return 10 * power;
}

/** A number with as many decimals as its neighbours need to differ. */
function numberText(value: number, step: number): string {
  if (value === 0) return '0';
  if (step >= 1e9 || step < 1e-6) {
    const digits = Math.floor(Math.log10(Math.abs(value) / step)) + 2;
    return value.toPrecision(Math.max(2, Math.min(digits, 17))).replace(/\.?0+e/, 'e');
  }
  return value.toFixed(Math.max(0, -Math.floor(Math.log10(step) + SAME)));
}
