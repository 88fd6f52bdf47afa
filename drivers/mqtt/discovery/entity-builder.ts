import type { Text } from '../../../src/base/codes/coded-text.js';
import type { VariableRole } from '../../../src/base/codes/stable-codes.js';
import type { VariableType } from '../../../src/device/module.js';
import type { QoS } from '../broker.js';
import type { Value as TemplateValue } from '../templates/value.js';
import { validateFilter, validateTopic } from '../topic-filter.js';
import type { AnnouncedEntity } from './announcement.js';
import { readAvailability } from './availability.js';
import { LazyTemplate } from './lazy-template.js';
import type { Command, CommandContext, EntityModel, Outgoing, Source, VariableModel } from './model.js';
import { humanized, identFor } from './names.js';
import { isObject } from './readers.js';
import { SettingsReader } from './settings.js';

/** The longest expiry that a variable can have, seconds: 31 days. */
const EXPIRY_LIMIT_S = 2_678_400;
/** The longest delay, seconds: 24 days. Node runs a longer timer after 1 ms (setTimeout). */
const DELAY_LIMIT_S = 2_073_600;

/** Longer topics are errors or attacks. */
const TOPIC_LIMIT = 1000;

/** Makes a variable of an entity; what is missing is the default. */
export interface VariableOptions {
  /** The part of the entity; missing for the main variable. */
  readonly part?: string;
  /** The name of the part: `Brightness`. */
  readonly name?: string;
  readonly type: VariableType;
  readonly role?: VariableRole;
  readonly profile?: VariableModel['profile'];
  readonly sources?: readonly Source[];
  readonly command?: Command | undefined;
  /** Whether the entity says that nothing reports the value. */
  readonly isOptimistic?: boolean | undefined;
  readonly expireAfterS?: number | undefined;
  readonly offDelayS?: number | undefined;
}

interface SourceOptions extends Partial<Pick<Source, 'isEvent' | 'decodeImage'>> {
  /** The keys of the template; the first that is set is used. */
  readonly template?: readonly string[];
  readonly read: Source['read'];
  readonly constants?: ReadonlyMap<string, TemplateValue>;
}

/** Publishes to one command topic: `value` is what the template gets, `text` what is sent without one. */
export type Publisher = (
  context: CommandContext,
  value: TemplateValue,
  sent: { readonly text: string; readonly more?: Iterable<readonly [string, TemplateValue]> },
) => readonly Outgoing[];

/** Collects the variables of one entity, and what was not understood of it. */
export class EntityBuilder {
  readonly component: string;
  readonly settings: SettingsReader;
  /** Whether the entity is the device itself, which then has its name. */
  readonly #ownName: string | undefined;
  readonly #id: string;
  readonly #variables: VariableModel[] = [];
  readonly #templates: LazyTemplate[] = [];

  constructor({ component, id, settings }: AnnouncedEntity) {
    this.component = component;
    this.#id = id;
    this.settings = new SettingsReader(settings);
    const name = this.settings.text('name');
    this.#ownName = name === undefined || name.trim() === '' ? undefined : name;
  }

  /** The name of the entity: its own, otherwise that of its class, otherwise that of its component. */
  get name(): string {
    if (this.#ownName !== undefined) return this.#ownName;
    const isNameless = this.settings.raw('name') !== null;
    const deviceClass = isNameless ? this.settings.text('device_class') : undefined;
    return humanized(deviceClass ?? '') || humanized(this.component);
  }

  /** The role of the main variable: diagnostic and configuration entities are not what the device is for. */
  get role(): VariableRole {
    const category = this.settings.text('entity_category');
    if (category === 'diagnostic' || this.settings.flag('enabled_by_default') === false) return 'diagnostic';
    return category === 'config' ? 'detail' : 'main';
  }

  get isOptimistic(): boolean {
    return this.settings.flag('optimistic') ?? false;
  }

  get #qos(): QoS {
    const qos = this.settings.number('qos') ?? 0;
    return qos === 1 || qos === 2 ? qos : 0;
  }

  /** The template with this key; its own problems are found when it is first used. */
  template(
    keys: readonly string[],
    constants?: ReadonlyMap<string, TemplateValue>,
  ): LazyTemplate | undefined {
    const key = keys.find((one) => this.settings.has(one));
    return this.#compile(key === undefined ? undefined : this.settings.text(key), constants);
  }

  #compile(
    text: string | undefined,
    constants: ReadonlyMap<string, TemplateValue> | undefined,
  ): LazyTemplate | undefined {
    if (text === undefined || text.trim() === '') return undefined;
    const template = new LazyTemplate(text, constants);
    this.#templates.push(template);
    return template;
  }

  /**
   * The topics with this key: usually one; a translated announcement has a list of topics, each with its
   * template. None if it is missing or invalid.
   */
  sources(key: string, { template: keys = [], read, constants, ...rest }: SourceOptions): Source[] {
    const given = this.settings.raw(key);
    const listed = Array.isArray(given) ? (given as readonly unknown[]) : given === null ? [] : [given];
    const shared = given === undefined ? undefined : this.template(keys, constants);
    return listed.flatMap((one) => {
      if (one === undefined) return [];
      const own = isObject(one) ? new SettingsReader(one) : undefined;
      const topic = own === undefined ? one : own.text('topic');
      if (typeof topic !== 'string') {
        this.settings.problem(`${key} is no text`);
        return [];
      }
      if (!this.#isValid(key, topic, validateFilter)) return [];
      const template = own === undefined ? shared : this.#compile(own.text('template'), constants);
      return [{ topic, qos: this.#qos, template, read, ...rest }];
    });
  }

  /** The command topic with this key; undefined if it is missing or invalid. */
  publisher(key: string, templates: readonly string[] = [], constants?: ReadonlyMap<string, TemplateValue>) {
    const topic = this.settings.text(key);
    if (topic === undefined || !this.#isValid(key, topic, validateTopic)) return undefined;
    const template = this.template(templates, constants);
    const to = { topic, qos: this.#qos, retain: this.settings.flag('retain') ?? false };
    const publish: Publisher = ({ engine }, value, { text, more = [] }) => [
      {
        ...to,
        payload:
          template === undefined ? text : template.render(engine, new Map([['value', value], ...more])),
      },
    ];
    return publish;
  }

  add(options: VariableOptions): void {
    const { part = '', name, type, role, profile, sources = [], command, expireAfterS, offDelayS } = options;
    if (sources.length === 0 && command === undefined) return;
    const isNamed = this.#ownName !== undefined;
    this.#variables.push({
      part,
      name: name === undefined ? this.name : isNamed ? `${this.#ownName} ${name.toLowerCase()}` : name,
      type,
      role: this.#roleOf(part, role),
      profile,
      sources,
      command,
      isOptimistic: command !== undefined && (sources.length === 0 || (options.isOptimistic ?? false)),
      expireAfterS:
        expireAfterS !== undefined && expireAfterS > 0 ? Math.min(expireAfterS, EXPIRY_LIMIT_S) : undefined,
      offDelayS: offDelayS !== undefined && offDelayS >= 0 ? Math.min(offDelayS, DELAY_LIMIT_S) : undefined,
    });
  }

  /** The variables so far. */
  get hasVariables(): boolean {
    return this.#variables.length > 0;
  }

  build(): EntityModel {
    const availability = readAvailability(this.settings);
    const { mode, sources } = availability;
    return {
      ident: identFor(this.component, this.#id),
      name: this.name,
      isDevice: this.settings.raw('name') === null,
      variables: this.#variables,
      availability,
      availabilityKey: JSON.stringify([mode, sources.map((one) => [one, one.template?.text])]),
      templates: [...this.#templates, ...sources.flatMap(({ template }) => template ?? [])],
      problems: this.settings.problems,
    };
  }

  /** A part is never more important than its entity. */
  #roleOf(part: string, role: VariableRole | undefined): VariableRole {
    const own = this.role;
    return part !== '' && own === 'diagnostic' ? own : own === 'detail' ? own : (role ?? own);
  }

  #isValid(key: string, topic: string, validate: (topic: string) => Text | undefined): boolean {
    const error = topic.length > TOPIC_LIMIT ? 'it is too long' : validate(topic);
    if (error !== undefined) this.settings.problem(`${key}: ${String(error)}`);
    return error === undefined;
  }
}
