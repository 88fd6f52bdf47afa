import type { FaultCode } from '../../../src/base/fault.js';
import type { Entry } from '../../tools/replica.js';

/** What the model says of a call that must fail. */
export class Refusal extends Error {
  readonly code: FaultCode;
  constructor(code: FaultCode) {
    super(code);
    this.code = code;
  }
}

/** A profile as the snapshot shows it. */
export interface ShownProfile {
  type: number;
  icon: string;
  prefix: string;
  suffix: string;
  minValue: number;
  maxValue: number;
  stepSize: number;
  digits: number;
  readOnly: boolean;
  associations: { value: unknown; name: string; icon: string; color: number }[];
}

/** The one module of which sequences make instances. */
export interface ShownModule {
  readonly moduleID: string;
  readonly moduleName: string;
  readonly moduleType: number;
}

/** A snapshot as a client reads it. */
export interface Snapshot {
  readonly objects: Record<string, Entry>;
  readonly profiles: Record<string, ShownProfile>;
}

const types = { category: 0, instance: 1, variable: 2, script: 3, link: 6 } as const;

/**
 * What the tree must be, in the simplest words that can say it: a map of objects, a map of profiles, and for every call
 * what it does to them. It looks through all objects for whatever it wants to know, and keeps nothing twice.
 */
export class Model {
  /** In the order in which they were made. */
  readonly objects = new Map<number, Entry>();
  readonly profiles = new Map<string, ShownProfile>();
  /** Objects that the gateway makes and feeds by itself: what of them moves is the gateway's word. */
  readonly theirs = new Set<number>();
  /** All values that a variable has had. */
  readonly #had = new Map<number, unknown[]>();
  /** The time, in unix seconds. */
  now = 0;

  readonly module: ShownModule;

  /** What is there when a sequence begins is taken as it is. */
  constructor({ objects, profiles }: Snapshot, module: ShownModule) {
    this.module = module;
    for (const [key, entry] of Object.entries(objects)) {
      this.objects.set(Number(key.slice(2)), structuredClone(entry));
      this.theirs.add(Number(key.slice(2)));
    }
    for (const [name, profile] of Object.entries(profiles)) this.profiles.set(name, structuredClone(profile));
  }

  get snapshot(): Snapshot {
    return {
      objects: Object.fromEntries([...this.objects].map(([id, entry]) => [`ID${id}`, entry])),
      profiles: Object.fromEntries(this.profiles),
    };
  }

  /** Does what a call does; `made` is the id that the gateway gave, for those that create. Throws a Refusal. */
  carryOut(name: string, params: readonly unknown[], made: number): unknown {
    const rule = rules[name];
    if (rule === undefined) throw new Error(`the model knows no ${name}`);
    return rule(this, ...([...params, made] as never[]));
  }

  /** Takes over what an instance made for itself, and what the gateway says of its own objects now. */
  adopt({ objects }: Snapshot): void {
    for (const [key, entry] of Object.entries(objects)) {
      const id = Number(key.slice(2));
      const known = this.objects.get(id);
      const parent = this.objects.get(entry.parentID);
      if (known === undefined && entry.readOnly && parent?.type === types.instance) {
        this.objects.set(id, structuredClone(entry));
        this.theirs.add(id);
      } else if (known?.type === types.instance) known.data['status'] = entry.data['status'];
      else if (known?.type === types.variable && this.theirs.has(id)) {
        for (const key of ['value', 'lastUpdate', 'lastChange'])
          known.data[key] = structuredClone(entry.data[key]);
        if ('quality' in entry.data) known.data['quality'] = entry.data['quality'];
        else delete known.data['quality'];
      }
    }
  }

  /** Values as they are after a power cut: earlier ones that may be lost no further; else what is odd, in words. */
  fallBack({ objects }: Snapshot): string | undefined {
    for (const [id, { type, data }] of this.objects) {
      const found = objects[`ID${id}`];
      if (type !== types.variable || found === undefined || this.theirs.has(id)) continue;
      const { value, lastUpdate, lastChange } = found.data;
      if (value !== data['value'] && this.#had.get(id)?.includes(value) !== true)
        return `ID${id} holds ${JSON.stringify(value)}, which it never did`;
      Object.assign(data, { value, lastUpdate, lastChange });
    }
    return undefined;
  }

  get(id: number): Entry {
    const found = this.objects.get(id);
    if (found === undefined) throw new Refusal('OBJECT_MISSING');
    return found;
  }

  of(type: number, id: number): Entry {
    const found = this.objects.get(id);
    if (found?.type !== type) throw new Refusal('NOT_OF_TYPE');
    return found;
  }

  childrenOf(id: number): [number, Entry][] {
    return [...this.objects].filter(([child, { parentID }]) => parentID === id && child !== 0);
  }

  /** Whether an object stands below another, or is it. */
  isWithin(id: number, ancestor: number): boolean {
    if (id === ancestor) return true;
    return id !== 0 && this.isWithin(this.get(id).parentID, ancestor);
  }

  create(id: number, type: number, data: Record<string, unknown>): number {
    this.objects.set(id, {
      position: 0,
      readOnly: false,
      ident: '',
      hidden: false,
      disabled: false,
      type,
      name: `Unnamed Object (ID: ${id})`,
      info: '',
      icon: '',
      parentID: 0,
      summary: '',
      data,
    });
    return id;
  }

  delete(type: number, id: number): true {
    this.of(type, id);
    if (id === 0) throw new Refusal('ROOT_FIXED');
    if (this.childrenOf(id).length > 0) throw new Refusal('HAS_CHILDREN');
    this.objects.delete(id);
    return true;
  }

  set(id: number, to: Partial<Entry>): true {
    const entry = this.get(id);
    if (id === 0) throw new Refusal('ROOT_FIXED');
    if (to.ident !== undefined && to.ident !== entry.ident) this.checkIdent(to.ident, entry.parentID);
    Object.assign(entry, to);
    return true;
  }

  move(id: number, parent: number): true {
    const entry = this.get(id);
    this.get(parent);
    if (id === 0) throw new Refusal('ROOT_FIXED');
    if (entry.parentID === parent) return true;
    if (this.isWithin(parent, id)) throw new Refusal('PARENT_LOOP');
    this.checkIdent(entry.ident, parent);
    entry.parentID = parent;
    return true;
  }

  checkIdent(ident: string, parent: number): void {
    if (!/^[A-Za-z0-9_]*$/.test(ident)) throw new Refusal('IDENT_INVALID');
    if (ident !== '' && this.childrenOf(parent).some(([, child]) => child.ident === ident))
      throw new Refusal('IDENT_TAKEN');
  }

  profile(name: string): ShownProfile {
    const found = this.profiles.get(name);
    if (found === undefined) throw new Refusal('PROFILE_MISSING');
    return found;
  }

  setProfile(name: string, to: Partial<ShownProfile>): true {
    const profile = this.profile(name);
    if (profile.readOnly) throw new Refusal('PROFILE_BUILT_IN');
    Object.assign(profile, to);
    return true;
  }

  /** Sets a variable that anybody may set; `type`: of that type only. */
  setValue(id: number, value: unknown, type?: number): true {
    const { data, readOnly } = this.of(types.variable, id);
    if (readOnly) throw new Refusal('READ_ONLY');
    if (type !== undefined && data['type'] !== type) throw new Refusal('VARIABLE_TYPE');
    const own = data['type'] as number;
    const converted = value === null ? initial[own] : convert(own, value);
    this.#had.set(id, [...(this.#had.get(id) ?? []), data['value']]);
    if (converted !== data['value']) data['lastChange'] = this.now;
    Object.assign(data, { value: converted, lastUpdate: this.now });
    return true;
  }
}

const initial: readonly unknown[] = [false, 0, 0, ''];

/** What becomes of a value in a variable or a profile of a type. */
function convert(type: number, value: unknown): unknown {
  if (type === 3) {
    if (['string', 'number', 'boolean'].includes(typeof value)) return String(value);
    throw new Refusal('CANNOT_CONVERT');
  }
  if (type === 0) {
    if ([true, 1, 'true', '1'].includes(value as never)) return true;
    if ([false, 0, 'false', '0'].includes(value as never)) return false;
    throw new Refusal('CANNOT_CONVERT');
  }
  const isNumber = typeof value === 'number' || typeof value === 'boolean' || /^\d+$/.test(String(value));
  if (!isNumber || Array.isArray(value)) throw new Refusal('CANNOT_CONVERT');
  const number = Number(value);
  if (type === 2) return number;
  const rounded = number < 0 ? -Math.round(-number) : Math.round(number);
  if (Math.abs(rounded) > Number.MAX_SAFE_INTEGER) throw new Refusal('CANNOT_CONVERT');
  return rounded;
}

type Rule = (model: Model, ...params: never[]) => unknown;

const deletes =
  (type: number): Rule =>
  (model: Model, id: number) =>
    model.delete(type, id);
const sets =
  (key: keyof Entry): Rule =>
  (model: Model, id: number, value: never) =>
    model.set(id, { [key]: value });
const setsValue =
  (type?: number): Rule =>
  (model: Model, id: number, value: unknown) =>
    model.setValue(id, value, type);

/** What each function does. */
const rules: Readonly<Record<string, Rule>> = {
  SVC_CreateCategory: (model: Model, made: number) => model.create(made, types.category, {}),
  SVC_CreateLink: (model: Model, made: number) => model.create(made, types.link, { targetID: 0 }),
  SVC_CreateScript: (model: Model, type: number, made: number) =>
    model.create(made, types.script, { type, file: `${made}.js`, lastExecute: 0, isBroken: false }),
  SVC_CreateVariable: (model: Model, type: number, made: number) => {
    const none = { profile: '', customProfile: '', action: 0, customAction: 0 };
    const never = { lastUpdate: 0, lastChange: 0, isLocked: false };
    return model.create(made, types.variable, { type, value: initial[type], ...none, ...never });
  },
  SVC_CreateInstance: (model: Model, _module: string, made: number) =>
    model.create(made, types.instance, { ...model.module, connectionID: 0 }),
  SVC_DeleteCategory: deletes(types.category),
  SVC_DeleteInstance: deletes(types.instance),
  SVC_DeleteVariable: deletes(types.variable),
  SVC_DeleteScript: deletes(types.script),
  SVC_DeleteLink: deletes(types.link),
  SVC_SetName: (model: Model, id: number, name: string) =>
    model.set(id, { name: name === '' ? `Unnamed Object (ID: ${id})` : name }),
  SVC_SetIdent: sets('ident'),
  SVC_SetPosition: sets('position'),
  SVC_SetHidden: sets('hidden'),
  SVC_SetDisabled: sets('disabled'),
  SVC_SetIcon: sets('icon'),
  SVC_SetInfo: sets('info'),
  SVC_SetParent: (model: Model, id: number, parent: number) => model.move(id, parent),
  SVC_SetLinkTargetID: (model: Model, id: number, target: number) => {
    const { data } = model.of(types.link, id);
    if (target !== 0) model.get(target);
    data['targetID'] = target;
    return true;
  },
  SVC_SetVariableCustomProfile: (model: Model, id: number, name: string) => {
    const { data } = model.of(types.variable, id);
    if (name !== '' && model.profile(name).type !== data['type']) throw new Refusal('PROFILE_TYPE');
    data['customProfile'] = name;
    return true;
  },
  SVC_SetVariableCustomAction: (model: Model, id: number, action: number) => {
    const { data } = model.of(types.variable, id);
    const type = model.objects.get(action)?.type ?? -1;
    if (action > 1 && type !== types.instance && type !== types.script) throw new Refusal('ACTION_INVALID');
    data['customAction'] = action;
    return true;
  },
  SetValue: setsValue(),
  SetValueBoolean: setsValue(0),
  SetValueInteger: setsValue(1),
  SetValueFloat: setsValue(2),
  SetValueString: setsValue(3),
  SVC_CreateVariableProfile: (model: Model, name: string, type: number) => {
    if (name === '' || name.includes('~')) throw new Refusal('PROFILE_NAME');
    if (model.profiles.has(name)) throw new Refusal('PROFILE_EXISTS');
    const texts = { icon: '', prefix: '', suffix: '' };
    const numbers = { minValue: 0, maxValue: 0, stepSize: 0, digits: 0 };
    model.profiles.set(name, { type, ...texts, ...numbers, readOnly: false, associations: [] });
    return true;
  },
  SVC_DeleteVariableProfile: (model: Model, name: string) => {
    model.setProfile(name, {});
    return model.profiles.delete(name);
  },
  SVC_SetVariableProfileText: (model: Model, ...[name, prefix, suffix]: [string, string, string]) =>
    model.setProfile(name, { prefix, suffix }),
  SVC_SetVariableProfileValues: (model: Model, ...[name, min, max, step]: [string, number, number, number]) =>
    model.setProfile(name, { minValue: min, maxValue: max, stepSize: step }),
  SVC_SetVariableProfileDigits: (model: Model, name: string, digits: number) => {
    if (digits < 0 || digits > 15) throw new Refusal('PARAMETER_BOUNDS');
    return model.setProfile(name, { digits });
  },
  SVC_SetVariableProfileIcon: (model: Model, name: string, icon: string) => model.setProfile(name, { icon }),
  SVC_SetVariableProfileAssociation: (
    model: Model,
    ...[profile, given, name, icon, color]: [string, unknown, string, string, number]
  ) => {
    const { type, associations } = model.profile(profile);
    const value = convert(type, given);
    model.setProfile(profile, {});
    const others = associations.filter((one) => one.value !== value);
    const isThere = others.length < associations.length;
    if (name === '' && icon === '') {
      if (!isThere) throw new Refusal('ASSOCIATION_MISSING');
      return model.setProfile(profile, { associations: others });
    }
    const entry = { value, name, icon, color };
    if (isThere) {
      const replaced = associations.map((one) => (one.value === value ? entry : one));
      return model.setProfile(profile, { associations: replaced });
    }
    const all = [...associations, entry];
    if (type !== 3) all.sort((a, b) => Number(a.value) - Number(b.value));
    return model.setProfile(profile, { associations: all });
  },
};
