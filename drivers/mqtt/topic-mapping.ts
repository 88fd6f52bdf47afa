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

/** How one variable is read from a topic and written to another. */
export const topicMappingSchema = Type.Object(
  {
    Ident: Type.String({ pattern: IDENT_PATTERN, maxLength: 64 }),
    Name: Type.Optional(Type.String({ maxLength: 200 })),
    Type: enumProperty(variableTypeNames, 'string'),
    /** Where the state is told; a filter with wildcards is allowed. */
    StateTopic: Type.Optional(topicText()),
    /** Where in a JSON payload the value is: `a.b[0]`. */
    JsonPath: Type.Optional(Type.String({ maxLength: 500 })),
    /** The payloads for true and false; `ON` and `OFF` unless said. */
    On: Type.Optional(payloadText()),
    Off: Type.Optional(payloadText()),
    /** Value = number in the payload × Scale + Offset. */
    Scale: Type.Optional(Type.Number()),
    Offset: Type.Optional(Type.Number()),
    /** An integer that counts the messages on StateTopic, whatever they say; retained ones are none. */
    Counter: Type.Optional(Type.Boolean()),
    /** Where wishes are published. */
    CommandTopic: Type.Optional(topicText()),
    /** What is published, `{value}` standing for the value; `{value}` alone unless said. */
    CommandPayload: Type.Optional(payloadText()),
    /** Decimals of a number published; as many as it has unless said. */
    Digits: Type.Optional(Type.Integer({ minimum: 0, maximum: 12 })),
    /** Of the subscription and of the commands; 1 unless said. */
    QoS: Type.Optional(Type.Integer({ minimum: 0, maximum: 2 })),
    /** Whether commands are retained. */
    Retain: Type.Optional(Type.Boolean()),
    Profile: Type.Optional(Type.String({ maxLength: 200 })),
    /** The device promises a value within so many seconds of the one before. */
    StaleAfterS: Type.Optional(Type.Integer({ minimum: 1, maximum: STALE_LIMIT_S })),
    /** Where in a JSON payload the time of the value is: ISO 8601, unix seconds or milliseconds. */
    TimePath: Type.Optional(Type.String({ maxLength: 500 })),
  },
  { additionalProperties: false },
);
export type TopicMappingFields = Static<typeof topicMappingSchema>;

const PLACEHOLDER = '{value}';

/** One variable's topics, compiled. */
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

  /** Throws a SyntaxError that says what is wrong with its fields. */
  constructor(fields: TopicMappingFields) {
    const { Ident, StateTopic = '', CommandTopic = '', JsonPath: path, Counter = false } = fields;
    const mistake =
      (StateTopic === '' ? undefined : validateFilter(StateTopic)) ??
      (CommandTopic === '' ? undefined : validateTopic(CommandTopic)) ??
      (StateTopic + CommandTopic === '' ? 'give a StateTopic, a CommandTopic or both' : undefined) ??
      (Counter && (fields.Type !== 'integer' || StateTopic === '' || CommandTopic !== '')
        ? 'a Counter is an integer with a StateTopic and no CommandTopic'
        : undefined) ??
      (fields.Scale === 0 ? 'Scale must not be 0' : undefined);
    if (mistake !== undefined) throw new SyntaxError(`${Ident}: ${mistake}`);
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

  /** What a message says of this variable, to be read by the notation; undefined or null when nothing. */
  extractRaw(message: Message): unknown {
    if (this.#path === undefined) return message.text ?? NOT_JSON;
    const { json } = message;
    return json === NOT_JSON ? NOT_JSON : valueAtPath(json, this.#path);
  }

  /**
   * When a message's value was so, unix ms: as it says, else undefined; of a retained one nobody knows (0), unless it says.
   */
  extractTime(message: Message): number | undefined {
    const told =
      this.#timePath === undefined ? undefined : readTime(valueAtPath(message.json, this.#timePath));
    return told ?? (message.isRetained ? 0 : undefined);
  }

  /** Why the raw value of a message is none. */
  describeInvalidPayload(): string {
    return this.#path === undefined ? 'the payload is not UTF-8' : 'the payload is not JSON';
  }

  /** The payload that wishes for a value. Throws `CANNOT_CONVERT`. */
  formatCommand(value: Value): string {
    const text = writeValue(this.notation, value, this.#digits);
    // Text put into a JSON document must not end the string that it stands in.
    const isInJson = typeof value === 'string' && /^\s*[[{]/.test(this.#payload.replaceAll(PLACEHOLDER, ''));
    if (isInJson && !text.isWellFormed()) throw fault('CANNOT_CONVERT', 'Value', 'the text is not Unicode');
    const put = isInJson ? JSON.stringify(text).slice(1, -1) : text;
    return this.#payload.replaceAll(PLACEHOLDER, () => put);
  }
}
