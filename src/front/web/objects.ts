/** The parts of a snapshot (interface §2.2) that pages read. */

import type { PublishRule, VariableRole } from '../../base/codes/stable-codes.js';
import type { Value } from '../../client/generated/records.js';

export type { Value };

/** Object types of the interface. */
export const objectType = {
  category: 0,
  instance: 1,
  variable: 2,
  script: 3,
  event: 4,
  media: 5,
  link: 6,
} as const;

/** Variable types of the interface. */
export const variableType = { boolean: 0, integer: 1, float: 2, string: 3 } as const;

/** Why a value is not good; `state` 1: stale, 2: bad. */
export interface QualityProblem {
  readonly state: number;
  readonly reason: string;
  readonly text: string;
}

/** The rule that would reject the next command. `untilMs` 0: no end is known. */
export interface Rule {
  readonly code: string;
  readonly untilMs: number;
  readonly group: string;
}

/** A scheduled effect: the value that the variable will get by itself, and when. */
export interface Pending {
  readonly value: Value;
  readonly atMs: number;
  readonly code: string;
}

/** `data` of an entry; which members it has depends on the type. */
export interface ObjectData {
  readonly type?: number;
  readonly value?: Value;
  readonly profile?: string;
  readonly customProfile?: string;
  readonly action?: number;
  readonly customAction?: number;
  readonly lastUpdate?: number;
  readonly lastChange?: number;
  readonly role?: VariableRole;
  readonly residents?: 'set' | 'none';
  readonly quality?: QualityProblem;
  readonly rule?: Rule;
  readonly pending?: Pending;
  readonly moduleID?: string;
  readonly moduleName?: string;
  readonly connectionID?: number;
  readonly status?: number;
  readonly targetID?: number;
  readonly isAvailable?: boolean;
  readonly file?: string;
  readonly crc?: string;
  readonly active?: boolean;
  readonly isBroken?: boolean;
}

export interface ObjectEntry {
  readonly position: number;
  readonly ident: string;
  readonly hidden: boolean;
  readonly disabled: boolean;
  readonly type: number;
  readonly name: string;
  readonly info: string;
  readonly icon: string;
  readonly parentID: number;
  readonly summary: string;
  readonly publish?: PublishRule;
  readonly data: ObjectData;
}

export interface Association {
  readonly value: Value;
  readonly name: string;
  readonly icon: string;
  readonly color: number;
  /** Of built-in profiles: the key of the name, for translation. */
  readonly key?: string;
}

export interface Profile {
  readonly type: number;
  readonly icon: string;
  readonly prefix: string;
  readonly suffix: string;
  readonly minValue: number;
  readonly maxValue: number;
  readonly stepSize: number;
  readonly digits: number;
  readonly associations: readonly Association[];
}

export interface Snapshot {
  readonly timestamp: number;
  readonly timezone: string;
  readonly server: { readonly date: number; readonly version: string };
  readonly archive: Readonly<Record<string, unknown>>;
  readonly area?: { readonly configurator: number; readonly base: number; readonly title: string };
  readonly profiles: Readonly<Record<string, Profile>>;
  readonly objects: Readonly<Record<string, ObjectEntry>>;
}
