import type { Random } from '../../tools/random.js';

/** Refers to an object that an earlier step created, so that a sequence has the same meaning in every run. */
export interface Ref {
  /**
   * The number of the creation in the sequence; -1 is the root, -2 an object that never existed, -3 the
   * instance of Utility Control.
   */
  readonly made: number;
  /** One of the variables of an instance, by its ident. */
  readonly ident?: string;
}

/** One call, made once its references are known. */
export interface Step {
  readonly name: string;
  readonly params: readonly unknown[];
  /** For those that create: the number of the creation, so that removing steps renames nothing. */
  readonly made?: number;
}

export const isRef = (param: unknown): param is Ref =>
  typeof param === 'object' && param !== null && 'made' in param;

/** The name of a step that advances the clock by this number of seconds. */
export const TIME_PASSES = '(time passes)';

export const ROOT: Ref = { made: -1 };
export const MISSING: Ref = { made: -2 };
export const UTILITY: Ref = { made: -3 };

/** The module of an instance, one of two. */
export const IO = 0;
export const DEVICE = 1;

/** A created object: its kind, and its type within it. A deletion or a task is referred to in the same way. */
export interface CreatedObject {
  readonly kind: Kind;
  readonly type: number;
}
export type Kind = ObjectKind | 'deletion' | 'task';
type ObjectKind = 'category' | 'instance' | 'variable' | 'script' | 'event' | 'media' | 'link';

/** A call: its name and its parameters. */
export type Choice = readonly [name: string, ...params: unknown[]];

/** The kinds of objects that a sequence can be about. */
export type Family =
  | 'objects'
  | 'profiles'
  | 'triggers'
  | 'cyclic'
  | 'schedules'
  | 'conditions'
  | 'media'
  | 'instances'
  | 'scripts';

/** The possible content of sequences, which depends on the target. */
export interface Vocabulary {
  readonly families: readonly Family[];
  readonly io: string;
  readonly device: string;
  /** Properties and values for them. */
  readonly settings: readonly (readonly [string, unknown])[];
  /** Types of events that may be active: their actions must complete within the call that triggers them. */
  readonly active: readonly number[];
  /** Time types of cyclic events within a day. */
  readonly timeTypes: readonly number[];
  readonly eventTexts: readonly string[];
}

/** Generates calls: its random source and its vocabulary. */
export interface Chooser {
  readonly random: Random;
  readonly cast: Vocabulary;
  /** Any object, or one of a kind; sometimes another one, or none. */
  ref(expected?: Kind): Ref;
  /** An object of exactly that kind and one of these types; none if there is none. */
  exactly(expected: Kind, ...wantedTypes: number[]): Ref;
}
