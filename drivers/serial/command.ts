import { type Static, Type } from '@sinclair/typebox';
import { fault } from '../../src/base/fault.js';
import { enumProperty } from '../../src/device/toolkit/enum-property.js';
import type { Value } from '../../src/device/module.js';
import {
  IDENT_PATTERN,
  notationOf,
  variableTypeNames,
  writeValue,
  type ValueNotation,
} from '../../src/device/toolkit/notation.js';
import { parseEscapes } from './escape-sequences.js';

export const encodings = ['latin1', 'utf8', 'hex'] as const;
export type Encoding = (typeof encodings)[number];

/** How a wish for a variable is said to the device. */
export const commandSchema = Type.Object(
  {
    Ident: Type.String({ pattern: IDENT_PATTERN, maxLength: 64 }),
    Name: Type.Optional(Type.String({ maxLength: 200 })),
    Type: enumProperty(variableTypeNames, 'string'),
    /** What is sent, `{value}` standing for the value; escapes `\r \n \t \0 \\ \xHH`. */
    Send: Type.Optional(Type.String({ maxLength: 1000 })),
    /** What is sent for true and false: in place of `{value}`, or alone where there is no Send. Escapes as above. */
    On: Type.Optional(Type.String({ maxLength: 1000 })),
    Off: Type.Optional(Type.String({ maxLength: 1000 })),
    /** Number sent = (value − Offset) ÷ Scale. */
    Scale: Type.Optional(Type.Number()),
    Offset: Type.Optional(Type.Number()),
    /** Decimals of the number sent; as many as it has unless said. */
    Digits: Type.Optional(Type.Integer({ minimum: 0, maximum: 12 })),
    Profile: Type.Optional(Type.String({ maxLength: 200 })),
  },
  { additionalProperties: false },
);
export type CommandFields = Static<typeof commandSchema>;

const PLACEHOLDER = '{value}';

/** One command, compiled: makes the bytes for a value. */
export class Command {
  readonly ident: string;
  readonly #notation: ValueNotation;
  readonly #send: string;
  readonly #digits: number | undefined;
  readonly #encoding: Encoding;

  /** Throws a SyntaxError that says what is wrong with its fields. */
  constructor(fields: CommandFields, encoding: Encoding) {
    const { Ident, Type: type, Send, On, Off, Digits } = fields;
    if (Send === undefined && (type !== 'boolean' || On === undefined || Off === undefined)) {
      throw new SyntaxError(`${Ident} needs a Send${type === 'boolean' ? ', or On and Off' : ''}`);
    }
    if (fields.Scale === 0) throw new SyntaxError(`${Ident}: Scale must not be 0`);
    this.ident = Ident;
    this.#notation = notationOf({ ...fields, On: parseEscapes(On ?? '1'), Off: parseEscapes(Off ?? '0') });
    this.#send = parseEscapes(Send ?? PLACEHOLDER);
    this.#digits = Digits;
    this.#encoding = encoding;
  }

  /** Throws `CANNOT_CONVERT` for a value that can't be said, a text with control characters among them. */
  encode(value: Value): Buffer {
    // A text of a client's must stay a value: a line end in it would begin a command of its own.
    if (typeof value === 'string' && /\p{Cc}/u.test(value)) {
      throw fault('CANNOT_CONVERT', 'Value', 'the text has control characters');
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
  const back = bytes.toString(encoding);
  if (back === (encoding === 'hex' ? plain.toLowerCase() : plain)) return bytes;
  const why =
    encoding === 'hex' ? 'it is not made of whole hexadecimal bytes' : 'it has characters beyond Latin-1';
  throw fault('CANNOT_CONVERT', 'Value', why);
}
