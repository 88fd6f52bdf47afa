import { coded, type CodedText } from '../../base/codes/coded-text.js';
import { fault } from '../../base/fault.js';
import { isOfType, numberOf, roundHalfAway } from '../../kernel/convert.js';
import { quality, type QualityProblem } from '../../kernel/quality.js';
import { variableType, type Value, type VariableType } from '../../kernel/value.js';

/** The names of variable types in device properties; the index is the type's number. */
export const variableTypeNames = ['boolean', 'integer', 'float', 'string'] as const;
type VariableTypeName = (typeof variableTypeNames)[number];

/** The pattern of idents in device properties. */
export const IDENT_PATTERN = '^[A-Za-z0-9_]+$';

/** The longest text value that a device may report, bytes; anything longer is a document, not a value. */
export const DEVICE_TEXT_LIMIT = 64 * 1024;

/** The longest `staleAfterS`, seconds: 31 days. */
export const STALE_LIMIT_S = 2_678_400;

/** The quality of a value after an input that could not be parsed. */
export const UNREADABLE_REASON: QualityProblem = {
  state: quality.bad,
  reason: 'UNREADABLE',
  text: 'the last input could not be parsed',
};

/** How a device writes the values of one variable. */
export interface ValueNotation {
  readonly type: VariableType;
  /** The texts for true and false. */
  readonly on: string;
  readonly off: string;
  /** value = number on the wire × scale + offset. */
  readonly scale: number;
  readonly offset: number;
}

/** A notation as given in device properties. */
export interface NotationFields {
  readonly Type: VariableTypeName;
  readonly On?: string;
  readonly Off?: string;
  readonly Scale?: number;
  readonly Offset?: number;
}

/** The notation that the properties describe, with defaults filled in. */
export function notationOf(fields: NotationFields): ValueNotation {
  const { Type, On = 'ON', Off = 'OFF', Scale = 1, Offset = 0 } = fields;
  return { type: variableType[Type], on: On, off: Off, scale: Scale, offset: Offset };
}

/**
 * Parses a device's text, or a JSON value from it. Returns undefined rather than guess ({@link
 * explainUnreadable} says why). Integers are rounded only if a scale makes them fractions.
 */
export function readValue(notation: ValueNotation, raw: unknown): Value | undefined {
  switch (notation.type) {
    case variableType.boolean:
      if (typeof raw === 'boolean') return raw;
      return raw === notation.on || (typeof raw === 'number' && String(raw) === notation.on)
        ? true
        : raw === notation.off || (typeof raw === 'number' && String(raw) === notation.off)
          ? false
          : undefined;
    case variableType.integer: {
      const scaled = readNumber(notation, raw);
      if (scaled === undefined) return undefined;
      const integer = notation.scale === 1 ? scaled : roundHalfAway(scaled);
      return Number.isSafeInteger(integer) ? integer + 0 : undefined;
    }
    case variableType.float: {
      const scaled = readNumber(notation, raw);
      return scaled !== undefined && Number.isFinite(scaled) ? scaled : undefined;
    }
    case variableType.string: {
      const text = typeof raw === 'string' ? raw : isPlain(raw) ? String(raw) : undefined;
      return text === undefined || isTooLong(text) ? undefined : text;
    }
  }
}

/** Unix times above this are milliseconds: as seconds they would be after the year 5000. */
const MAX_SECONDS = 1e11;
/** The largest time of a Date, ms. */
const MAX_MS = 8.64e15;

/**
 * Parses a device's timestamp, text or JSON number, to unix milliseconds: unix seconds or milliseconds, or
 * ISO 8601 (local time if it has no zone). Returns undefined for anything else.
 */
export function readTime(raw: unknown): number | undefined {
  const number = typeof raw === 'number' ? raw : typeof raw === 'string' ? numberOf(raw) : undefined;
  const isIso = typeof raw === 'string' && /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d/.test(raw);
  const ms =
    number === undefined ? (isIso ? Date.parse(raw) : NaN) : number > MAX_SECONDS ? number : number * 1000;
  return ms > 0 && ms <= MAX_MS ? ms : undefined;
}

/** Why {@link readValue} rejected the input, for a problem's text. */
export function explainUnreadable(notation: ValueNotation, raw: unknown): CodedText {
  const shown = excerpt(raw);
  switch (notation.type) {
    case variableType.boolean:
      return coded`NEITHER_NOR_OFF: ${shown} is neither On (${notation.on}) nor Off (${notation.off})`;
    case variableType.integer:
      return coded`NOT_INTEGER: ${shown} is not an integer${readNumber(notation, raw) === undefined ? '' : coded`USE_TYPE_FLOAT_SCALE: ; use Type float or a Scale`}`;
    case variableType.float:
      return coded`NOT_NUMBER: ${shown} is not a number`;
    case variableType.string:
      return typeof raw === 'string'
        ? coded`TEXT_MORE_THAN_BYTES: a text of more than ${DEVICE_TEXT_LIMIT} bytes`
        : coded`NOT_TEXT: ${shown} is not a text`;
  }
}

/**
 * Formats a value for the device: the inverse of {@link readValue}. Numbers are written in plain decimal
 * notation, with `digits` decimals if given. Throws `CANNOT_CONVERT` for a value of another type.
 */
export function writeValue(notation: ValueNotation, value: Value, digits?: number): string {
  if (!isOfType(notation.type, value))
    throw fault('CANNOT_CONVERT', 'Value', coded`OF_ANOTHER_TYPE: it is of another type`);
  if (typeof value === 'boolean') return value ? notation.on : notation.off;
  if (typeof value === 'string') return value;
  return decimal((value - notation.offset) / notation.scale, digits);
}

/** Quotes external input in a problem's text: one short line without control characters. */
export function excerpt(raw: unknown, limit = 60): string {
  const text = typeof raw === 'string' ? JSON.stringify(raw.slice(0, limit)) : describe(raw);
  return text.length > limit ? `${text.slice(0, limit)}…` : text;
}

function describe(raw: unknown): string {
  if (Array.isArray(raw)) return '[…]';
  return isPlain(raw) || raw === null ? String(raw) : '{…}';
}

function readNumber(notation: ValueNotation, raw: unknown): number | undefined {
  const number = typeof raw === 'number' ? raw : typeof raw === 'string' ? numberOf(raw) : undefined;
  return number === undefined ? undefined : number * notation.scale + notation.offset;
}

function isPlain(raw: unknown): raw is string | number | boolean {
  return typeof raw === 'string' || typeof raw === 'number' || typeof raw === 'boolean';
}

function isTooLong(text: string): boolean {
  return (
    text.length > DEVICE_TEXT_LIMIT ||
    (text.length * 3 > DEVICE_TEXT_LIMIT && Buffer.byteLength(text) > DEVICE_TEXT_LIMIT)
  );
}

// Dividing by a scale leaves noise in the last digits (21.5 / 0.1 = 215.00000000000003); devices have 12
// digits.
function decimal(number: number, digits: number | undefined): string {
  const rounded = Number.isSafeInteger(number) ? number : Number(number.toPrecision(12));
  return rounded.toLocaleString('en-US', {
    useGrouping: false,
    minimumFractionDigits: digits ?? 0,
    maximumFractionDigits: digits ?? 12,
  });
}
