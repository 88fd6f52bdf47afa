import { builtin, type Given } from './builtin.js';
import { floatOf, orDefault } from './numbers.js';
import { textOf } from './text.js';
import { Duration, Missing, TemplateError, type Callable, type Value } from './value.js';

/** Milliseconds of the arguments of `timedelta`, in their order. */
const UNITS_MS = [86_400_000, 1000, 0.001, 1, 60_000, 3_600_000, 604_800_000] as const;

/** Functions that make durations. */
export const DURATION_FUNCTIONS: readonly Callable[] = [
  builtin(
    'timedelta',
    'days? seconds? microseconds? milliseconds? minutes? hours? weeks?',
    (...given: (Value | undefined)[]) =>
      new Duration(
        given.reduce<number>((total, one, n) => {
          const number = one === undefined ? 0 : floatOf(one);
          if (number === undefined) throw new TemplateError('timedelta expects numbers');
          return total + number * (UNITS_MS[n] ?? 0);
        }, 0),
      ),
  ),
  builtin('as_timedelta', 'value default?', (...[value, otherwise]: Given) =>
    orDefault('as_timedelta', value, readDuration(textOf(value)), otherwise),
  ),
];

/** `1 02:03:04`, `-1 day, 02:03:04.5`, `03:04` (minutes), or seconds; undefined for anything else. */
function readDuration(text: string): Duration | undefined {
  const found =
    /^(?:(-?\d{1,9}) (?:days?, ?)?)?(-?)(?:(\d{1,9}):)??(?:(\d{1,9}):)?(\d{1,12}(?:\.\d{1,9})?)$/.exec(
      text.trim(),
    );
  if (found === null) return undefined;
  const [, days = '0', sign, hours = '0', minutes = '0', seconds] = found;
  const time = 3_600_000 * Number(hours) + 60_000 * Number(minutes) + 1000 * Number(seconds);
  return new Duration(86_400_000 * Number(days) + (sign === '-' ? -time : time));
}

/** The attributes of a duration, and its method. Seconds and microseconds are those within a day and second. */
export function durationMember({ ms }: Duration, name: string): Value {
  const days = Math.floor(ms / 86_400_000);
  const rest = ms - days * 86_400_000;
  switch (name) {
    case 'total_seconds':
      return builtin('total_seconds', '', () => ms / 1000);
    case 'days':
      return BigInt(days);
    case 'seconds':
      return BigInt(Math.floor(rest / 1000));
    case 'microseconds':
      return BigInt((rest % 1000) * 1000);
    default:
      return new Missing(`'timedelta' object has no attribute '${name}'`);
  }
}
