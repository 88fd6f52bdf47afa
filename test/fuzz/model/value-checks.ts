import { ModelFault, type CalendarDate, type TimeOfDay } from './snapshot-types.js';

/** Rejects a date that does not exist. */
export function checkDate({ day, month, year }: CalendarDate): void {
  within(year, 1970, 9999);
  within(month, 1, 12);
  const date = new Date(Date.UTC(year, month - 1, day));
  within(day, 1, date.getUTCMonth() === month - 1 ? day : 0);
}

/** Rejects an invalid time of day. */
export function checkTime({ hour, minute, second }: TimeOfDay): void {
  within(hour, 0, 23);
  within(minute, 0, 59);
  within(second, 0, 59);
}

/** Replaces the item with its id, or appends it. */
export function put<T extends object>(list: T[], entry: T, key: keyof T): void {
  const at = list.findIndex((one) => one[key] === entry[key]);
  list.splice(at < 0 ? list.length : at, at < 0 ? 0 : 1, entry);
}

/** Removes the item with that id, if any. */
export function takeOut<T extends object>(list: T[], id: unknown, key: keyof T): void {
  const at = list.findIndex((one) => one[key] === id);
  if (at >= 0) list.splice(at, 1);
}

/** Rejects a number that is out of range. */
export function within(value: number, minimum: number, maximum: number): void {
  if (value < minimum || value > maximum) throw new ModelFault('PARAMETER_BOUNDS');
}
