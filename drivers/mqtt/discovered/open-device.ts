import { coded, type Text } from '../../../src/base/codes/coded-text.js';
import type { Cancel } from '../../../src/base/clock.js';
import { onNextIteration } from '../../../src/base/event-loop.js';
import { Fault, codedMessageOf, fault } from '../../../src/base/fault.js';
import {
  quality,
  variableType,
  type Host,
  type OpenInstance,
  type QualityProblem,
  type Value,
} from '../../../src/device/module.js';
import { DEVICE_TEXT_LIMIT, excerpt, UNREADABLE_REASON } from '../../../src/device/toolkit/notation.js';
import { TransientProblems } from '../../../src/device/toolkit/transient-problems.js';
import { type AvailabilityGroup, groupByAvailability } from './availability-groups.js';
import type { AnnouncedModel, DiscoveredDeviceProperties } from './discovered-device.js';
import { PacedMessages } from './paced-messages.js';
import type { PayloadTemplate } from '../discovery/lazy-template.js';
import {
  IMAGE_PART,
  identOf,
  NOW,
  UNKNOWN,
  UNREADABLE,
  type Reading,
  type Source,
  type VariableModel,
} from '../discovery/model.js';
import { rounded } from '../discovery/readers.js';
import { discoveryFlow } from './discovery-flow.js';
import type { DiscoveryHub } from './discovery-hub.js';
import type { Message } from '../message.js';
import { PAYLOAD_LIMIT } from '../mqtt-device.js';
import type { Subscription } from '../subscription-router.js';
import { payloadVariables } from '../templates/template.js';
import { TemplateError, type Value as TemplateValue } from '../templates/value.js';

const UNAVAILABLE: QualityProblem = {
  state: quality.bad,
  reason: 'UNAVAILABLE',
  text: 'the device has not reported that it is available',
};
const NOT_KNOWN: QualityProblem = {
  state: quality.bad,
  reason: 'NOT_KNOWN',
  text: 'the device reports that it does not know the value',
};
const NOT_REPORTED: QualityProblem = {
  state: quality.stale,
  reason: 'NOT_REPORTED',
  text: 'the device has not reported a value since it was connected',
};

/** Larger payloads are not decoded, bytes: an image of 2 MiB in Base64, with line breaks. */
const IMAGE_PAYLOAD_LIMIT = 4 * 1024 * 1024;

/** Problems of entities that are named; the rest is counted. */
const PROBLEMS_SHOWN = 5;

/** A variable of the open device. */
interface OpenVariable {
  readonly ident: string;
  readonly model: VariableModel;
  readonly group: AvailabilityGroup;
  /** The ident of another variable of the same entity. */
  readonly identOf: (part: string) => string;
  /** What was read on this connection, with the time: unix milliseconds, 0 if it is unknown. */
  last: { readonly value: Value | typeof UNKNOWN; readonly atMs: number } | undefined;
  cancelOff: Cancel | undefined;
}

type DecodeImage = NonNullable<Source['decodeImage']>;

/** What a message of a topic is for. */
interface TopicUse {
  readonly availability: { readonly group: AvailabilityGroup; readonly index: number }[];
  readonly variables: { readonly variable: OpenVariable; readonly source: Source }[];
  readonly images: { readonly variable: OpenVariable; readonly decode: DecodeImage }[];
  qos: 0 | 1 | 2;
}

/** Opens a device: subscribes to its topics, and requests its state if it has to be requested. */
export async function openDiscoveredDevice(
  host: Host<DiscoveredDeviceProperties>,
  announced: AnnouncedModel,
): Promise<OpenInstance> {
  const device = new DiscoveredDevice(host, announced);
  try {
    await device.start();
    return device;
  } catch (thrown) {
    await device.close();
    throw thrown;
  }
}

class DiscoveredDevice implements OpenInstance {
  readonly #host: Host<DiscoveredDeviceProperties>;
  readonly #announced: AnnouncedModel;
  readonly #hub: DiscoveryHub;
  readonly #problems: TransientProblems;
  readonly #variables = new Map<string, OpenVariable>();
  readonly #uses = new Map<string, TopicUse>();
  readonly #subscriptions = new Map<string, Subscription>();
  readonly #messages: PacedMessages;
  #detach: () => void = () => undefined;
  #cancelMark: Cancel = () => undefined;

  constructor(host: Host<DiscoveredDeviceProperties>, announced: AnnouncedModel) {
    this.#host = host;
    this.#announced = announced;
    this.#hub = host.parent(discoveryFlow);
    this.#problems = new TransientProblems(host);
    this.#messages = new PacedMessages(host.clock);
    for (const group of groupByAvailability(announced.model.entities)) this.#addGroup(group);
  }

  async start(): Promise<void> {
    const host = this.#host;
    const { Announcement, Removed } = host.properties;
    const { record, model } = this.#announced;
    const templates = model.entities.flatMap((entity) =>
      entity.templates.flatMap((template) => {
        const problem = template.problem(this.#hub.engine);
        return problem === undefined ? [] : [`${entity.name}: ${problem} in ${excerpt(template.text)}`];
      }),
    );
    this.#showProblems([...model.problems, ...templates]);
    if (Removed) {
      const text = coded`DEVICE_REMOVED: the device was removed from the broker; it returns when it is announced again`;
      host.setProblem('REMOVED', text);
      host.setUnavailable(text);
    }
    this.#detach = this.#hub.attach({
      id: host.id,
      record,
      text: Announcement,
      isRemoved: Removed,
      onChange: (text) =>
        host.reconfigure(text === undefined ? { Removed: true } : { Announcement: text, Removed: false }),
    });
    for (const [topic, use] of this.#uses) this.#subscriptions.set(topic, this.#subscribe(topic, use));
    for (const subscription of this.#subscriptions.values()) await this.#granted(subscription);
    await this.#request();
    // Only now: values become stale when the instance goes online.
    this.#cancelMark = onNextIteration(() => {
      for (const { ident, group } of this.#variables.values())
        if (!group.isAvailable) host.markUncertain(ident, UNAVAILABLE);
    });
  }

  async write(ident: string, value: Value): Promise<void> {
    const variable = this.#variables.get(ident);
    const command = variable?.model.command;
    if (variable === undefined || command === undefined) throw fault('READ_ONLY', ident);
    // Sent together: otherwise the rest of this command could follow a later one.
    const sent = this.#outgoing(variable, value).map(({ topic, payload, qos, retain }) =>
      this.#hub.topics.publish(topic, payload, { qos, retain }),
    );
    await Promise.all(sent);
    if (variable.model.isOptimistic) this.#report(variable, value, this.#host.clock.nowMs());
  }

  async refresh(ident: string): Promise<void> {
    const topics = new Set(this.#variables.get(ident)?.model.sources.map(({ topic }) => topic) ?? []);
    for (const topic of topics) await this.#subscriptions.get(topic)?.renew();
    await this.#request();
  }

  async close(): Promise<void> {
    this.#detach();
    this.#cancelMark();
    this.#messages.close();
    for (const subscription of this.#subscriptions.values()) subscription.close();
    for (const { cancelOff } of this.#variables.values()) cancelOff?.();
    this.#problems.close();
    await Promise.resolve();
  }

  #outgoing({ model, identOf: ident }: OpenVariable, value: Value) {
    const current = (part: string) => this.#host.lastValue(ident(part));
    try {
      return model.command?.(value, { engine: this.#hub.engine, current }) ?? [];
    } catch (thrown) {
      if (!(thrown instanceof TemplateError)) throw thrown;
      throw fault(
        'DEVICE_CONFIGURATION',
        coded`COMMAND_TEMPLATE: the template of the command: ${thrown.message}`,
      );
    }
  }

  /** Some devices report only what is requested. */
  async #request(): Promise<void> {
    for (const { topic, payload } of this.#announced.record.requests)
      await this.#hub.topics.publish(topic, payload, { qos: 0, retain: false });
  }

  async #granted(subscription: Subscription): Promise<void> {
    try {
      await subscription.ready;
    } catch (thrown) {
      if (!(thrown instanceof Fault) || thrown.code !== 'DEVICE_REFUSED') throw thrown;
      this.#host.setProblem(
        'SUBSCRIPTION',
        coded`CHECK_ACCESS_CONTROL_LIST: ${codedMessageOf(thrown)}; check the broker's access control list`,
      );
    }
  }

  #addGroup(group: AvailabilityGroup): void {
    for (const [index, { topic }] of group.availability.sources.entries())
      this.#useOf(topic).availability.push({ group, index });
    for (const entity of group.entities)
      for (const model of entity.variables) {
        const ident = identOf(entity, model.part);
        const variable: OpenVariable = {
          ident,
          model,
          group,
          identOf: (part) => identOf(entity, part),
          last: undefined,
          cancelOff: undefined,
        };
        this.#variables.set(ident, variable);
        for (const source of model.sources) {
          const use = this.#useOf(source.topic);
          if (source.qos > use.qos) use.qos = source.qos;
          const { decodeImage: decode } = source;
          if (decode === undefined) use.variables.push({ variable, source });
          else use.images.push({ variable, decode });
        }
      }
  }

  #useOf(topic: string): TopicUse {
    const use = this.#uses.get(topic) ?? { availability: [], variables: [], images: [], qos: 0 };
    this.#uses.set(topic, use);
    return use;
  }

  #subscribe(topic: string, use: TopicUse): Subscription {
    const paced = { handled: 0, held: undefined, handle: (message: Message) => this.#take(use, message) };
    const options = { filter: topic, qos: use.qos };
    return this.#hub.topics.subscribe(this.#host, options, (message) => this.#messages.take(paced, message));
  }

  #take({ availability, variables, images }: TopicUse, message: Message): void {
    const { topic, payload } = message;
    for (const { variable, decode } of images) this.#takeImage(variable, decode, message);
    if (availability.length + variables.length === 0) return;
    if (payload.length > PAYLOAD_LIMIT) return this.#addTooLarge(message, PAYLOAD_LIMIT);
    const { text } = message;
    // A topic has one payload for many templates.
    let parsed: ReadonlyMap<string, TemplateValue> | undefined;
    const render = (template: PayloadTemplate | undefined): string | undefined => {
      if (template === undefined || text === undefined) return text;
      // It is reported already.
      if (template.problem(this.#hub.engine) !== undefined) return undefined;
      parsed ??= payloadVariables(text);
      try {
        return template.render(this.#hub.engine, parsed);
      } catch (thrown) {
        if (!(thrown instanceof TemplateError)) throw thrown;
        this.#problems.add(
          'TEMPLATE',
          () => coded`TEMPLATE_FAILED: ${topic}: ${thrown.message} in ${excerpt(template.text)}`,
        );
        return undefined;
      }
    };
    for (const { group, index } of availability) {
      const source = group.availability.sources[index];
      const state = source && render(source.template);
      if (state === source?.available) this.#setAvailable(group, index, true);
      else if (state === source?.notAvailable) this.#setAvailable(group, index, false);
    }
    for (const { variable, source } of variables) {
      if (source.isEvent === true && message.isRetained) continue;
      const input = render(source.template);
      if (input === undefined) continue;
      const reading = source.read(input, (part) => this.#host.lastValue(variable.identOf(part)));
      if (reading !== undefined) this.#read(variable, reading, { message, input });
    }
  }

  #addTooLarge({ topic }: Message, limit: number): void {
    const text = () =>
      coded`PAYLOAD_MORE_THAN_BYTES: ${topic}: a payload of more than ${limit} bytes was ignored`;
    this.#problems.add('TOO_LARGE', text);
  }

  /** An empty message says nothing. */
  #takeImage(variable: OpenVariable, decode: DecodeImage, message: Message): void {
    if (message.payload.length === 0) return;
    if (message.payload.length > IMAGE_PAYLOAD_LIMIT) return this.#addTooLarge(message, IMAGE_PAYLOAD_LIMIT);
    const { model, group } = variable;
    const bytes = decode(message.payload);
    const problem =
      bytes === undefined
        ? coded`NOT_BASE64: it is not Base64`
        : this.#host.reportImage(variable.identOf(IMAGE_PART), bytes, group.isAvailable);
    if (problem === undefined) this.#read(variable, NOW, { message, input: '' });
    else
      this.#problems.add(
        'IMAGE',
        () => coded`IMAGE_REJECTED: ${model.name}, from ${message.topic}: ${problem}`,
      );
  }

  #read(
    variable: OpenVariable,
    reading: Exclude<Reading, undefined>,
    { message, input }: { message: Message; input: string },
  ): void {
    const { ident, model, group } = variable;
    const atMs = message.isRetained ? 0 : this.#host.clock.nowMs();
    const now = Math.floor(this.#host.clock.nowMs() / 1000);
    const read = reading === NOW ? now : reading;
    // A camera may send 25 images a second.
    const isKnown = variable.last?.value === now && (atMs === 0 || variable.last.atMs !== 0);
    if (reading === NOW && isKnown) return;
    const value = typeof read === 'symbol' ? read : fitting(model, read);
    if (value === UNREADABLE) {
      this.#host.markUncertain(ident, UNREADABLE_REASON);
      const text = () =>
        coded`NOT_A_STATE: ${model.name}, from ${message.topic}: ${excerpt(input)} is none of its values`;
      return this.#problems.add('UNREADABLE', text);
    }
    if (value !== UNKNOWN) return this.#report(variable, value, atMs);
    variable.last = { value, atMs };
    this.#host.markUncertain(ident, group.isAvailable ? NOT_KNOWN : UNAVAILABLE);
  }

  #report(variable: OpenVariable, value: Value, atMs: number): void {
    const { ident, model, group } = variable;
    const { clock } = this.#host;
    variable.last = { value, atMs };
    variable.cancelOff?.();
    variable.cancelOff = undefined;
    if (model.offDelayS !== undefined && value === true)
      variable.cancelOff = clock.after(model.offDelayS * 1000, () =>
        this.#report(variable, false, clock.nowMs()),
      );
    if (group.isAvailable) this.#host.report(ident, value, atMs === 0 ? 0 : undefined);
    else this.#host.reportUncertain(ident, value, UNAVAILABLE);
  }

  #setAvailable(group: AvailabilityGroup, index: number, state: boolean): void {
    if (!group.take(index, state)) return;
    for (const entity of group.entities)
      for (const { part } of entity.variables) {
        const variable = this.#variables.get(identOf(entity, part));
        if (variable !== undefined) this.#showAvailability(variable);
      }
    if (group.isAvailable) this.#request().catch(() => undefined); // it is requested again with the connection
    const isAway = [...this.#variables.values()].every((variable) => !variable.group.isAvailable);
    const text: Text | undefined = isAway
      ? coded`REPORTS_UNAVAILABLE: the device reports that it is not available`
      : undefined;
    this.#host.setProblem('UNAVAILABLE', text);
  }

  #showAvailability({ ident, model, group, identOf: partIdent, last }: OpenVariable): void {
    const host = this.#host;
    if (model.sources.some(({ decodeImage }) => decodeImage !== undefined))
      host.setImageAvailable(partIdent(IMAGE_PART), group.isAvailable);
    if (!group.isAvailable) host.markUncertain(ident, UNAVAILABLE);
    else if (last === undefined) {
      if (host.lastValue(ident) !== undefined) host.markUncertain(ident, NOT_REPORTED);
    } else if (last.value === UNKNOWN) host.markUncertain(ident, NOT_KNOWN);
    // Reported again, an event would be a new one.
    else if (model.sources.some(({ isEvent }) => isEvent === true)) host.markGood(ident);
    // What arrived before the availability is as old as it was.
    else host.report(ident, last.value, last.atMs);
  }

  #showProblems(problems: readonly string[]): void {
    if (problems.length === 0) return;
    const shown = problems.slice(0, PROBLEMS_SHOWN).join('; ');
    const more = problems.length - PROBLEMS_SHOWN;
    const text =
      more > 0
        ? coded`PARTS_NOT_UNDERSTOOD_MORE: not understood: ${shown}; and ${more} more`
        : coded`PARTS_NOT_UNDERSTOOD: not understood: ${shown}`;
    this.#host.setProblem('NOT_UNDERSTOOD', text);
  }
}

/** The value as the variable can have it. */
function fitting({ type }: VariableModel, value: Value): Value | typeof UNREADABLE {
  if (typeof value === 'string') return value.length <= DEVICE_TEXT_LIMIT ? value : UNREADABLE;
  if (typeof value === 'boolean') return value;
  const number = type === variableType.integer ? rounded(value) : value;
  const isFine = type === variableType.integer ? Number.isSafeInteger(number) : Number.isFinite(number);
  return isFine ? number : UNREADABLE;
}
