import { Replica, type Frame } from '../../tools/client/replica.js';
import { put, takeOut } from './value-checks.js';
import { emptyCondition, type SnapshotProfile, type Snapshot, type MessageState } from './snapshot-types.js';
import { messageNumber } from '../../tools/client/message-numbers.js';
import { isSamePlain } from '../../runner/plain-equality.js';

type Data = readonly unknown[];

/**
 * A client that only follows the messages: the tree as in a snapshot, the profiles, and the state that no
 * snapshot contains. Whatever a message says about the previous state must match.
 */
export class MessageFollower {
  readonly fromMessages: Map<number, MessageState>;
  readonly #replica: Replica;
  readonly #profiles: Map<string, SnapshotProfile>;

  /** `fromMessages`: the state from earlier messages. */
  constructor({ objects, profiles }: Snapshot, messages: ReadonlyMap<number, MessageState> = new Map()) {
    this.#replica = new Replica(objects);
    this.#profiles = new Map(Object.entries(structuredClone(profiles)));
    this.fromMessages = structuredClone(new Map(messages));
  }

  get snapshot(): Snapshot {
    return {
      objects: Object.fromEntries([...this.#replica.objects].map(([id, entry]) => [`ID${id}`, entry])),
      profiles: Object.fromEntries(this.#profiles),
    };
  }

  apply(frame: Frame): void {
    this.#check(frame);
    this.#replica.apply(frame);
    const { SenderID: id, Message: message, Data } = frame;
    const data: Data = Data;
    if (message === messageNumber.OM_UNREGISTER) this.fromMessages.delete(id);
    if (message === messageNumber.IM_CHANGESETTINGS)
      this.fromMessages.set(id, { configuration: JSON.parse(String(data[0])) as unknown });
    if (message === messageNumber.SM_UPDATE) this.fromMessages.set(id, { crc: String(data[0]) });
    if (message === messageNumber.EM_CREATE)
      this.fromMessages.set(id, {
        action: { actionID: '', actionParameters: {} },
        conditions: [],
        planned: {},
      });
    const messages = this.fromMessages.get(id) ?? {};
    if (message === messageNumber.EM_CHANGEACTION)
      messages.action = actionOf(data[1] === undefined ? [] : data);
    if (message === messageNumber.EM_ADDSCHEDULEACTION || message === messageNumber.EM_CHANGESCHEDULEACTION)
      messages.planned![data[0] as number] = actionOf(data.slice(4));
    if (message === messageNumber.EM_REMOVESCHEDULEACTION) delete messages.planned![data[0] as number];
    if (
      message >= messageNumber.EM_ADDCONDITION &&
      message <= messageNumber.EM_CHANGECONDITIONDAYOFTHEWEEKRULE
    )
      applyToConditions(messages.conditions!, message, data);
    if (message >= messageNumber.PM_CREATE && message <= messageNumber.PM_ASSOCIATIONCHANGED)
      this.#applyToProfiles(message, data);
  }

  #check({ SenderID: id, Message: message, Data: data }: Frame): void {
    const entry = this.#replica.objects.get(id);
    const known =
      message === messageNumber.VM_UPDATE
        ? [entry?.data['value'], entry?.data['lastUpdate'], entry?.data['lastChange']]
        : message === messageNumber.IM_DISCONNECT
          ? [entry?.data['connectionID']]
          : message === messageNumber.OM_UNREGISTER
            ? [entry?.type]
            : undefined;
    const given = message === messageNumber.VM_UPDATE ? [data[2], data[4], data[5]] : data.slice(0, 1);
    if (known !== undefined && !isSamePlain(known, given))
      throw new Error(
        `message ${message} of ${id} says ${JSON.stringify(given)}, not ${JSON.stringify(known)}`,
      );
  }

  #applyToProfiles(message: number, data: Data): void {
    const [name, ...to] = data as [string, ...never[]];
    const [first, second, third, fourth] = to as [never, never, never, never];
    if (message === messageNumber.PM_DELETE) return void this.#profiles.delete(name);
    if (message === messageNumber.PM_CREATE) {
      const texts = { icon: '', prefix: '', suffix: '' };
      const numbers = { minValue: 0, maxValue: 0, stepSize: 0, digits: 0 };
      this.#profiles.set(name, { type: first, ...texts, ...numbers, readOnly: false, associations: [] });
    }
    const profile = this.#profiles.get(name);
    if (profile === undefined) throw new Error(`message ${message} of a missing profile: ${name}`);
    const { associations, type } = profile;
    if (message === messageNumber.PM_CHANGETEXT) Object.assign(profile, { prefix: first, suffix: second });
    if (message === messageNumber.PM_CHANGEVALUES)
      Object.assign(profile, { minValue: first, maxValue: second, stepSize: third });
    if (message === messageNumber.PM_CHANGEDIGITS) profile.digits = first;
    if (message === messageNumber.PM_CHANGEICON) profile.icon = first;
    if (message === messageNumber.PM_ASSOCIATIONREMOVED) takeOut(associations, first, 'value');
    if (message === messageNumber.PM_ASSOCIATIONADDED || message === messageNumber.PM_ASSOCIATIONCHANGED) {
      if (
        associations.some(({ value }) => value === first) !==
        (message === messageNumber.PM_ASSOCIATIONCHANGED)
      )
        throw new Error(`association ${String(first)} of ${name}: ${message}`);
      put(associations, { value: first, name: second, icon: third, color: fourth }, 'value');
      if (type !== 3) associations.sort((a, b) => Number(a.value) - Number(b.value));
    }
  }
}

function actionOf([actionID = '', parameters = '{}']: Data) {
  return { actionID: String(actionID), actionParameters: JSON.parse(String(parameters)) as object as never };
}

/** The first message number of each kind of rule, and the meaning of the message's data. */
const rules = [
  [
    messageNumber.EM_ADDCONDITIONVARIABLERULE,
    'VariableRules',
    ([VariableID, Comparison, Value, Type]: Data) => ({ VariableID, Comparison, Value, Type }),
  ],
  [
    messageNumber.EM_ADDCONDITIONDATERULE,
    'DateRules',
    ([Comparison, Day, Month, Year]: Data) => ({ Comparison, Value: { Day, Month, Year } }),
  ],
  [
    messageNumber.EM_ADDCONDITIONTIMERULE,
    'TimeRules',
    ([Comparison, Hour, Minute, Second]: Data) => ({ Comparison, Value: { Hour, Minute, Second } }),
  ],
  [
    messageNumber.EM_ADDCONDITIONDAYOFTHEWEEKRULE,
    'DayOfTheWeekRules',
    ([Comparison, Value]: Data) => ({ Comparison, Value }),
  ],
] as const;

/** Each kind has three messages: added, removed, changed. */
function applyToConditions(all: NonNullable<MessageState['conditions']>, message: number, data: Data): void {
  const [id, ...rest] = data as [number, ...number[]];
  const found = all.find(({ ID }) => ID === id);
  const what = (message - messageNumber.EM_ADDCONDITION) % 3;
  if ((found === undefined) !== (message === messageNumber.EM_ADDCONDITION))
    throw new Error(`condition ${id}: ${message}`);
  const [first = 0, second = 0] = rest;
  if (message === messageNumber.EM_REMOVECONDITION) return takeOut(all, id, 'ID');
  if (message === messageNumber.EM_ADDCONDITION) return put(all, emptyCondition(id, first, second), 'ID');
  if (message === messageNumber.EM_CHANGECONDITION)
    return put(all, { ...found!, ParentID: first, Operation: second }, 'ID');
  const [, kind, read] = rules.find(([from]) => message >= from && message < from + 3)!;
  const list = found![kind] as { ID: number }[];
  if (list.some(({ ID }) => ID === first) !== (what !== 0)) throw new Error(`rule ${first}: ${message}`);
  if (what === 1) takeOut(list, first, 'ID');
  else put(list, { ID: first, ...read(rest.slice(1)) }, 'ID');
}
