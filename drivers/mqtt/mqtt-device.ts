import { coded } from '../../src/base/codes/coded-text.js';
import { type Static, Type } from '@sinclair/typebox';
import { Fault, fault, messageOf, codedMessageOf } from '../../src/base/fault.js';
import { onNextIteration } from '../../src/base/event-loop.js';
import { TransientProblems } from '../../src/device/toolkit/transient-problems.js';
import {
  moduleKind,
  quality,
  variableType,
  type QualityProblem,
  type Host,
  type ModuleDefinition,
  type OpenInstance,
  type Value,
  type VariableDeclaration,
} from '../../src/device/module.js';
import { readValue, UNREADABLE_REASON, explainUnreadable } from '../../src/device/toolkit/notation.js';
import { validateAvailability, availabilityProperties, watchAvailability } from './availability.js';
import { NOT_JSON, type Message } from './message.js';
import { TopicMapping, topicMappingSchema, type TopicMappingFields } from './topic-mapping.js';
import { mqttFlow, type Subscription, type SubscriptionRouter } from './subscription-router.js';
import { withHelp } from '../../src/device/toolkit/property-help.js';

/** Larger payloads are not parsed: they are documents, not values. */
export const PAYLOAD_LIMIT = 1024 * 1024;

/**
 * Limit of changes of one variable reported per iteration of the event loop; of further ones, only the last
 * is reported.
 */
export const REPORTS_PER_ITERATION = 100;

const TOO_LARGE: QualityProblem = {
  state: quality.bad,
  reason: 'TOO_LARGE',
  text: 'the last payload was too large',
};
const REJECTED: QualityProblem = {
  state: quality.bad,
  reason: 'SUBSCRIPTION',
  text: 'the broker rejected the subscription; check its access control list',
};

const properties = Type.Object({
  Topics: withHelp(
    Type.Array(topicMappingSchema, { default: [], maxItems: 1000 }),
    'Variables',
    'The variables of the device, each with the topics of its state and of its commands.',
  ),
  ...availabilityProperties,
});
type Properties = Static<typeof properties>;

/** The module **MQTT Device**: variables with a state topic and a command topic each. */
export const mqttDevice: ModuleDefinition<typeof properties> = {
  id: '{01C00ADD-D04E-452E-B66A-D253955743F6}',
  name: 'MQTT Device',
  description: 'A device whose variables have topics of an MQTT broker.',
  icon: 'Gear',
  page: 'hardware/mqtt.md',
  kind: moduleKind.device,
  prefix: 'MQTT',
  properties,
  requires: mqttFlow,
  variables: ({ Topics: fields }) => fields.map(variable),
  check({ Topics: fields, ...availability }) {
    const duplicate = fields.find(
      ({ Ident }, index) => fields.findIndex((one) => one.Ident === Ident) !== index,
    );
    if (duplicate !== undefined)
      return coded`TOPICS_CONTAINS_TWICE: Topics contains ${duplicate.Ident} twice`;
    const error = validateAvailability(availability);
    if (error !== undefined) return error;
    try {
      for (const one of fields) new TopicMapping(one);
      return undefined;
    } catch (thrown) {
      return messageOf(thrown);
    }
  },
  async open(host) {
    const device = new MqttDevice(host, host.parent(mqttFlow));
    try {
      await device.subscribed();
      return device;
    } catch (thrown) {
      await device.close();
      throw thrown;
    }
  },
};

function variable(fields: TopicMappingFields, index: number): VariableDeclaration {
  const { Ident, Name = Ident, Type: type, Profile, CommandTopic = '', StaleAfterS } = fields;
  return {
    ident: Ident,
    name: Name,
    type: variableType[type],
    role: 'main',
    ...(Profile === undefined ? {} : { profile: Profile, profileProperty: `Topics[${index}].Profile` }),
    action: CommandTopic !== '',
    position: index + 1,
    ...(StaleAfterS === undefined ? {} : { staleAfterS: StaleAfterS }),
  };
}

/** A variable: its topics, and its rate limit. */
interface TopicVariable {
  readonly topic: TopicMapping;
  subscription: Subscription | undefined;
  loopIteration: number;
  reports: number;
  /** The last value above the limit, reported in the next iteration of the event loop. */
  held: Value | undefined;
  /** Its time; see `Host.report`. */
  heldTime: number | undefined;
  count: number;
}

class MqttDevice implements OpenInstance {
  readonly #host: Host<Properties>;
  readonly #topics: SubscriptionRouter;
  readonly #problems: TransientProblems;
  readonly #variables = new Map<string, TopicVariable>();
  readonly #availability: Subscription | undefined;
  #limited: TopicVariable[] = [];

  constructor(host: Host<Properties>, topics: SubscriptionRouter) {
    this.#host = host;
    this.#topics = topics;
    this.#problems = new TransientProblems(host);
    // First, because values of an offline device are not current.
    this.#availability = watchAvailability(host, topics, this.#problems);
    for (const fields of host.properties.Topics) this.#add(new TopicMapping(fields));
  }

  /**
   * Resolves when the broker has replied to all subscriptions. A rejected one is a problem of its topic only.
   */
  async subscribed(): Promise<void> {
    await this.#isGranted(this.#availability);
    for (const { topic, subscription } of this.#variables.values())
      if (!(await this.#isGranted(subscription))) this.#host.markUncertain(topic.ident, REJECTED);
  }

  async #isGranted(subscription: Subscription | undefined): Promise<boolean> {
    try {
      await subscription?.ready;
      return true;
    } catch (thrown) {
      if (!(thrown instanceof Fault) || thrown.code !== 'DEVICE_REFUSED') throw thrown;
      this.#host.setProblem(
        'SUBSCRIPTION',
        coded`CHECK_ACCESS_CONTROL_LIST: ${codedMessageOf(thrown)}; check the broker's access control list`,
      );
      return false;
    }
  }

  async write(ident: string, value: Value): Promise<void> {
    const topic = this.#variables.get(ident)?.topic;
    if (topic === undefined || topic.commandTopic === '') throw fault('READ_ONLY', ident);
    await this.#topics.publish(topic.commandTopic, topic.formatCommand(value), topic);
    // Without a state topic, the accepted command is all that is known of the state.
    if (topic.stateTopic === '') this.#host.report(ident, value);
  }

  async refresh(ident: string): Promise<void> {
    await this.#variables.get(ident)?.subscription?.renew();
  }

  async close(): Promise<void> {
    this.#availability?.close();
    for (const { subscription } of this.#variables.values()) subscription?.close();
    this.#problems.close();
    await Promise.resolve();
  }

  #add(topic: TopicMapping): void {
    const last = topic.isCounter ? this.#host.lastValue(topic.ident) : undefined;
    const count = typeof last === 'number' ? last : 0;
    const initial = {
      subscription: undefined,
      loopIteration: -1,
      reports: 0,
      held: undefined,
      heldTime: undefined,
    };
    const entry: TopicVariable = { ...initial, topic, count };
    this.#variables.set(topic.ident, entry);
    // Only we change the counter: its stored value is current.
    if (topic.isCounter) this.#host.report(topic.ident, count);
    if (topic.stateTopic === '') return;
    const handle = topic.isCounter
      ? (message: Message) => this.#count(entry, message)
      : (message: Message) => this.#read(entry, message);
    entry.subscription = this.#topics.subscribe(
      this.#host,
      { filter: topic.stateTopic, qos: topic.qos },
      handle,
    );
  }

  #count(entry: TopicVariable, message: Message): void {
    if (message.isRetained) return;
    entry.count += 1;
    this.#report(entry, entry.count, undefined);
  }

  #read(entry: TopicVariable, message: Message): void {
    const { topic } = entry;
    if (message.payload.length > PAYLOAD_LIMIT) {
      this.#markUncertain(entry, TOO_LARGE);
      const text = () =>
        coded`PAYLOAD_MORE_THAN_BYTES: ${message.topic}: a payload of more than ${PAYLOAD_LIMIT} bytes was ignored`;
      return this.#problems.add('TOO_LARGE', text);
    }
    const raw = topic.extractRaw(message);
    // A missing or null member does not change the variable.
    if (raw === undefined || raw === null) return;
    const value = raw === NOT_JSON ? undefined : readValue(topic.notation, raw);
    if (value !== undefined) return this.#report(entry, value, topic.extractTime(message));
    this.#markUncertain(entry, UNREADABLE_REASON);
    this.#problems.add('UNREADABLE', () => {
      const why = raw === NOT_JSON ? topic.describeInvalidPayload() : explainUnreadable(topic.notation, raw);
      return coded`FROM: ${topic.ident}, from ${message.topic}: ${why}`;
    });
  }

  #report(entry: TopicVariable, value: Value, at: number | undefined): void {
    const { loopIteration } = this.#topics;
    if (entry.loopIteration !== loopIteration) {
      entry.loopIteration = loopIteration;
      entry.reports = 0;
    }
    entry.reports += 1;
    if (entry.reports <= REPORTS_PER_ITERATION) return this.#host.report(entry.topic.ident, value, at);
    if (entry.held === undefined) {
      if (this.#limited.length === 0) onNextIteration(() => this.#reportLimited());
      this.#limited.push(entry);
    }
    entry.held = value;
    entry.heldTime = at;
  }

  #reportLimited(): void {
    const limited = this.#limited;
    this.#limited = [];
    for (const entry of limited) this.#reportHeld(entry);
  }

  #reportHeld(entry: TopicVariable): void {
    const { held } = entry;
    entry.held = undefined;
    if (held !== undefined) this.#host.report(entry.topic.ident, held, entry.heldTime);
  }

  /** Reports a delayed value first, to keep the order. */
  #markUncertain(entry: TopicVariable, reason: QualityProblem): void {
    this.#reportHeld(entry);
    this.#host.markUncertain(entry.topic.ident, reason);
  }
}
