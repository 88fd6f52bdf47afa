import { type Static, Type } from '@sinclair/typebox';
import { fault } from '../../src/base/fault.js';
import { enumProperty } from '../../src/device/toolkit/enum-property.js';
import type { Value } from '../../src/device/module.js';
import {
  IDENT_PATTERN,
  notationOf,
  readTime,
  STALE_LIMIT_S,
  variableTypeNames,
  writeValue,
  type ValueNotation,
} from '../../src/device/toolkit/notation.js';
import type { QoS } from './broker.js';
import { validateFilter, validateTopic } from './topic-filter.js';
import { parseJsonPath, NOT_JSON, valueAtPath, type JsonPath, type Message } from './message.js';

const topicText = () => Type.String({ maxLength: 1000 });
const payloadText = () => Type.String({ maxLength: 1000 });

/** How one variable is read from its state topic and written to its command topic. */
export const topicMappingSchema = Type.Object(
  {
    Ident: Type.String({ pattern: IDENT_PATTERN, maxLength: 64 }),
    Name: Type.Optional(Type.String({ maxLength: 200 })),
    Type: enumProperty(variableTypeNames, 'string'),
    /** Topic of the state; a filter with wildcards is allowed. */
    StateTopic: Type.Optional(topicText()),
    /** Path of the value in a JSON payload: `a.b[0]`. */
    JsonPath: Type.Optional(Type.String({ maxLength: 500 })),
    /** Payloads for true and false; `ON` and `OFF` by default. */
    On: Type.Optional(payloadText()),
    Off: Type.Optional(payloadText()),
    /** Value = number in the payload × Scale + Offset. */
    Scale: Type.Optional(Type.Number()),
    Offset: Type.Optional(Type.Number()),
    /** Counts the messages on StateTopic, whatever their payload; retained messages are not counted. */
    Counter: Type.Optional(Type.Boolean()),
    /** Topic for commands. */
    CommandTopic: Type.Optional(topicText()),
    /** Payload of a command, with `{value}` as placeholder; `{value}` alone by default. */
    CommandPayload: Type.Optional(payloadText()),
    /** Decimals of a published number; as many as it has by default. */
    Digits: Type.Optional(Type.Integer({ minimum: 0, maximum: 12 })),
    /** QoS of the subscription and of commands; 1 by default. */
    QoS: Type.Optional(Type.Integer({ minimum: 0, maximum: 2 })),
    /** Whether commands are retained. */
    Retain: Type.Optional(Type.Boolean()),
    Profile: Type.Optional(Type.String({ maxLength: 200 })),
    /** Deadline for the next value, in seconds after the previous one. */
    StaleAfterS: Type.Optional(Type.Integer({ minimum: 1, maximum: STALE_LIMIT_S })),
    /** Path of the value's time in a JSON payload: ISO 8601, unix seconds or milliseconds. */
    TimePath: Type.Optional(Type.String({ maxLength: 500 })),
  },
  { additionalProperties: false },
);
export type TopicMappingFields = Static<typeof topicMappingSchema>;

const PLACEHOLDER = '{value}';

/** The compiled topics of one variable. */
export class TopicMapping {
  readonly ident: string;
  readonly notation: ValueNotation;
  readonly stateTopic: string;
  readonly commandTopic: string;
  readonly isCounter: boolean;
  readonly qos: QoS;
  readonly retain: boolean;
  readonly #path: JsonPath | undefined;
  readonly #timePath: JsonPath | undefined;
  readonly #payload: string;
  readonly #digits: number | undefined;

  /** Throws a SyntaxError that describes the invalid field. */
  constructor(fields: TopicMappingFields) {
    const { Ident, StateTopic = '', CommandTopic = '', JsonPath: path, Counter = false } = fields;
    const error =
      (StateTopic === '' ? undefined : validateFilter(StateTopic)) ??
      (CommandTopic === '' ? undefined : validateTopic(CommandTopic)) ??
      (StateTopic + CommandTopic === '' ? 'set StateTopic, CommandTopic or both' : undefined) ??
      (Counter && (fields.Type !== 'integer' || StateTopic === '' || CommandTopic !== '')
        ? 'a Counter must be an integer with a StateTopic and without a CommandTopic'
        : undefined) ??
      (fields.Scale === 0 ? 'Scale must not be 0' : undefined);
    if (error !== undefined) throw new SyntaxError(`${Ident}: ${error}`);
    this.ident = Ident;
    this.notation = notationOf(fields);
    this.stateTopic = StateTopic;
    this.commandTopic = CommandTopic;
    this.isCounter = Counter;
    this.qos = (fields.QoS ?? 1) as QoS;
    this.retain = fields.Retain ?? false;
    this.#path = path === undefined ? undefined : parseJsonPath(path);
    this.#timePath = fields.TimePath === undefined ? undefined : parseJsonPath(fields.TimePath);
    this.#payload = fields.CommandPayload ?? PLACEHOLDER;
    this.#digits = fields.Digits;
  }

  /** The raw value of this variable in a message; undefined or null if the message has none. */
  extractRaw(message: Message): unknown {
    if (this.#path === undefined) return message.text ?? NOT_JSON;
    const { json } = message;
    return json === NOT_JSON ? NOT_JSON : valueAtPath(json, this.#path);
  }

  /**
   * The time of a message's value in unix milliseconds: the one in the payload, otherwise undefined (now), or
   * 0 (unknown) for a retained message.
   */
  extractTime(message: Message): number | undefined {
    const time =
      this.#timePath === undefined ? undefined : readTime(valueAtPath(message.json, this.#timePath));
    return time ?? (message.isRetained ? 0 : undefined);
  }

  /** Explains why a payload has no raw value. */
  describeInvalidPayload(): string {
    return this.#path === undefined ? 'the payload is not UTF-8' : 'the payload is not JSON';
  }

  /** The payload of a command for a value. Throws `CANNOT_CONVERT`. */
  formatCommand(value: Value): string {
    const text = writeValue(this.notation, value, this.#digits);
    // Text in a JSON document is escaped, so that it cannot end its string.
    const isInJson = typeof value === 'string' && /^\s*[[{]/.test(this.#payload.replaceAll(PLACEHOLDER, ''));
    if (isInJson && !text.isWellFormed()) throw fault('CANNOT_CONVERT', 'Value', 'the text is not Unicode');
    const inserted = isInJson ? JSON.stringify(text).slice(1, -1) : text;
    return this.#payload.replaceAll(PLACEHOLDER, () => inserted);
  }
}
