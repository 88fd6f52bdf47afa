import { declare, int, type FunctionDeclaration } from '../../device/declare.js';
import {
  cyclicDate,
  cyclicTime,
  eventType,
  type Cyclic,
  type EventDate,
  type EventTime,
} from '../../kernel/events/event-data.js';
import type { Event } from '../../kernel/events/events.js';
import { objectType } from '../../kernel/object.js';
import { checkBounds } from '../argument-checks.js';
import { cyclicDates, cyclicTimes } from '../enumerations.js';
import type { Ports } from '../ports.js';

/** Ident and name of the event that `SVC_SetScriptTimer` creates below a script. */
const SCRIPT_TIMER = 'ScriptTimer';
const DAY_S = 86_400;
/** Unit of the repetition by time type, s; 0 for once a day. */
const UNIT_S = [0, 1, 60, 3600] as const;
/** Maximum interval in days, weeks or months. */
const INTERVAL_LIMIT = 10_000;

/** Times of cyclic events, and timers of scripts (interface §9). */
export function cyclicTimeFunctions(ports: Ports): FunctionDeclaration[] {
  return [cyclic(ports), ...dates(ports), ...times(ports), ...scriptTimers(ports)];
}

function cyclic({ kernel }: Ports): FunctionDeclaration {
  return declare({
    name: 'SVC_SetEventCyclic',
    parameters: [
      int('EventID'),
      int('DateType', cyclicDates),
      int('DateValue'),
      int('DateDay'),
      int('DateDayValue'),
      int('TimeType', cyclicTimes),
      int('TimeValue'),
    ],
    result: 'boolean',
    audited: true,
    help: 'Sets on which days a cyclic event runs, and how often on each day.',
    run: (_caller, id, ...[dateType, dateValue, dateDay, dateDayValue, timeType, timeValue]) => {
      const pattern = { dateType, dateValue, dateDay, dateDayValue, timeType, timeValue };
      checkPattern(pattern);
      kernel.events.setCyclic(id, pattern);
      return true;
    },
  });
}

/** Throws `PARAMETER_BOUNDS` for a pattern that no calendar has. */
function checkPattern(pattern: Omit<Cyclic, 'dateFrom' | 'dateTo' | 'timeFrom' | 'timeTo'>): void {
  const { dateType, dateValue, dateDay, dateDayValue, timeType, timeValue } = pattern;
  const isYearly = dateType === cyclicDate.year;
  checkBounds('DateValue', dateValue, isYearly ? [1, 12] : [0, INTERVAL_LIMIT]);
  checkBounds('DateDay', dateDay, [dateType === cyclicDate.week ? 1 : 0, 127]);
  if (isYearly || dateType === cyclicDate.month)
    checkBounds('DateDayValue', dateDayValue, dateDay === 0 ? [1, 31] : [1, 5]);
  else checkBounds('DateDayValue', dateDayValue, [0, 31]);
  checkBounds('TimeValue', timeValue, [timeType === cyclicTime.once ? 0 : 1, DAY_S]);
}

function dates({ kernel }: Ports): FunctionDeclaration[] {
  return (
    [
      ['SVC_SetEventCyclicDateFrom', 'dateFrom', 'first day'],
      ['SVC_SetEventCyclicDateTo', 'dateTo', 'last day'],
    ] as const
  ).map(([name, key, what]) =>
    declare({
      name,
      parameters: [int('EventID'), int('Day'), int('Month'), int('Year')],
      result: 'boolean',
      audited: true,
      help: `Sets the ${what} on which a cyclic event runs; all 0: no limit.`,
      run: (_caller, id, day, month, year) => {
        const date = { day, month, year };
        if (day !== 0 || month !== 0 || year !== 0) checkDate(date);
        kernel.events.setCyclic(id, { [key]: date });
        return true;
      },
    }),
  );
}

/** Throws `PARAMETER_BOUNDS` for an invalid date. */
export function checkDate({ day, month, year }: EventDate): void {
  checkBounds('Year', year, [1970, 9999]);
  checkBounds('Month', month, [1, 12]);
  checkBounds('Day', day, [1, new Date(Date.UTC(year, month, 0)).getUTCDate()]);
}

function times({ kernel }: Ports): FunctionDeclaration[] {
  return (
    [
      [
        'SVC_SetEventCyclicTimeFrom',
        'timeFrom',
        'Sets the time at which a cyclic event runs, or first runs on a day.',
      ],
      [
        'SVC_SetEventCyclicTimeTo',
        'timeTo',
        'Sets the time until which a cyclic event runs on a day; all 0: until midnight.',
      ],
    ] as const
  ).map(([name, key, help]) =>
    declare({
      name,
      parameters: [int('EventID'), int('Hour'), int('Minute'), int('Second')],
      result: 'boolean',
      audited: true,
      help,
      run: (_caller, id, hour, minute, second) => {
        const time = { hour, minute, second };
        checkTime(time);
        kernel.events.setCyclic(id, { [key]: time });
        return true;
      },
    }),
  );
}

/**
 * Throws `PARAMETER_BOUNDS` for an invalid time of day; `prefix` precedes the parameter names in the message.
 */
export function checkTime(
  { hour, minute, second }: { hour: number; minute: number; second: number },
  prefix = '',
): void {
  checkBounds(`${prefix}Hour`, hour, [0, 23]);
  checkBounds(`${prefix}Minute`, minute, [0, 59]);
  checkBounds(`${prefix}Second`, second, [0, 59]);
}

function scriptTimers({ kernel, clock, events }: Ports): FunctionDeclaration[] {
  const ScriptID = int('ScriptID');
  const timerOf = (id: number) => {
    const timer = kernel.scripts.get(id).children?.byIdent(SCRIPT_TIMER);
    return timer?.is(objectType.event) && timer.data.type === eventType.cyclic ? timer : undefined;
  };
  return [
    declare({
      name: 'SVC_GetScriptTimer',
      parameters: [ScriptID],
      result: 'integer',
      help: 'The interval of the timer of a script, in seconds; 0: it has no timer.',
      run: (_caller, id) => secondsOf(timerOf(id)),
    }),
    declare({
      name: 'SVC_SetScriptTimer',
      parameters: [ScriptID, int('Interval')],
      result: 'boolean',
      audited: true,
      help: 'Sets the interval at which a script runs, in seconds, with a cyclic event ScriptTimer below it; 0 deletes the event.',
      run: async (_caller, id, interval) => {
        checkBounds('Interval', interval, [0, DAY_S]);
        kernel.scripts.get(id);
        await events();
        const timer = timerOf(id);
        if (interval === 0) {
          if (timer !== undefined) kernel.tree.delete(timer);
          return true;
        }
        const place = { parent: kernel.scripts.get(id), name: SCRIPT_TIMER, ident: SCRIPT_TIMER };
        const event = timer ?? kernel.events.create(eventType.cyclic, clock.nowMs(), place);
        const repeat = { timeType: cyclicTime.second, timeValue: interval };
        kernel.events.setCyclic(event.id, { ...repeat, ...allDayFrom(clock.nowMs()) });
        kernel.events.set(event, { active: true });
        return true;
      },
    }),
  ];
}

/** A full day from this second on, so that the first run is a complete interval away, also past midnight. */
function allDayFrom(nowMs: number): Pick<Cyclic, 'timeFrom' | 'timeTo'> {
  const now = new Date(nowMs);
  const second = (now.getHours() * 60 + now.getMinutes()) * 60 + now.getSeconds();
  return { timeFrom: timeOf(second), timeTo: timeOf((second + DAY_S - 1) % DAY_S) };
}

function timeOf(second: number): EventTime {
  return { hour: Math.floor(second / 3600), minute: Math.floor(second / 60) % 60, second: second % 60 };
}

/** The interval of an event; 0 if it is inactive or runs once a day. */
function secondsOf(event: Event | undefined): number {
  const { active = false, cyclic: pattern } = event?.data ?? {};
  if (!active || pattern === undefined) return 0;
  return pattern.timeValue * (UNIT_S[pattern.timeType] ?? 0);
}
