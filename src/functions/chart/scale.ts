/** Larger values are clamped, so that all calculations stay finite. */
const VALUE_LIMIT = 1e300;
/** Relative difference below which values are equal in a chart. */
const SAME = 1e-9;
/** Smallest absolute difference: near the limit of doubles there are no smaller steps. */
const LEAST = 1e-290;

export const clampValue = (value: number): number => Math.max(-VALUE_LIMIT, Math.min(VALUE_LIMIT, value));

/** A tick of an axis with its label. */
export interface Tick {
  readonly value: number;
  readonly text: string;
}

/** The range of an axis and its ticks. */
export interface Scale {
  readonly low: number;
  readonly high: number;
  readonly ticks: readonly Tick[];
}

/**
 * A scale that contains two values, with about `count` ticks at round numbers; it starts and ends at a tick.
 */
export function niceScale(minimum: number, maximum: number, count: number): Scale {
  let [low, high] = [clampValue(Math.min(minimum, maximum)), clampValue(Math.max(minimum, maximum))];
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

/** The smallest step of 1, 2 or 5 times a power of ten that is not below `least`. */
function niceStep(minimum: number): number {
  const power = 10 ** Math.floor(Math.log10(minimum));
  for (const nice of [1, 2, 5]) if (nice * power >= minimum * (1 - SAME)) return nice * power;
  return 10 * power;
}

/** A number with enough decimals to differ from its neighbours. */
function numberText(value: number, step: number): string {
  if (value === 0) return '0';
  if (step >= 1e9 || step < 1e-6) {
    const digits = Math.floor(Math.log10(Math.abs(value) / step)) + 2;
    return value.toPrecision(Math.max(2, Math.min(digits, 17))).replace(/\.?0+e/, 'e');
  }
  return value.toFixed(Math.max(0, -Math.floor(Math.log10(step) + SAME)));
}
