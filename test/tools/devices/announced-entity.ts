import { systemClock } from '../../../src/base/clock.js';
import type { Value } from '../../../src/device/module.js';
import { createTemplateEngine } from '../../../drivers/mqtt/discovered/template-engine.js';
import type { AnnouncedEntity } from '../../../drivers/mqtt/discovery/announcement.js';
import { buildEntity } from '../../../drivers/mqtt/discovery/components.js';
import { UNKNOWN, UNREADABLE, type EntityModel } from '../../../drivers/mqtt/discovery/model.js';
import { matchesFilter } from '../../../drivers/mqtt/topic-filter.js';
import { payloadVariables } from '../../../drivers/mqtt/templates/template.js';
import { TemplateError } from '../../../drivers/mqtt/templates/value.js';

/** An entity as its variables, without an instance: what messages make of them, and what commands send. */
export class AnnouncedEntityFixture {
  readonly model: EntityModel;
  /** The last value of each part; `''` is the main variable. */
  readonly values: Record<string, Value> = {};
  readonly #engine = createTemplateEngine(systemClock());

  constructor(announced: AnnouncedEntity) {
    this.model = buildEntity(announced);
  }

  /** The entity of a component with these settings. */
  static of(component: string, settings: Record<string, unknown>): AnnouncedEntityFixture {
    return new AnnouncedEntityFixture({ component, id: 'x', place: 'x', settings });
  }

  /** The problems of the entity and of its templates. */
  get problems(): string[] {
    const templates = this.model.templates.flatMap((one) => one.problem(this.#engine) ?? []);
    return [...this.model.problems, ...templates];
  }

  /** One line per variable: its part, type, role and profile; `!` if it can be set. */
  get variables(): string[] {
    return this.model.variables.map(({ part, type, role, profile, command, isOptimistic }) => {
      const name = typeof profile === 'object' ? profile.name : (profile ?? '');
      const access = command === undefined ? '' : isOptimistic ? ' !optimistic' : ' !';
      return `${part} ${['bool', 'int', 'float', 'text'][type] ?? ''} ${role} ${name}${access}`.trim();
    });
  }

  /**
   * Takes a message. Returns what it says of each part: a value, `unknown`, `unreadable` or `error`; parts of
   * which it says nothing are missing.
   */
  take(topic: string, payload: string): Record<string, unknown> {
    const read: Record<string, unknown> = {};
    for (const { part, sources } of this.model.variables)
      for (const source of sources) {
        if (!matchesFilter(source.topic, topic)) continue;
        let reading: unknown;
        try {
          const text = source.template?.render(this.#engine, payloadVariables(payload)) ?? payload;
          reading = source.read(text, (other) => this.values[other]);
        } catch (thrown) {
          if (!(thrown instanceof TemplateError)) throw thrown;
          reading = 'error';
        }
        if (reading === undefined) continue;
        if (reading === UNKNOWN) read[part] = 'unknown';
        else if (reading === UNREADABLE) read[part] = 'unreadable';
        else if (typeof reading === 'symbol') read[part] = 'now';
        else {
          read[part] = reading;
          if (reading !== 'error') this.values[part] = reading as Value;
        }
      }
    return read;
  }

  /** What a command publishes: `topic payload`, with ` (retained)`. Throws a `Fault`. */
  send(part: string, value: Value): string[] {
    const variable = this.model.variables.find((one) => one.part === part);
    if (variable?.command === undefined) throw new Error(`${part} has no command`);
    const context = { engine: this.#engine, current: (other: string) => this.values[other] };
    return variable
      .command(value, context)
      .map(({ topic, payload, retain }) => `${topic} ${payload}${retain ? ' (retained)' : ''}`);
  }
}
