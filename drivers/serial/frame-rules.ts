import { type Static, Type } from '@sinclair/typebox';
import { compileLinearPattern } from '../../src/base/v8/linear-pattern.js';
import { enumProperty } from '../../src/device/toolkit/enum-property.js';
import { notationOf, STALE_LIMIT_S, type ValueNotation } from '../../src/device/toolkit/notation.js';
import { withAdvancedHelp, withHelp } from '../../src/device/toolkit/property-help.js';
import { variableProperties } from '../../src/device/toolkit/variable-properties.js';

const formats = ['decimal', 'hex', 'hex-signed', 'hex-le', 'hex-le-signed'] as const;
type Format = (typeof formats)[number];

/** How the text of a frame becomes the value of a variable. */
export const ruleSchema = Type.Object(
  {
    /**
     * A regular expression. The value is the group named like `Ident`, otherwise the first group, otherwise
     * the entire match.
     */
    Pattern: withHelp(
      Type.String({ minLength: 1, maxLength: 1000 }),
      '',
      'A regular expression; its first group is the value.',
    ),
    ...variableProperties,
    Format: withAdvancedHelp(
      Type.Optional(enumProperty(formats, 'decimal')),
      '',
      'The format of a number: decimal digits, or the hexadecimal digits of its bytes.',
    ),
    On: withHelp(Type.Optional(Type.String({ maxLength: 200 })), '', 'The text for true; ON by default.'),
    Off: withHelp(Type.Optional(Type.String({ maxLength: 200 })), '', 'The text for false; OFF by default.'),
    Scale: withAdvancedHelp(Type.Optional(Type.Number()), '', 'Value = number in the text × Scale + Offset.'),
    Offset: withAdvancedHelp(Type.Optional(Type.Number()), '', 'Added to the scaled number.'),
    Profile: withHelp(Type.Optional(Type.String({ maxLength: 200 })), '', 'The profile of the variable.'),
    StaleAfterS: withAdvancedHelp(
      Type.Optional(Type.Integer({ minimum: 1, maximum: STALE_LIMIT_S })),
      '',
      'Without a new value for longer than this, the variable is stale.',
    ),
  },
  { additionalProperties: false },
);
export type Rule = Static<typeof ruleSchema>;

interface Target {
  readonly ident: string;
  readonly notation: ValueNotation;
  /** Name or number of the group with the value. */
  readonly group: string | number;
  readonly format: Format;
}

interface Matcher {
  readonly pattern: RegExp;
  readonly targets: readonly Target[];
}

/** Receives what a rule matched: text, or a number decoded from hexadecimal bytes. */
type MatchHandler = (ident: string, notation: ValueNotation, raw: string | number) => void;

/**
 * The compiled rules of a device: each pattern is matched once per frame, even if several rules share it.
 */
export class Rules {
  readonly #matchers: readonly Matcher[];

  /** Throws a SyntaxError for a pattern that is invalid or not guaranteed to match in linear time. */
  constructor(rules: readonly Rule[]) {
    const byPattern = Map.groupBy(rules, ({ Pattern }) => Pattern);
    this.#matchers = [...byPattern].map(([source, sharedBy]) => {
      const pattern = compileLinearPattern(source);
      const groups = listGroups(source);
      return { pattern, targets: sharedBy.map((one) => compileTarget(one, groups)) };
    });
  }

  /**
   * Passes what each rule matches in the text of a frame to `onMatch`; returns false if no rule matched.
   */
  apply(text: string, onMatch: MatchHandler): boolean {
    let hasMatched = false;
    for (const { pattern, targets } of this.#matchers) {
      const match = pattern.exec(text);
      if (match === null) continue;
      hasMatched = true;
      for (const { ident, notation, group, format } of targets) {
        const value = typeof group === 'number' ? match[group] : match.groups?.[group];
        // A group that did not participate in the match is skipped.
        if (value !== undefined)
          onMatch(ident, notation, format === 'decimal' ? value : decodeHexNumber(value, format));
      }
    }
    return hasMatched;
  }
}

function compileTarget(one: Rule, groups: { names: readonly string[]; count: number }): Target {
  const group = groups.names.includes(one.Ident) ? one.Ident : groups.count > 0 ? 1 : 0;
  return { ident: one.Ident, notation: notationOf(one), group, format: one.Format ?? 'decimal' };
}

/** Decodes a number from the hexadecimal digits of at most six bytes; returns other text unchanged. */
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

/** The groups of a pattern, determined by matching the empty string. */
function listGroups(source: string): { names: readonly string[]; count: number } {
  const match = new RegExp(`${source}|`).exec('');
  return { names: Object.keys(match?.groups ?? {}), count: (match?.length ?? 1) - 1 };
}
