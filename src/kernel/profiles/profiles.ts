import { fault } from '../../base/fault.js';
import type { Changes } from '../changes.js';
import type { Journal } from '../journal.js';
import { checkLength } from '../text-limits.js';
import { message } from '../messages.js';
import { emptyProfile, type Association, type Profile, type ProfileDefinition } from './profile-data.js';
import { builtInProfiles } from './built-in-profiles.js';
import { variableType, type VariableType } from '../value.js';

export type { Association, Profile } from './profile-data.js';

/** Longest profile name, characters: users see it in lists. */
const PROFILE_NAME_LIMIT = 256;
/** Maximum number of decimals; a double has no more digits. */
const DIGITS_LIMIT = 15;

/** The variable profiles (interface §5). Names with `~` are built in; names are unique across types. */
export class Profiles {
  readonly #profiles = new Map<string, Profile>();
  readonly #changes: Changes;
  readonly #journal: Journal;
  #text: string | undefined;
  /** Called with the name of a profile that was created or deleted. */
  onListChanged: (name: string) => void = () => undefined;

  constructor(changes: Changes, journal: Journal) {
    this.#changes = changes;
    this.#journal = journal;
    for (const profile of builtInProfiles()) this.#profiles.set(profile.name, profile);
  }

  all(): IterableIterator<Profile> {
    return this.#profiles.values();
  }

  find(name: string): Profile | undefined {
    return this.#profiles.get(name);
  }

  /** Throws `PROFILE_MISSING`. */
  get(name: string): Profile {
    const profile = this.#profiles.get(name);
    if (profile === undefined) throw fault('PROFILE_MISSING', name);
    return profile;
  }

  /** Throws if a variable of the type cannot have the profile; '' (none) is always valid. */
  check(name: string, type: VariableType): void {
    if (name !== '' && this.get(name).type !== type) throw fault('PROFILE_TYPE', name);
  }

  /** Throws `PROFILE_EXISTS`, `PROFILE_NAME`. */
  create(name: string, type: VariableType): void {
    if (name === '' || name.includes('~')) throw fault('PROFILE_NAME');
    checkLength('The name of a profile', name, PROFILE_NAME_LIMIT);
    if (this.#profiles.has(name)) throw fault('PROFILE_EXISTS', name);
    this.#put(emptyProfile(name, type), message.PM_CREATE, [name, type]);
    this.onListChanged(name);
  }

  /** Creates a profile with all its settings. Throws as `create` and the setters. */
  define({ name, type, icon, prefix, suffix, digits, associations, ...values }: ProfileDefinition): void {
    this.create(name, type);
    if (icon !== '') this.setIcon(name, icon);
    if (prefix !== '' || suffix !== '') this.setText(name, prefix, suffix);
    if (values.min !== 0 || values.max !== 0 || values.step !== 0) this.setValues(name, values);
    if (digits !== 0) this.setDigits(name, digits);
    for (const association of associations) this.setAssociation(name, association);
  }

  /** Adds a stored profile at the start, without a message. */
  load(profile: Profile): void {
    if (!profile.name.startsWith('~')) this.#profiles.set(profile.name, profile);
  }

  delete(name: string): void {
    this.#userDefined(name);
    this.#profiles.delete(name);
    this.#emitChange(name, message.PM_DELETE, [name]);
    this.onListChanged(name);
  }

  /** Throws `TEXT_TOO_LONG`. */
  setText(name: string, prefix: string, suffix: string): void {
    checkLength('The prefix', prefix);
    checkLength('The suffix', suffix);
    this.#put({ ...this.#userDefined(name), prefix, suffix }, message.PM_CHANGETEXT, [name, prefix, suffix]);
  }

  setValues(name: string, { min, max, step }: Pick<Profile, 'min' | 'max' | 'step'>): void {
    this.#put({ ...this.#userDefined(name), min, max, step }, message.PM_CHANGEVALUES, [
      name,
      min,
      max,
      step,
    ]);
  }

  setDigits(name: string, digits: number): void {
    if (digits < 0 || digits > DIGITS_LIMIT) throw fault('PARAMETER_BOUNDS', 'Digits');
    this.#put({ ...this.#userDefined(name), digits }, message.PM_CHANGEDIGITS, [name, digits]);
  }

  /** Throws `TEXT_TOO_LONG`. */
  setIcon(name: string, icon: string): void {
    checkLength('The icon', icon);
    this.#put({ ...this.#userDefined(name), icon }, message.PM_CHANGEICON, [name, icon]);
  }

  /**
   * Sets the association of a value; an empty name and icon delete it. The value must have the profile's
   * type. Throws `ASSOCIATION_MISSING` if there is none to delete, `TEXT_TOO_LONG`.
   */
  setAssociation(name: string, entry: Association): void {
    const profile = this.#userDefined(name);
    for (const text of [entry.name, entry.icon, String(entry.value)]) checkLength('The association', text);
    const at = profile.associations.findIndex((a) => a.value === entry.value);
    const associations = [...profile.associations];
    const data = [name, entry.value, entry.name, entry.icon, entry.color];
    if (entry.name === '' && entry.icon === '') {
      if (at < 0) throw fault('ASSOCIATION_MISSING', String(entry.value));
      associations.splice(at, 1);
      return this.#put({ ...profile, associations }, message.PM_ASSOCIATIONREMOVED, [name, entry.value]);
    }
    if (at >= 0) {
      associations[at] = entry;
      return this.#put({ ...profile, associations }, message.PM_ASSOCIATIONCHANGED, data);
    }
    associations.push(entry);
    if (profile.type !== variableType.string) associations.sort((a, b) => Number(a.value) - Number(b.value));
    this.#put({ ...profile, associations }, message.PM_ASSOCIATIONADDED, data);
  }

  /** The `profiles` object of the snapshot in JSON, cached until a profile changes. */
  get snapshotJson(): string {
    this.#text ??= JSON.stringify(
      Object.fromEntries([...this.#profiles.values()].map((p) => [p.name, profileEntryOf(p)])),
    );
    return this.#text;
  }

  #userDefined(name: string): Profile {
    const profile = this.get(name);
    if (profile.readOnly) throw fault('PROFILE_BUILT_IN', name);
    return profile;
  }

  #put(profile: Profile, sent: number, data: readonly unknown[]): void {
    this.#profiles.set(profile.name, profile);
    this.#emitChange(profile.name, sent, data);
  }

  #emitChange(name: string, sent: number, data: readonly unknown[]): void {
    this.#text = undefined;
    this.#changes.emit(0, sent, data);
    this.#journal.markProfile(name);
  }
}

/** A profile as an entry of the snapshot (interface §2.2). */
export function profileEntryOf(profile: Profile): object {
  const { type, icon, prefix, suffix, min, max, step, digits, readOnly, associations } = profile;
  return {
    type,
    icon,
    prefix,
    suffix,
    minValue: min,
    maxValue: max,
    stepSize: step,
    digits,
    readOnly,
    associations,
  };
}
