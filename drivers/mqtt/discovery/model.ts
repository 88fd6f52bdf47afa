import type { VariableRole } from '../../../src/base/codes/stable-codes.js';
import type { ProfileDefinition, Value, VariableType } from '../../../src/device/module.js';
import type { QoS } from '../broker.js';
import type { LazyTemplate, PayloadTemplate, TemplateEngine } from './lazy-template.js';

/** The device says that it does not know the value: the text `None`. */
export const UNKNOWN = Symbol('unknown');

/** The payload is not one that the entity can have. */
export const UNREADABLE = Symbol('unreadable');

/** The value is the time of the message, unix seconds. */
export const NOW = Symbol('now');

/** What a payload says of a variable; undefined if nothing. */
export type Reading = Value | typeof UNKNOWN | typeof UNREADABLE | typeof NOW | undefined;

/** The present value of another variable of the same entity, by the name of its part. */
type CurrentValue = (part: string) => Value | undefined;

/** A topic from which a variable is read. */
export interface Source {
  /** A filter; some devices announce one with wildcards. */
  readonly topic: string;
  readonly qos: QoS;
  /** Applied to the payload before it is read. */
  readonly template: PayloadTemplate | undefined;
  /**
   * The payload is an image, which this decodes; undefined if it cannot be decoded. `read` then gets an empty
   * text.
   */
  readonly decodeImage?: (payload: Buffer) => Uint8Array | undefined;
  /** Whether retained messages are ignored, because the topic carries events. */
  readonly isEvent?: boolean;
  readonly read: (text: string, current: CurrentValue) => Reading;
}

export interface Outgoing {
  readonly topic: string;
  readonly payload: string;
  readonly qos: QoS;
  readonly retain: boolean;
}

/** What commands are made with. */
export interface CommandContext {
  readonly engine: TemplateEngine;
  readonly current: CurrentValue;
}

/** What is published for a command. Throws a `Fault` if the device cannot do it, or a `TemplateError`. */
export type Command = (value: Value, context: CommandContext) => readonly Outgoing[];

/** One variable of an entity. */
export interface VariableModel {
  /** `''` for the main variable of an entity, otherwise the part: `BRIGHTNESS`. */
  readonly part: string;
  readonly name: string;
  readonly type: VariableType;
  readonly role: VariableRole;
  /** A built-in profile, or one that is created if it is missing. */
  readonly profile: string | ProfileDefinition | undefined;
  readonly sources: readonly Source[];
  readonly command: Command | undefined;
  /** Whether an accepted command is the new value: no topic reports it. */
  readonly isOptimistic: boolean;
  readonly expireAfterS?: number | undefined;
  /** After how long a true value becomes false by itself. */
  readonly offDelayS?: number | undefined;
}

/** One topic on which the availability of an entity is published. */
export interface AvailabilitySource {
  readonly topic: string;
  readonly template: LazyTemplate | undefined;
  readonly available: string;
  readonly notAvailable: string;
}

/** When an entity is available: if all, any, or the latest of the topics say so. */
export interface Availability {
  readonly mode: 'all' | 'any' | 'latest';
  readonly sources: readonly AvailabilitySource[];
}

/** An entity as variables. */
export interface EntityModel {
  /** The first part of the idents of its variables. */
  readonly ident: string;
  readonly name: string;
  /** Whether the entity is the device itself, and has its name. */
  readonly isDevice: boolean;
  readonly variables: readonly VariableModel[];
  readonly availability: Availability;
  /** Equal for entities with the same availability. */
  readonly availabilityKey: string;
  readonly templates: readonly LazyTemplate[];
  /** What was not understood. */
  readonly problems: readonly string[];
}

/** The part of an entity that is its image; the variable with the source of the image has its time. */
export const IMAGE_PART = 'IMAGE';

/** The ident of a variable or an image of an entity. */
export const identOf = (entity: Pick<EntityModel, 'ident'>, part: string): string =>
  part === '' ? entity.ident : `${entity.ident}__${part}`;
