import { messageNumber } from './message-numbers.js';
type Data = readonly unknown[];
type Own = Record<string, unknown>;
interface Listed {
  id: unknown;
  points: Listed[];
}

/** The assumed defaults of a new event of each type (interface §3.3). */
const defaults = (type: unknown): Own => {
  if (type === 0)
    return { triggerType: 1, triggerVariableID: 0, triggerValue: '', triggerSubsequentExecution: true };
  if (type === 2) return { scheduleActions: [], scheduleGroups: [] };
  return {
    cyclicDateType: 0,
    cyclicDateValue: 0,
    cyclicDateDay: 0,
    cyclicDateDayValue: 0,
    cyclicDateFrom: date([0, 0, 0]),
    cyclicDateTo: date([0, 0, 0]),
    cyclicTimeType: 0,
    cyclicTimeValue: 0,
    cyclicTimeFrom: time([0, 0, 0]),
    cyclicTimeTo: time([0, 0, 0]),
  };
};

const date = ([day, month, year]: Data) => ({ day, month, year });
const time = ([hour, minute, second]: Data) => ({ hour, minute, second });

/** Messages that set a member. */
const setters: Readonly<Record<number, (data: Data) => Own>> = {
  [messageNumber.EM_CREATE]: ([type]) => ({ type, ...defaults(type) }),
  [messageNumber.EM_UPDATE]: ([lastRun, nextRun]) => ({ lastRun, nextRun }),
  [messageNumber.EM_CHANGEACTIVE]: ([active]) => ({ active }),
  [messageNumber.EM_CHANGELIMIT]: ([limit]) => ({ limit }),
  // An action and its parameters are two messages: then there is no script.
  [messageNumber.EM_CHANGEACTION]: (data) => ({ script: data.length === 1 ? data[0] : '' }),
  [messageNumber.EM_CHANGETRIGGER]: ([triggerType, triggerVariableID]) => ({
    triggerType,
    triggerVariableID,
  }),
  [messageNumber.EM_CHANGETRIGGERVALUE]: ([triggerValue]) => ({ triggerValue }),
  [messageNumber.EM_CHANGETRIGGEREXECUTION]: ([triggerSubsequentExecution]) => ({
    triggerSubsequentExecution,
  }),
  [messageNumber.EM_CHANGECYCLIC]: (data) => ({
    cyclicDateType: data[0],
    cyclicDateValue: data[1],
    cyclicDateDay: data[2],
    cyclicDateDayValue: data[3],
    cyclicTimeType: data[4],
    cyclicTimeValue: data[5],
  }),
  [messageNumber.EM_CHANGECYCLICDATEFROM]: (data) => ({ cyclicDateFrom: date(data) }),
  [messageNumber.EM_CHANGECYCLICDATETO]: (data) => ({ cyclicDateTo: date(data) }),
  [messageNumber.EM_CHANGECYCLICTIMEFROM]: (data) => ({ cyclicTimeFrom: time(data) }),
  [messageNumber.EM_CHANGECYCLICTIMETO]: (data) => ({ cyclicTimeTo: time(data) }),
};

/** Applies an event's message like a client; conditions are in no snapshot. */
export function applyToEvent(own: Own, message: number, data: Data): void {
  const set = setters[message];
  if (set !== undefined) return void Object.assign(own, set(data));
  const [first, second] = data;
  const actions = own['scheduleActions'] as Listed[] | undefined;
  const groups = own['scheduleGroups'] as Listed[] | undefined;
  if (actions === undefined || groups === undefined) return;
  if (message >= messageNumber.EM_ADDSCHEDULEACTION && message <= messageNumber.EM_CHANGESCHEDULEACTION)
    change(actions, message - messageNumber.EM_ADDSCHEDULEACTION, {
      id: first,
      name: second,
      color: data[2],
      scriptText: data[3],
    });
  if (message >= messageNumber.EM_ADDSCHEDULEGROUP && message <= messageNumber.EM_CHANGESCHEDULEGROUP) {
    const { points } = groups.find(({ id }) => id === first) ?? { points: [] };
    change(groups, message - messageNumber.EM_ADDSCHEDULEGROUP, { id: first, days: second, points });
  }
  if (
    message >= messageNumber.EM_ADDSCHEDULEGROUPPOINT &&
    message <= messageNumber.EM_CHANGESCHEDULEGROUPPOINT
  ) {
    const group = groups.find(({ id }) => id === first);
    if (group === undefined) throw new Error(`a point of a missing group: ${String(first)}`);
    const start = time(data.slice(2));
    change(group.points, message - messageNumber.EM_ADDSCHEDULEGROUPPOINT, {
      id: second,
      start,
      actionID: data[5],
    });
  }
}

/** 0: an entry is added, 1: removed, 2: changed. */
function change(list: object[], what: number, entry: Own): void {
  const at = list.findIndex((one) => (one as Listed).id === entry['id']);
  if (at < 0 !== (what === 0)) throw new Error(`entry ${String(entry['id'])}: ${what}`);
  if (what === 0) list.push(entry);
  else list.splice(at, 1, ...(what === 1 ? [] : [entry]));
}
