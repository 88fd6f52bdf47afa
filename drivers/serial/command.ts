import { coded } from '../../src/base/codes/coded-text.js';
import { type Static, Type } from '@sinclair/typebox';
import { fault } from '../../src/base/fault.js';
import type { Value } from '../../src/device/module.js';
import { notationOf, writeValue, type ValueNotation } from '../../src/device/toolkit/notation.js';
import { parseEscapes } from './escape-sequences.js';
import { withAdvancedHelp, withHelp } from '../../src/device/toolkit/property-help.js';
import { variableProperties } from '../../src/device/toolkit/variable-properties.js';

export const encodings = ['latin1', 'utf8', 'hex'] as const;
export type Encoding = (typeof encodings)[number];

/** How a command for a variable is sent to the device. */
export const commandSchema = Type.Object(
  {
    ...variableProperties,
    Send: withHelp(
      Type.Optional(Type.String({ maxLength: 1000 })),
      '',
      'The text to send, with {value} as placeholder; escapes as in C.',
    ),
    On: withHelp(Type.Optional(Type.String({ maxLength: 1000 })), '', 'The text for true.'),
    Off: withHelp(Type.Optional(Type.String({ maxLength: 1000 })), '', 'The text for false.'),
    Scale: withAdvancedHelp(Type.Optional(Type.Number()), '', 'Number sent = (value − Offset) ÷ Scale.'),
    Offset: withAdvancedHelp(
      Type.Optional(Type.Number()),
      '',
      'Subtracted from the value before it is scaled.',
    ),
    Digits: withAdvancedHelp(
      Type.Optional(Type.Integer({ minimum: 0, maximum: 12 })),
      '',
      'Decimals of the number; as many as it has by default.',
    ),
    Profile: withHelp(Type.Optional(Type.String({ maxLength: 200 })), '', 'The profile of the variable.'),
  },
  { additionalProperties: false },
);
export type CommandFields = Static<typeof commandSchema>;

const PLACEHOLDER = '{value}';

/** A compiled command, which encodes values. */
export class Command {
  readonly ident: string;
  readonly #notation: ValueNotation;
  readonly #send: string;
  readonly #digits: number | undefined;
  readonly #encoding: Encoding;

  /** Throws `DEVICE_CONFIGURATION`, which describes the invalid field. */
  constructor(fields: CommandFields, encoding: Encoding) {
    const { Ident, Type: type, Send, On, Off, Digits } = fields;
    if (Send === undefined && (type !== 'boolean' || On === undefined || Off === undefined)) {
      throw fault(
        'DEVICE_CONFIGURATION',
        coded`SEND_REQUIRED: ${Ident} requires Send${type === 'boolean' ? coded`OR_ON_AND_OFF: , or On and Off` : ''}`,
      );
    }
    if (fields.Scale === 0)
      throw fault('DEVICE_CONFIGURATION', coded`SCALE_OF_0: ${Ident}: Scale must not be 0`);
    this.ident = Ident;
    this.#notation = notationOf({ ...fields, On: parseEscapes(On ?? '1'), Off: parseEscapes(Off ?? '0') });
    this.#send = parseEscapes(Send ?? PLACEHOLDER);
    this.#digits = Digits;
    this.#encoding = encoding;
  }

  /**
   * Encodes a value. Throws `CANNOT_CONVERT` if it cannot be encoded or is a text with control characters.
   */
  encode(value: Value): Buffer {
    // A line end in a text from a client would start another command.
    if (typeof value === 'string' && /\p{Cc}/u.test(value)) {
      throw fault(
        'CANNOT_CONVERT',
        'Value',
        coded`TEXT_CONTAINS_CONTROL_CHARACTERS: the text contains control characters`,
      );
    }
    const text = writeValue(this.#notation, value, this.#digits);
    return encodeText(
      this.#send.replaceAll(PLACEHOLDER, () => text),
      this.#encoding,
    );
  }
}

function encodeText(text: string, encoding: Encoding): Buffer {
  const plain = encoding === 'hex' ? text.replaceAll(' ', '') : text;
  const bytes = Buffer.from(plain, encoding);
  if (encoding === 'utf8') return bytes;
  const decoded = bytes.toString(encoding);
  if (decoded === (encoding === 'hex' ? plain.toLowerCase() : plain)) return bytes;
  const why =
    encoding === 'hex'
      ? coded`HEX_BYTES_INCOMPLETE: it does not consist of complete hexadecimal bytes`
      : coded`CONTAINS_CHARACTERS_NOT_LATIN: it contains characters that are not Latin-1`;
  throw fault('CANNOT_CONVERT', 'Value', why);
}
