import { formatValue, percentOf } from '../../kernel/profiles/format-value.js';
import type { Kernel } from '../../kernel/kernel.js';
import type { Profile } from '../../kernel/profiles/profile-data.js';
import { variableType, type Value } from '../../kernel/value.js';
import { profileOf } from './chart-definition.js';
import { clampValue, niceScale, type Scale, type Tick } from './scale.js';
import type { Series } from './series.js';

/** An axis of values: its range and how values are displayed on it. */
export interface ValueAxis {
  readonly scale: Scale;
  readonly unit: string;
  /** How the values of a series are displayed: as percentages if the profile says so. */
  readonly displayOf: (series: Series) => Display;
}

type Display = (value: number) => number;

/** Maximum number of states with labels. */
const STATES_LIMIT = 12;
/** Distance of ticks, pixels. */
const TICK_DISTANCE = 42;

/** The axis of these series; undefined if there are none. */
export function valueAxisOf(
  kernel: Kernel,
  series: readonly Series[],
  options: { profile: string; isExtrema: boolean; isDyn: boolean; height: number },
): ValueAxis | undefined {
  const [first] = series;
  if (first === undefined) return undefined;
  const ownProfile = profileOf(kernel, first.dataset.variable.data);
  const axisProfile = options.profile === '' ? undefined : kernel.profiles.find(options.profile);
  const profile = axisProfile ?? ownProfile;
  const states = statesOf(kernel, series);
  if (states !== undefined) {
    const values = states.map(({ value }) => value);
    const [low, high] = [Math.min(...values), Math.max(...values)];
    const scale = { low, high: high > low ? high : low + 1, ticks: states };
    return { scale, unit: '', displayOf: () => clampValue };
  }
  const displayOf = ({ dataset }: Series): Display => {
    const own = profileOf(kernel, dataset.variable.data);
    // The profile of the axis applies to all values, but percentages may have different ranges.
    const isOwn = axisProfile === undefined || (isPercent(axisProfile) && isPercent(own));
    return displayBy(isOwn ? (own ?? profile) : axisProfile);
  };
  const [min, max] = rangeOf(series, { ...options, profile, displayOf });
  const count = Math.max(2, Math.min(8, Math.floor(options.height / TICK_DISTANCE)));
  return { scale: niceScale(min, max, count), unit: unitOf(profile), displayOf };
}

const isPercent = (profile: Profile | undefined): boolean => profile?.suffix.trim() === '%';

const displayBy =
  (profile: Profile | undefined): Display =>
  (value) =>
    clampValue(profile === undefined ? value : percentOf(value, profile));

/** Minimum and maximum of the displayed values. */
function rangeOf(
  series: readonly Series[],
  options: {
    profile: Profile | undefined;
    isExtrema: boolean;
    isDyn: boolean;
    displayOf: (series: Series) => Display;
  },
): [number, number] {
  let [low, high] = [Infinity, -Infinity];
  const includeAs = (display: Display) => (value: number) => {
    const displayed = display(value);
    [low, high] = [Math.min(low, displayed), Math.max(high, displayed)];
  };
  for (const one of series) {
    const { dataset, points } = one;
    const include = includeAs(options.displayOf(one));
    if (dataset.kind === 'bar') include(0);
    for (const { value, min, max } of points) {
      include(value);
      if (options.isExtrema && dataset.kind === 'line') [min, max].forEach(include);
    }
  }
  const { profile } = options;
  const include = includeAs(displayBy(profile));
  const isEmpty = low > high;
  const hasRange = profile !== undefined && profile.max > profile.min;
  if (hasRange && (!options.isDyn || isEmpty)) [profile.min, profile.max].forEach(include);
  else if (!options.isDyn || isEmpty) include(0);
  if (isEmpty && !hasRange) include(1);
  return [low, high];
}

/** The labels of the states if all series are states. */
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
