import { within } from './value-checks.js';
import type { Model, Rule } from './model.js';
import { convert } from './convert.js';
import { setValue } from './events/event-runs.js';
import { types, ModelFault, type SnapshotProfile } from './snapshot-types.js';

const setsValue =
  (type?: number): Rule =>
  (model: Model, id: number, value: unknown) =>
    setValue(model, id, { value, ...(type !== undefined && { type }) });

function profileOf(model: Model, name: string): SnapshotProfile {
  const found = model.profiles.get(name);
  if (found === undefined) throw new ModelFault('PROFILE_MISSING');
  return found;
}

function setProfile(model: Model, name: string, to: Partial<SnapshotProfile>): true {
  const profile = profileOf(model, name);
  if (profile.readOnly) throw new ModelFault('PROFILE_BUILT_IN');
  Object.assign(profile, to);
  return true;
}

/** Values of variables, and their profiles and actions. */
export const valueRules: Readonly<Record<string, Rule>> = {
  SetValue: setsValue(),
  SetValueBoolean: setsValue(0),
  SetValueInteger: setsValue(1),
  SetValueFloat: setsValue(2),
  SetValueString: setsValue(3),
  SVC_SetVariableCustomProfile: (model: Model, id: number, name: string) => {
    const { data } = model.of(types.variable, id);
    if (name !== '' && profileOf(model, name).type !== data['type']) throw new ModelFault('PROFILE_TYPE');
    data['customProfile'] = name;
    return true;
  },
  SVC_SetVariableCustomAction: (model: Model, id: number, action: number) => {
    const { data } = model.of(types.variable, id);
    const type = model.objects.get(action)?.type ?? -1;
    if (action > 1 && type !== types.instance && type !== types.script)
      throw new ModelFault('ACTION_INVALID');
    data['customAction'] = action;
    return true;
  },
  SVC_CreateVariableProfile: (model: Model, name: string, type: number) => {
    if (name === '' || name.includes('~')) throw new ModelFault('PROFILE_NAME');
    if (model.profiles.has(name)) throw new ModelFault('PROFILE_EXISTS');
    const texts = { icon: '', prefix: '', suffix: '' };
    const numbers = { minValue: 0, maxValue: 0, stepSize: 0, digits: 0 };
    model.profiles.set(name, { type, ...texts, ...numbers, readOnly: false, associations: [] });
    return true;
  },
  SVC_DeleteVariableProfile: (model: Model, name: string) => {
    setProfile(model, name, {});
    return model.profiles.delete(name);
  },
  SVC_SetVariableProfileText: (model: Model, ...[name, prefix, suffix]: [string, string, string]) =>
    setProfile(model, name, { prefix, suffix }),
  SVC_SetVariableProfileValues: (model: Model, ...[name, min, max, step]: [string, number, number, number]) =>
    setProfile(model, name, { minValue: min, maxValue: max, stepSize: step }),
  SVC_SetVariableProfileDigits: (model: Model, name: string, digits: number) => {
    within(digits, 0, 15);
    return setProfile(model, name, { digits });
  },
  SVC_SetVariableProfileIcon: (model: Model, name: string, icon: string) => setProfile(model, name, { icon }),
  SVC_SetVariableProfileAssociation: (
    model: Model,
    ...[profile, given, name, icon, color]: [string, unknown, string, string, number]
  ) => {
    const { type, associations } = profileOf(model, profile);
    const value = convert(type, given);
    setProfile(model, profile, {});
    const others = associations.filter((one) => one.value !== value);
    const isThere = others.length < associations.length;
    if (name === '' && icon === '') {
      if (!isThere) throw new ModelFault('ASSOCIATION_MISSING');
      return setProfile(model, profile, { associations: others });
    }
    const entry = { value, name, icon, color };
    if (isThere) {
      const replaced = associations.map((one) => (one.value === value ? entry : one));
      return setProfile(model, profile, { associations: replaced });
    }
    const all = [...associations, entry];
    if (type !== 3) all.sort((a, b) => Number(a.value) - Number(b.value));
    return setProfile(model, profile, { associations: all });
  },
};
