import { isDeepStrictEqual } from 'node:util';
import { Replica, type Frame } from '../../tools/client/replica.js';
import { put, takeOut } from './value-checks.js';
import { emptyCondition, type SnapshotProfile, type Snapshot, type MessageState } from './snapshot-types.js';

type Data = readonly unknown[];

/**
 * A client that only follows the messages: the tree as a snapshot shows it, the profiles, and what no snapshot shows. What
 * a message says of the past must be what it knows.
 */
export class MessageFollower {
  readonly told: Map<number, MessageState>;
  readonly #replica: Replica;
  readonly #profiles: Map<string, SnapshotProfile>;

  /** `told`: what messages had said before. */
  constructor({ objects, profiles }: Snapshot, messages: ReadonlyMap<number, MessageState> = new Map()) {
    this.#replica = new Replica(objects);
    this.#profiles = new Map(Object.entries(structuredClone(profiles)));
    this.told = structuredClone(new Map(messages));
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
    if (message === 10402) this.told.delete(id);
    if (message === 10506) this.told.set(id, { configuration: JSON.parse(String(data[0])) as unknown });
    if (message === 10705) this.told.set(id, { crc: String(data[0]) });
    if (message === 10801)
      this.told.set(id, { action: { actionID: '', actionParameters: {} }, conditions: [], planned: {} });
    const messages = this.told.get(id) ?? {};
    if (message === 10806) messages.action = actionOf(data[1] === undefined ? [] : data);
    if (message === 10815 || message === 10817)
      messages.planned![data[0] as number] = actionOf(data.slice(4));
    if (message === 10816) delete messages.planned![data[0] as number];
    if (message >= 10824 && message <= 10838) applyToConditions(messages.conditions!, message, data);
    if (message >= 11301 && message <= 11309) this.#applyToProfiles(message, data);
  }

  #check({ SenderID: id, Message: message, Data: data }: Frame): void {
    const entry = this.#replica.objects.get(id);
    const known =
      message === 10603
        ? [entry?.data['value'], entry?.data['lastUpdate'], entry?.data['lastChange']]
        : message === 10504
          ? [entry?.data['connectionID']]
          : message === 10402
            ? [entry?.type]
            : undefined;
    const given = message === 10603 ? [data[2], data[4], data[5]] : data.slice(0, 1);
    if (known !== undefined && !isDeepStrictEqual(known, given))
      throw new Error(
        `message ${message} of ${id} says ${JSON.stringify(given)}, not ${JSON.stringify(known)}`,
      );
  }

  #applyToProfiles(message: number, data: Data): void {
    const [name, ...to] = data as [string, ...never[]];
    const [first, second, third, fourth] = to as [never, never, never, never];
    if (message === 11302) return void this.#profiles.delete(name);
    if (message === 11301) {
      const texts = { icon: '', prefix: '', suffix: '' };
      const numbers = { minValue: 0, maxValue: 0, stepSize: 0, digits: 0 };
      this.#profiles.set(name, { type: first, ...texts, ...numbers, readOnly: false, associations: [] });
    }
    const profile = this.#profiles.get(name);
    if (profile === undefined) throw new Error(`message ${message} of a profile that is not there: ${name}`);
    const { associations, type } = profile;
    if (message === 11303) Object.assign(profile, { prefix: first, suffix: second });
    if (message === 11304) Object.assign(profile, { minValue: first, maxValue: second, stepSize: third });
    if (message === 11305) profile.digits = first;
    if (message === 11306) profile.icon = first;
    if (message === 11308) takeOut(associations, first, 'value');
    if (message === 11307 || message === 11309) {
      if (associations.some(({ value }) => value === first) !== (message === 11309))
        throw new Error(`association ${String(first)} of ${name}: ${message}`);
      put(associations, { value: first, name: second, icon: third, color: fourth }, 'value');
      if (type !== 3) associations.sort((a, b) => Number(a.value) - Number(b.value));
    }
  }
}

function actionOf([actionID = '', parameters = '{}']: Data) {
  return { actionID: String(actionID), actionParameters: JSON.parse(String(parameters)) as object as never };
}

/** From which message on what kinds of rules are told, and what the rest of the message says. */
const rules = [
  [
    10827,
    'VariableRules',
    ([VariableID, Comparison, Value, Type]: Data) => ({ VariableID, Comparison, Value, Type }),
  ],
  [
    10830,
    'DateRules',
    ([Comparison, Day, Month, Year]: Data) => ({ Comparison, Value: { Day, Month, Year } }),
  ],
  [
    10833,
    'TimeRules',
    ([Comparison, Hour, Minute, Second]: Data) => ({ Comparison, Value: { Hour, Minute, Second } }),
  ],
  [10836, 'DayOfTheWeekRules', ([Comparison, Value]: Data) => ({ Comparison, Value })],
] as const;

/** Each kind has three messages: added, removed, changed. */
function applyToConditions(all: NonNullable<MessageState['conditions']>, message: number, data: Data): void {
  const [id, ...rest] = data as [number, ...number[]];
  const found = all.find(({ ID }) => ID === id);
  const what = (message - 10824) % 3;
  if ((found === undefined) !== (message === 10824)) throw new Error(`condition ${id}: ${message}`);
  const [first = 0, second = 0] = rest;
  if (message === 10825) return takeOut(all, id, 'ID');
  if (message === 10824) return put(all, emptyCondition(id, first, second), 'ID');
  if (message === 10826) return put(all, { ...found!, ParentID: first, Operation: second }, 'ID');
  const [, kind, read] = rules.find(([from]) => message >= from && message < from + 3)!;
  const list = found![kind] as { ID: number }[];
  if (list.some(({ ID }) => ID === first) !== (what !== 0)) throw new Error(`rule ${first}: ${message}`);
  if (what === 1) takeOut(list, first, 'ID');
  else put(list, { ID: first, ...read(rest.slice(1)) }, 'ID');
}
