import { formatValue, percentOf } from '../../kernel/profiles/format-value.js';
import type { Kernel } from '../../kernel/kernel.js';
import type { Profile } from '../../kernel/profiles/profile-data.js';
import { variableType, type Value } from '../../kernel/value.js';
import { profileOf } from './chart-definition.js';
import { clampValue, niceScale, type Scale, type Tick } from './scale.js';
import type { Series } from './series.js';

/** An axis of values: what it reaches over, and how a value is shown on it. */
export interface ValueAxis {
  readonly scale: Scale;
  readonly unit: string;
  /** A value as it is shown: percentages of a range are numbers of per cent. */
  readonly toDisplayed: (value: number) => number;
}

/** States beyond this many have no room for their names. */
const STATES_LIMIT = 12;
/** Pixels between two marks. */
const MARK_EVERY = 42;

/** The axis of these series; undefined where there are none. */
export function valueAxisOf(
  kernel: Kernel,
  series: readonly Series[],
  look: { profile: string; isExtrema: boolean; isDyn: boolean; height: number },
): ValueAxis | undefined {
  const [first] = series;
  if (first === undefined) return undefined;
  const own = profileOf(kernel, first.dataset.variable.data);
  const profile = look.profile === '' ? own : (kernel.profiles.find(look.profile) ?? own);
  const states = statesOf(kernel, series);
  if (states !== undefined) {
    const values = states.map(({ value }) => value);
    const [low, high] = [Math.min(...values), Math.max(...values)];
    const scale = { low, high: high > low ? high : low + 1, ticks: states };
    return { scale, unit: '', toDisplayed: clampValue };
  }
  const shown = (value: number) => clampValue(profile === undefined ? value : percentOf(value, profile));
  const [least, most] = reach(series, { ...look, profile, shown });
  const count = Math.max(2, Math.min(8, Math.floor(look.height / MARK_EVERY)));
  return { scale: niceScale(least, most, count), unit: unitOf(profile), toDisplayed: shown };
}

/** From where to where the values go, as they are shown. */
function reach(
  series: readonly Series[],
  look: {
    profile: Profile | undefined;
    isExtrema: boolean;
    isDyn: boolean;
    shown: (value: number) => number;
  },
): [number, number] {
  let [least, most] = [Infinity, -Infinity];
  const take = (value: number) => {
    const shown = look.shown(value);
    [least, most] = [Math.min(least, shown), Math.max(most, shown)];
  };
  for (const { dataset, points } of series) {
    if (dataset.kind === 'bar') take(0);
    for (const { value, min, max } of points) {
      take(value);
      if (look.isExtrema && dataset.kind === 'line') [min, max].forEach(take);
    }
  }
  const { profile } = look;
  const isEmpty = least > most;
  const hasRange = profile !== undefined && profile.max > profile.min;
  if (hasRange && (!look.isDyn || isEmpty)) [profile.min, profile.max].forEach(take);
  else if (!look.isDyn || isEmpty) take(0);
  if (isEmpty && !hasRange) take(1);
  return [least, most];
}

/** The names of the states, where all that is shown are states. */
function statesOf(kernel: Kernel, series: readonly Series[]): Tick[] | undefined {
  const ticks = new Map<number, string>();
  for (const { dataset } of series) {
    if (dataset.kind !== 'step') return undefined;
    const { data } = dataset.variable;
    const profile = profileOf(kernel, data);
    const known: readonly Value[] =
      data.type === variableType.boolean
        ? [false, true]
        : (profile?.associations ?? []).map(({ value }) => value);
    const named = { type: data.type, profile: profile?.name ?? '' };
    for (const value of known)
      if (!ticks.has(Number(value))) ticks.set(Number(value), formatValue(value, named, kernel.profiles));
  }
  if (ticks.size < 2 || ticks.size > STATES_LIMIT) return undefined;
  return [...ticks].map(([value, text]) => ({ value, text })).sort((a, b) => a.value - b.value);
}

function unitOf(profile: Profile | undefined): string {
  return profile === undefined ? '' : `${profile.prefix.trim()} ${profile.suffix.trim()}`.trim();
}
