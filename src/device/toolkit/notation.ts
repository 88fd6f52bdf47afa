import { fault } from '../../base/fault.js';
import { isOfType, numberOf, roundHalfAway } from '../../kernel/convert.js';
import { quality, type QualityProblem } from '../../kernel/quality.js';
import { variableType, type Value, type VariableType } from '../../kernel/value.js';

/** The variable types by the words that device properties use for them. */
export const variableTypeNames = ['boolean', 'integer', 'float', 'string'] as const;
export type VariableTypeName = (typeof variableTypeNames)[number];

/** What an ident may look like in a device's properties. */
export const IDENT_PATTERN = '^[A-Za-z0-9_]+$';

/** The longest text that a device may put into a variable, in bytes; what is longer is a document, not a value. */
export const DEVICE_TEXT_LIMIT = 64 * 1024;

/** The longest that a device may promise its next value within, in seconds: 31 days. */
export const STALE_LIMIT_S = 2_678_400;

/** A value's doubt after something came for it that it could not be read from. */
export const UNREADABLE_REASON: QualityProblem = {
  state: quality.bad,
  reason: 'UNREADABLE',
  text: 'what came last could not be read',
};

/** How a device's texts stand for the values of one variable. */
export interface ValueNotation {
  readonly type: VariableType;
  /** The texts for true and false. */
  readonly on: string;
  readonly off: string;
  /** Value = number on the wire × scale + offset. */
  readonly scale: number;
  readonly offset: number;
}

/** How a device's properties say it. */
export interface NotationFields {
  readonly Type: VariableTypeName;
  readonly On?: string;
  readonly Off?: string;
  readonly Scale?: number;
  readonly Offset?: number;
}

/** The notation that properties name; what they leave out stands as it is in the texts. */
export function notationOf(fields: NotationFields): ValueNotation {
  const { Type, On = 'ON', Off = 'OFF', Scale = 1, Offset = 0 } = fields;
  return { type: variableType[Type], on: On, off: Off, scale: Scale, offset: Offset };
}

/**
 * The value that a device's text, or a JSON value from it, stands for; undefined where that would be a guess
 * ({@link explainUnreadable} says why). Integers are rounded only where a scale makes fractions of them.
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
      const whole = notation.scale === 1 ? scaled : roundHalfAway(scaled);
      return Number.isSafeInteger(whole) ? whole + 0 : undefined;
    }
    case variableType.float: {
      const scaled = readNumber(notation, raw);
      return scaled !== undefined && Number.isFinite(scaled) ? scaled : undefined;
    }
    case variableType.string: {
      const text = typeof raw === 'string' ? raw : isPlain(raw) ? String(raw) : undefined;
      return text === undefined || tooLong(text) ? undefined : text;
    }
  }
}

/** Unix times above this are milliseconds: as seconds they would be after the year 5000. */
const MOST_SECONDS = 1e11;
/** The end of what a Date can be, ms. */
const MOST_MS = 8.64e15;

/**
 * The time, unix milliseconds, that a device's text or JSON number stands for: unix seconds or milliseconds, or ISO 8601
 * (without a zone it is this machine's). Undefined where it is none.
 */
export function readTime(raw: unknown): number | undefined {
  const number = typeof raw === 'number' ? raw : typeof raw === 'string' ? numberOf(raw) : undefined;
  const isIso = typeof raw === 'string' && /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d/.test(raw);
  const ms =
    number === undefined ? (isIso ? Date.parse(raw) : NaN) : number > MOST_SECONDS ? number : number * 1000;
  return ms > 0 && ms <= MOST_MS ? ms : undefined;
}

/** What {@link readValue} did not like about it, for a trouble's text. */
export function explainUnreadable(notation: ValueNotation, raw: unknown): string {
  const shown = excerpt(raw);
  switch (notation.type) {
    case variableType.boolean:
      return `${shown} is neither On (${notation.on}) nor Off (${notation.off})`;
    case variableType.integer:
      return `${shown} is not an integer${readNumber(notation, raw) === undefined ? '' : '; use Type float or a Scale'}`;
    case variableType.float:
      return `${shown} is not a number`;
    case variableType.string:
      return typeof raw === 'string'
        ? `a text of more than ${DEVICE_TEXT_LIMIT} bytes`
        : `${shown} is not a text`;
  }
}

/**
 * How a value is written for the device: the inverse of {@link readValue}. Numbers come in plain decimal notation, with
 * `digits` decimals where given. Throws `CANNOT_CONVERT` for a value of another type.
 */
export function writeValue(notation: ValueNotation, value: Value, digits?: number): string {
  if (!isOfType(notation.type, value)) throw fault('CANNOT_CONVERT', 'Value', 'it is of another type');
  if (typeof value === 'boolean') return value ? notation.on : notation.off;
  if (typeof value === 'string') return value;
  return decimal((value - notation.offset) / notation.scale, digits);
}

/** What stands in a trouble's text for something that came from outside: one short line without control characters. */
export function excerpt(raw: unknown, limit = 60): string {
  const text = typeof raw === 'string' ? JSON.stringify(raw.slice(0, limit)) : describe(raw);
  return text.length > limit ? `${text.slice(0, limit)}…` : text;
}

function describe(raw: unknown): string {
  if (Array.isArray(raw)) return 'a list';
  return isPlain(raw) || raw === null ? String(raw) : 'an object';
}

function readNumber(notation: ValueNotation, raw: unknown): number | undefined {
  const number = typeof raw === 'number' ? raw : typeof raw === 'string' ? numberOf(raw) : undefined;
  return number === undefined ? undefined : number * notation.scale + notation.offset;
}

function isPlain(raw: unknown): raw is string | number | boolean {
  return typeof raw === 'string' || typeof raw === 'number' || typeof raw === 'boolean';
}

function tooLong(text: string): boolean {
  return (
    text.length > DEVICE_TEXT_LIMIT ||
    (text.length * 3 > DEVICE_TEXT_LIMIT && Buffer.byteLength(text) > DEVICE_TEXT_LIMIT)
  );
}

// Dividing by a scale leaves noise in the last digits (21.5 / 0.1 = 215.00000000000003): 12 digits are what devices have.
function decimal(number: number, digits: number | undefined): string {
  const rounded = Number.isSafeInteger(number) ? number : Number(number.toPrecision(12));
  return rounded.toLocaleString('en-US', {
    useGrouping: false,
    minimumFractionDigits: digits ?? 0,
    maximumFractionDigits: digits ?? 12,
  });
}
