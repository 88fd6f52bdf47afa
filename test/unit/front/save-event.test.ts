import t from 'tap';
import type { EventRecord } from '../../../src/client/generated/records.js';
import { type Caller, saveEvent, sharesDays } from '../../../src/front/console/events/save-event.js';

type Group = EventRecord['ScheduleGroups'][number];

const group = (ID: number, Days: number, ...hours: number[]): Group => ({
  ID,
  Days,
  Points: hours.map((Hour, at) => ({ ID: at + 1, Start: { Hour, Minute: 0, Second: 0 }, ActionID: 1 })),
});

const planOf = (ScheduleGroups: Group[]): EventRecord => ({
  EventID: 1,
  EventType: 2,
  EventActive: true,
  EventLimit: 0,
  EventScript: '',
  EventActionID: '',
  EventActionParameters: {},
  EventConditions: [],
  LastRun: 0,
  NextRun: 0,
  LastActionID: 0,
  TriggerType: 0,
  TriggerVariableID: 0,
  TriggerValue: '',
  TriggerSubsequentExecution: false,
  CyclicDateType: 0,
  CyclicDateValue: 0,
  CyclicDateDay: 0,
  CyclicDateDayValue: 0,
  CyclicDateFrom: { Day: 0, Month: 0, Year: 0 },
  CyclicDateTo: { Day: 0, Month: 0, Year: 0 },
  CyclicTimeType: 0,
  CyclicTimeValue: 0,
  CyclicTimeFrom: { Hour: 0, Minute: 0, Second: 0 },
  CyclicTimeTo: { Hour: 0, Minute: 0, Second: 0 },
  ScheduleActions: [],
  ScheduleGroups,
});

/** A gateway with the groups of one plan: as the real one, it rejects a day that another group has. */
class PlanGateway {
  readonly groups = new Map<number, Group>();
  isActive = true;

  constructor(groups: readonly Group[]) {
    for (const one of groups) this.groups.set(one.ID, structuredClone(one));
  }

  readonly call = (async (method: string, ...params: number[]) => {
    const [, id = 0, third = 0, hour = 0, minute = 0, second = 0, action = 0] = params;
    if (method === 'SVC_SetEventActive') this.isActive = Boolean(params[1]);
    const known = this.groups.get(id);
    if (method === 'SVC_SetEventScheduleGroup') {
      const others = [...this.groups.values()].filter(({ ID }) => ID !== id);
      if (others.some(({ Days }) => (Days & third) !== 0)) throw new Error('GROUP_THESE_DAYS_ALREADY');
      if (third === 0) this.groups.delete(id);
      else this.groups.set(id, { ID: id, Days: third, Points: known?.Points ?? [] });
    }
    if (method === 'SVC_SetEventScheduleGroupPoint' && known !== undefined) {
      const points = known.Points.filter(({ ID }) => ID !== third);
      const Start = { Hour: hour, Minute: minute, Second: second };
      if (hour >= 0) points.push({ ID: third, Start, ActionID: action });
      this.groups.set(id, { ...known, Points: points });
    }
    return true;
  }) as Caller['call'];
}

for (const [name, before, after] of [
  ['to an earlier group', [group(1, 1, 6), group(2, 6, 7)], [group(1, 3, 6), group(2, 4, 7)]],
  ['to a later group', [group(1, 3, 6), group(2, 4, 7)], [group(1, 1, 6), group(2, 6, 7)]],
  ['between groups that swap them', [group(1, 1, 6), group(2, 2, 7)], [group(1, 2, 6, 8), group(2, 1, 7)]],
  ['from a removed group to a new one', [group(1, 1, 6), group(2, 2, 7)], [group(1, 1, 6), group(3, 2, 9)]],
] as const)
  t.test(`days of a weekly plan move ${name}`, async (t) => {
    const gateway = new PlanGateway(before);
    await saveEvent(gateway, planOf([...before]), planOf([...after]));
    const groups = [...gateway.groups.values()].sort((a, b) => a.ID - b.ID);
    t.strictSame(groups, after);
    t.ok(gateway.isActive);
  });

t.test('a day that is in two groups is found', async (t) => {
  t.notOk(sharesDays([group(1, 3), group(2, 4)]));
  t.ok(sharesDays([group(1, 3), group(2, 4), group(3, 6)]));
});
