import type { PublishRule, VariableRole } from '../../base/codes/stable-codes.js';
import type { Association, ObjectData, ObjectEntry, Profile, Value } from './objects.js';
import * as message from './message-numbers.js';

/** The attributes of an object that a message changes; undefined: none. */
export function attributes(
  entry: ObjectEntry,
  number: number,
  [first]: readonly unknown[],
): Partial<ObjectEntry> | undefined {
  switch (number) {
    case message.PARENT:
      return { parentID: Number(first) };
    case message.NAME:
      return { name: String(first) };
    case message.INFO:
      return { info: String(first) };
    case message.SUMMARY:
      return { summary: String(first) };
    case message.POSITION:
      return { position: Number(first) };
    case message.HIDDEN:
      return { hidden: Boolean(first) };
    case message.DISABLED:
      return { disabled: Boolean(first) };
    case message.ICON:
      return { icon: String(first) };
    case message.IDENT:
      return { ident: String(first) };
    case message.PUBLISH:
      return { publish: String(first) as PublishRule };
    case message.TARGET:
      return { data: { ...entry.data, targetID: Number(first) } };
    default:
      return undefined;
  }
}

/** The members of `data` that a message changes; undefined: none. */
export function dataMembers(number: number, Data: readonly unknown[]): ObjectData | undefined {
  const [first, second] = Data;
  switch (number) {
    case message.INSTANCE:
      return { moduleID: String(first), moduleName: String(second) };
    case message.CONNECT:
      return { connectionID: Number(first) };
    case message.DISCONNECT:
      return { connectionID: 0 };
    case message.STATUS:
      return { status: Number(first) };
    case message.VARIABLE:
    case message.SCRIPT:
    case message.EVENT:
    case message.MEDIA:
      return { type: Number(first) };
    case message.PROFILE:
      return { customProfile: String(first), profile: String(second) };
    case message.ACTION:
      return { customAction: Number(first), action: Number(second) };
    case message.BROKEN:
      return { isBroken: Boolean(first) };
    case message.ROLE:
      return { role: String(first) as VariableRole };
    case message.RESIDENTS:
      return { residents: first === 'set' ? 'set' : 'none' };
    case message.ACTIVE:
      return { active: Boolean(first) };
    case message.MEDIA_FILE:
      return { file: String(first) };
    case message.MEDIA_AVAILABLE:
      return { isAvailable: Boolean(first) };
    case message.MEDIA_UPDATE:
      return { crc: String(first) };
    default:
      return undefined;
  }
}

/** The value of a variable that was just created. */
export function initialValue(type: number): Value {
  return type === 0 ? false : type === 3 ? '' : 0;
}

export const EMPTY_PROFILE: Profile = {
  type: 0,
  icon: '',
  prefix: '',
  suffix: '',
  minValue: 0,
  maxValue: 0,
  stepSize: 0,
  digits: 0,
  associations: [],
};

/** The members of a profile that a message changes. */
export function profileMembers(profile: Profile, number: number, Data: readonly unknown[]): Partial<Profile> {
  const [, a, b, c, d] = Data;
  const others = () => profile.associations.filter(({ value }) => value !== a);
  switch (number) {
    case message.PROFILE_TEXT:
      return { prefix: String(a), suffix: String(b) };
    case message.PROFILE_VALUES:
      return { minValue: Number(a), maxValue: Number(b), stepSize: Number(c) };
    case message.PROFILE_DIGITS:
      return { digits: Number(a) };
    case message.PROFILE_ICON:
      return { icon: String(a) };
    case message.ASSOCIATION_REMOVE:
      return { associations: others() };
    case message.ASSOCIATION_ADD:
    case message.ASSOCIATION_CHANGE: {
      const one: Association = { value: a as Value, name: String(b), icon: String(c), color: Number(d) };
      return { associations: [...others(), one].sort(byValue) };
    }
    default:
      return {};
  }
}

function byValue(a: Association, b: Association): number {
  return Number(a.value) - Number(b.value);
}
