import { type Static, Type } from '@sinclair/typebox';
import { compileLinearPattern } from '../../src/base/linear-pattern.js';
import { enumProperty } from '../../src/device/toolkit/enum-property.js';
import {
  IDENT_PATTERN,
  notationOf,
  STALE_LIMIT_S,
  variableTypeNames,
  type ValueNotation,
} from '../../src/device/toolkit/notation.js';

const formats = ['decimal', 'hex', 'hex-signed', 'hex-le', 'hex-le-signed'] as const;
type Format = (typeof formats)[number];

/** How a frame's text becomes the value of a variable. */
export const ruleSchema = Type.Object(
  {
    /** A regular expression; the value is the group named like `Ident`, else the first group, else all that matched. */
    Pattern: Type.String({ minLength: 1, maxLength: 1000 }),
    Ident: Type.String({ pattern: IDENT_PATTERN, maxLength: 64 }),
    Name: Type.Optional(Type.String({ maxLength: 200 })),
    Type: enumProperty(variableTypeNames, 'string'),
    /** How a number stands in the text: decimal digits, or the hexadecimal digits of its bytes. */
    Format: Type.Optional(enumProperty(formats, 'decimal')),
    /** What stands for true and false; `ON` and `OFF` unless said. */
    On: Type.Optional(Type.String({ maxLength: 200 })),
    Off: Type.Optional(Type.String({ maxLength: 200 })),
    /** Value = number in the text × Scale + Offset. */
    Scale: Type.Optional(Type.Number()),
    Offset: Type.Optional(Type.Number()),
    Profile: Type.Optional(Type.String({ maxLength: 200 })),
    /** The device promises a value within so many seconds of the one before. */
    StaleAfterS: Type.Optional(Type.Integer({ minimum: 1, maximum: STALE_LIMIT_S })),
  },
  { additionalProperties: false },
);
export type Rule = Static<typeof ruleSchema>;

interface Target {
  readonly ident: string;
  readonly notation: ValueNotation;
  /** The group's name, or number, that holds the value. */
  readonly group: string | number;
  readonly format: Format;
}

interface Matcher {
  readonly pattern: RegExp;
  readonly targets: readonly Target[];
}

/** Hears what a frame says: the text, or the number in bytes, that the rule of this ident found. */
export type MatchHandler = (ident: string, notation: ValueNotation, raw: string | number) => void;

/** The rules of a device, compiled: each pattern is matched once a frame, however many rules share it. */
export class Rules {
  readonly #matchers: readonly Matcher[];

  /** Throws a SyntaxError for a pattern that is none, or that could take for ever. */
  constructor(rules: readonly Rule[]) {
    const byPattern = Map.groupBy(rules, ({ Pattern }) => Pattern);
    this.#matchers = [...byPattern].map(([source, sharing]) => {
      const pattern = compileLinearPattern(source);
      const groups = listGroups(source);
      return { pattern, targets: sharing.map((one) => compileTarget(one, groups)) };
    });
  }

  /** Tells what each matching rule finds in the text of a frame; false when none matched. */
  apply(text: string, found: MatchHandler): boolean {
    let matched = false;
    for (const { pattern, targets } of this.#matchers) {
      const match = pattern.exec(text);
      if (match === null) continue;
      matched = true;
      for (const { ident, notation, group, format } of targets) {
        const value = typeof group === 'number' ? match[group] : match.groups?.[group];
        // A group that took no part says nothing.
        if (value !== undefined)
          found(ident, notation, format === 'decimal' ? value : decodeHexNumber(value, format));
      }
    }
    return matched;
  }
}

function compileTarget(one: Rule, groups: { names: readonly string[]; count: number }): Target {
  const group = groups.names.includes(one.Ident) ? one.Ident : groups.count > 0 ? 1 : 0;
  return { ident: one.Ident, notation: notationOf(one), group, format: one.Format ?? 'decimal' };
}

/** The number that bytes in hexadecimal digits stand for; the text itself where they are none, or more than six. */
function decodeHexNumber(digits: string, format: Format): number | string {
  const size = digits.length / 2;
  if (!/^[0-9a-f]{2,12}$/i.test(digits) || !Number.isInteger(size)) return digits;
  const bytes = Buffer.from(digits, 'hex');
  switch (format) {
    case 'hex-signed':
      return bytes.readIntBE(0, size);
    case 'hex-le':
      return bytes.readUIntLE(0, size);
    case 'hex-le-signed':
      return bytes.readIntLE(0, size);
    default:
      return bytes.readUIntBE(0, size);
  }
}

/** The groups of a pattern, seen by matching it with nothing. */
function listGroups(source: string): { names: readonly string[]; count: number } {
  const match = new RegExp(`${source}|`).exec('');
  return { names: Object.keys(match?.groups ?? {}), count: (match?.length ?? 1) - 1 };
}
