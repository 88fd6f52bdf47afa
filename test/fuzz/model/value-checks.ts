import { ModelFault, type CalendarDate, type TimeOfDay } from './snapshot-types.js';

/** Refuses a date that no calendar has. */
export function checkDate({ day, month, year }: CalendarDate): void {
  within(year, 1970, 9999);
  within(month, 1, 12);
  const date = new Date(Date.UTC(year, month - 1, day));
  within(day, 1, date.getUTCMonth() === month - 1 ? day : 0);
}

/** Refuses what is no time of day. */
export function checkTime({ hour, minute, second }: TimeOfDay): void {
  within(hour, 0, 23);
  within(minute, 0, 59);
  within(second, 0, 59);
}

/** In the place of the one with its id, or at the end. */
export function put<T extends object>(list: T[], entry: T, key: keyof T): void {
  const at = list.findIndex((one) => one[key] === entry[key]);
  list.splice(at < 0 ? list.length : at, at < 0 ? 0 : 1, entry);
}

/** Takes the one with that id out, where there is one. */
export function takeOut<T extends object>(list: T[], id: unknown, key: keyof T): void {
  const at = list.findIndex((one) => one[key] === id);
  if (at >= 0) list.splice(at, 1);
}

/** Refuses a number that is not within the two. */
export function within(value: number, least: number, most: number): void {
  if (value < least || value > most) throw new ModelFault('PARAMETER_BOUNDS');
}
