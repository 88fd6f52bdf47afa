import type { Reading, Source } from './model.js';
import { UNKNOWN, UNREADABLE } from './model.js';

type Read = Source['read'];

/** How a device says that it does not know a value. */
export const NONE = 'None';

const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;

/** A decimal number; undefined if the text is none. */
export function numberIn(text: string): number | undefined {
  const trimmed = text.trim();
  const number = trimmed.length <= 40 && NUMBER.test(trimmed) ? Number(trimmed) : NaN;
  return Number.isFinite(number) ? number : undefined;
}

/** Rounds halves away from zero. */
export const rounded = (value: number): number => Math.sign(value) * Math.round(Math.abs(value)) + 0;

/** An empty text says nothing, `None` that the value is not known. */
const unless =
  (read: (text: string) => Reading, reset: string = NONE): Read =>
  (text) =>
    text === '' ? undefined : text === reset || text === NONE ? UNKNOWN : read(text);

export const readText = unless((text) => text);

export const readOnOff = (on: string, off: string): Read =>
  unless(
    (text) => (text === on ? true : text === off ? false : UNREADABLE),
    on === NONE || off === NONE ? '' : NONE,
  );

/** A number, which `convert` may change. */
export const readNumber = (convert: (number: number) => number = (number) => number, reset = NONE): Read =>
  unless((text) => {
    // What ESPHome publishes for a sensor without a value.
    if (text.toLowerCase() === 'nan') return UNKNOWN;
    const number = numberIn(text);
    return number === undefined ? UNREADABLE : convert(number);
  }, reset);

/** One of the options; any text if there are none. */
export const readOption = (options: readonly string[] | undefined, reset = NONE): Read => {
  // An option may be called None.
  if (options?.includes(NONE) === true)
    return (text) => (text === '' ? undefined : options.includes(text) ? text : UNREADABLE);
  return unless((text) => (options === undefined || options.includes(text) ? text : UNREADABLE), reset);
};

export type JsonObject = Readonly<Record<string, unknown>>;

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The value of a key; undefined if it is missing or inherited. */
export const memberOf = <T>(object: Readonly<Record<string, T>>, key: string): T | undefined =>
  Object.hasOwn(object, key) ? object[key] : undefined;

/** A text or number of an object as text; '' if there is none. */
export function textAt(object: JsonObject, key: string): string {
  const value = memberOf(object, key);
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

/** The JSON in a text; undefined if it is none. */
export function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** Reads a JSON object; a member that is missing says nothing. */
export const readJson =
  (read: (object: JsonObject) => Reading): Read =>
  (text) => {
    if (text === '') return undefined;
    const json = jsonIn(text);
    return isObject(json) ? read(json) : UNREADABLE;
  };

/** A number of a JSON object: null is unknown, a missing one says nothing. */
export function numberOf(value: unknown, convert: (number: number) => number = (number) => number): Reading {
  if (value === undefined) return undefined;
  if (value === null) return UNKNOWN;
  const number = typeof value === 'string' ? numberIn(value) : value;
  return typeof number === 'number' ? convert(number) : UNREADABLE;
}
