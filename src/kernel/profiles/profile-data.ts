import type { AssociationKey } from '../../base/codes/stable-codes.js';
import type { Value, VariableType } from '../value.js';

/** The name, icon and colour of a value. Colour −1 is none. */
export interface Association {
  readonly value: Value;
  readonly name: string;
  readonly icon: string;
  readonly color: number;
  /** What the name means; only in built-in profiles. */
  readonly key?: AssociationKey;
}

/** How values of a type are displayed and limited. Limits are floats; all 0 means none. */
export interface Profile {
  readonly name: string;
  readonly type: VariableType;
  readonly icon: string;
  readonly prefix: string;
  readonly suffix: string;
  readonly min: number;
  readonly max: number;
  readonly step: number;
  readonly digits: number;
  readonly readOnly: boolean;
  /** Sorted by value, except for string profiles. */
  readonly associations: readonly Association[];
}

/** A profile as a module or a user defines it. */
export type ProfileDefinition = Omit<Profile, 'readOnly'>;

/** A profile without settings. */
export function emptyProfile(name: string, type: VariableType): Profile {
  const texts = { icon: '', prefix: '', suffix: '' };
  return { name, type, ...texts, min: 0, max: 0, step: 0, digits: 0, readOnly: false, associations: [] };
}
