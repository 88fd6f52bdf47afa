import { coded, type CodedText } from '../../src/base/codes/coded-text.js';
import { type Static, Type } from '@sinclair/typebox';
import { fault } from '../../src/base/fault.js';
import type { Value } from '../../src/device/module.js';
import {
  notationOf,
  readTime,
  STALE_LIMIT_S,
  writeValue,
  type ValueNotation,
} from '../../src/device/toolkit/notation.js';
import type { QoS } from './broker.js';
import { validateFilter, validateTopic } from './topic-filter.js';
import { parseJsonPath, NOT_JSON, valueAtPath, type JsonPath, type Message } from './message.js';
import { withAdvancedHelp, withHelp } from '../../src/device/toolkit/property-help.js';
import { variableProperties } from '../../src/device/toolkit/variable-properties.js';

const topicText = () => Type.String({ maxLength: 1000 });
const payloadText = () => Type.String({ maxLength: 1000 });

/** How one variable is read from its state topic and written to its command topic. */
export const topicMappingSchema = Type.Object(
  {
    ...variableProperties,
    StateTopic: withHelp(Type.Optional(topicText()), '', 'The topic of the state; wildcards are allowed.'),
    JsonPath: withHelp(
      Type.Optional(Type.String({ maxLength: 500 })),
      '',
      'The path of the value in a JSON payload: a.b[0].',
    ),
    On: withHelp(Type.Optional(payloadText()), '', 'The payload for true; ON by default.'),
    Off: withHelp(Type.Optional(payloadText()), '', 'The payload for false; OFF by default.'),
    Scale: withAdvancedHelp(
      Type.Optional(Type.Number()),
      '',
      'Value = number in the payload × Scale + Offset.',
    ),
    Offset: withAdvancedHelp(Type.Optional(Type.Number()), '', 'Added to the scaled number.'),
    Counter: withAdvancedHelp(
      Type.Optional(Type.Boolean()),
      '',
      'Counts the messages on the state topic, whatever their payload; retained messages are not counted.',
    ),
    CommandTopic: withHelp(
      Type.Optional(topicText()),
      '',
      'The topic for commands; empty if the variable cannot be set.',
    ),
    CommandPayload: withAdvancedHelp(
      Type.Optional(payloadText()),
      '',
      'The payload of a command, with {value} as placeholder; {value} alone by default.',
    ),
    Digits: withAdvancedHelp(
      Type.Optional(Type.Integer({ minimum: 0, maximum: 12 })),
      '',
      'Decimals of a published number; as many as it has by default.',
    ),
    QoS: withAdvancedHelp(
      Type.Optional(Type.Integer({ minimum: 0, maximum: 2 })),
      '',
      'Quality of service of the subscription and of commands; 1 by default.',
    ),
    Retain: withAdvancedHelp(
      Type.Optional(Type.Boolean()),
      '',
      'Whether the broker keeps the last command for later subscribers.',
    ),
    Profile: withHelp(Type.Optional(Type.String({ maxLength: 200 })), '', 'The profile of the variable.'),
    StaleAfterS: withAdvancedHelp(
      Type.Optional(Type.Integer({ minimum: 1, maximum: STALE_LIMIT_S })),
      '',
      'Without a new value for longer than this, the variable is stale.',
    ),
    TimePath: withAdvancedHelp(
      Type.Optional(Type.String({ maxLength: 500 })),
      '',
      'The path of the time of the value in a JSON payload.',
    ),
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

  /** Throws `DEVICE_CONFIGURATION`, which describes the invalid field. */
  constructor(fields: TopicMappingFields) {
    const { Ident, StateTopic = '', CommandTopic = '', JsonPath: path, Counter = false } = fields;
    const error =
      (StateTopic === '' ? undefined : validateFilter(StateTopic)) ??
      (CommandTopic === '' ? undefined : validateTopic(CommandTopic)) ??
      (StateTopic + CommandTopic === ''
        ? coded`SET_STATETOPIC_COMMANDTOPIC_BOTH: set StateTopic, CommandTopic or both`
        : undefined) ??
      (Counter && (fields.Type !== 'integer' || StateTopic === '' || CommandTopic !== '')
        ? coded`COUNTER_MUST_INTEGER_STATETOPIC: a Counter must be an integer with a StateTopic and without a CommandTopic`
        : undefined) ??
      (fields.Scale === 0 ? coded`SCALE_MUST_NOT_0: Scale must not be 0` : undefined);
    if (error !== undefined) throw fault('DEVICE_CONFIGURATION', coded`ABOUT: ${Ident}: ${error}`);
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
  describeInvalidPayload(): CodedText {
    return this.#path === undefined
      ? coded`PAYLOAD_NOT_UTF_8: the payload is not UTF-8`
      : coded`PAYLOAD_NOT_JSON: the payload is not JSON`;
  }

  /** The payload of a command for a value. Throws `CANNOT_CONVERT`. */
  formatCommand(value: Value): string {
    const text = writeValue(this.notation, value, this.#digits);
    // Text in a JSON document is escaped, so that it cannot end its string.
    const isInJson = typeof value === 'string' && /^\s*[[{]/.test(this.#payload.replaceAll(PLACEHOLDER, ''));
    if (isInJson && !text.isWellFormed())
      throw fault('CANNOT_CONVERT', 'Value', coded`TEXT_NOT_UNICODE: the text is not Unicode`);
    const inserted = isInJson ? JSON.stringify(text).slice(1, -1) : text;
    return this.#payload.replaceAll(PLACEHOLDER, () => inserted);
  }
}
