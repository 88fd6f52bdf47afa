import type { Random } from '../../tools/random.js';

/**
 * Stands for the id that an earlier step of the sequence made, so that a sequence means the same in every
 * run.
 */
export interface Ref {
  /**
   * Which creation of the sequence; -1 is the root, -2 an object that never was, -3 the instance of Utility
   * Control.
   */
  readonly made: number;
  /** One of the variables that an instance brought along, by its ident. */
  readonly ident?: string;
}

/** One call, to be made when what it refers to is known. */
export interface Step {
  readonly name: string;
  readonly params: readonly unknown[];
  /** For those that create: its place among the creations, so that leaving out steps renames nothing. */
  readonly made?: number;
}

export const isRef = (param: unknown): param is Ref =>
  typeof param === 'object' && param !== null && 'made' in param;

/** The name of a step that lets so many seconds pass. */
export const TIME_PASSES = '(time passes)';

export const ROOT: Ref = { made: -1 };
export const MISSING: Ref = { made: -2 };
export const UTILITY: Ref = { made: -3 };

/** Of which of the two modules an instance is. */
export const IO = 0;
export const DEVICE = 1;

/** What was made: an object of a kind, and of which of its types. */
export interface CreatedObject {
  readonly kind: Kind;
  readonly type: number;
}
export type Kind = 'category' | 'instance' | 'variable' | 'script' | 'event' | 'media' | 'link';

/** A call: its name and its parameters. */
export type Choice = readonly [name: string, ...params: unknown[]];

/** The kinds of things that a sequence can be about. */
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

/** What a sequence may be made of, which depends on where it runs. */
export interface Vocabulary {
  readonly families: readonly Family[];
  readonly io: string;
  readonly device: string;
  /** Properties and values for them. */
  readonly settings: readonly (readonly [string, unknown])[];
  /** Types of events that may be active: what they run must be done with the call that sets them off. */
  readonly active: readonly number[];
  /** What cyclic events repeat within a day. */
  readonly timeTypes: readonly number[];
  readonly eventTexts: readonly string[];
}

/** Who makes up calls: what chooses, and from what. */
export interface Chooser {
  readonly random: Random;
  readonly cast: Vocabulary;
  /** Any object, or one of a kind; now and then another, or none. */
  ref(expected?: Kind): Ref;
  /** An object of just that kind and of one of these types; none where there is none. */
  exactly(expected: Kind, ...wantedTypes: number[]): Ref;
}
