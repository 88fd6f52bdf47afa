import { TEXT_ACTION } from './events.js';
import { SET_ACTION } from './event-runs.js';
import { MISSING, TIME_PASSES, type Choice, type Chooser, type Ref } from '../steps.js';

/** Values of every kind, for variables of every type. */
export const VALUES = [true, false, 0, 1, 3, -2.5, 2.5, 21.5, '3', 'true', 'x', '', null, [1], 2 ** 53];
/** Triggers are never of type string, and events set strings: so no run triggers another one. */
const TRIGGERS = [0, 1, 2];
const TEXT = 3;
const IDS = [0, 1, 2, 5, -1, 1001];
/** Clocks of sequences begin at 22:13:20 UTC. */
const TIMES = [
  [22, 13, 40],
  [22, 14, 30],
  [22, 16, 0],
  [22, 20, 0],
  [0, 0, 0],
  [6, 15, 7],
  [23, 59, 59],
  [24, 0, 0],
  [-1, 0, 0],
];
const DATES = [
  [0, 0, 0],
  [14, 11, 2023],
  [15, 11, 2023],
  [29, 2, 2024],
  [29, 2, 2023],
  [15, 11, 0],
  [1, 1, 2027],
];

/** The steps that make a new event run. */
export function setupSteps(author: Chooser, type: number, id: Ref): readonly Choice[] {
  const { random, cast } = author;
  const planned = random.below(2);
  const when: readonly (readonly Choice[])[] = [
    [
      ['SVC_SetEventTrigger', id, random.below(5), author.exactly('variable', ...TRIGGERS)],
      ['SVC_SetEventTriggerValue', id, random.pick([1, true, '0'])],
      ['SVC_SetEventTriggerSubsequentExecution', id, random.chance(0.5)],
    ],
    [
      ['SVC_SetEventCyclic', id, random.pick([0, 2]), 1, 0, 0, random.pick(cast.timeTypes), 20],
      ['SVC_SetEventCyclicTimeFrom', id, ...random.pick(TIMES)],
    ],
    [
      ['SVC_SetEventScheduleAction', id, planned, 'Day', -1, ''],
      ['SVC_SetEventScheduleGroup', id, 0, 127],
      ['SVC_SetEventScheduleGroupPoint', id, 0, random.below(2), ...random.pick(TIMES), planned],
      ['SVC_SetEventScheduleGroupPoint', id, 0, random.below(2), ...random.pick(TIMES), planned],
    ],
  ];
  const active: readonly Choice[] = cast.active.includes(type) ? [['SVC_SetEventActive', id, true]] : [];
  return [...(when[type] ?? []), ...active];
}

/** The steps that give a new event a condition within another, both about numbers. */
export function conditionSteps(author: Chooser, id: Ref): readonly Choice[] {
  const { random } = author;
  const rule = (condition: number, place: number): Choice => {
    const number = author.exactly('variable', ...TRIGGERS);
    const rule = [id, condition, place, number, random.below(6), random.pick([0, 1, true])];
    return ['SVC_SetEventConditionVariableRule', ...rule];
  };
  const top: readonly Choice[] = [['SVC_SetEventCondition', id, 0, 0, random.below(4)], rule(0, 0)];
  const below: readonly Choice[] = [['SVC_SetEventCondition', id, 1, 0, random.below(4)], rule(1, 0)];
  return [...top, ...(random.chance(0.7) ? below : []), rule(0, 1)];
}

function common(author: Chooser): readonly Choice[] {
  const { random, cast } = author;
  const id = author.ref('event');
  const variable = author.exactly('variable', TEXT);
  const toBeActive = author.exactly('event', ...cast.active);
  return [
    ['SVC_SetEventActive', toBeActive, true],
    ['SVC_SetEventActive', toBeActive, true],
    ['SVC_SetEventActive', id, false],
    ['SVC_SetEventLimit', id, random.pick([0, 0, 1, 2, 3, -1])],
    ['SVC_SetEventScript', id, random.pick(cast.eventTexts)],
    ['SVC_SetEventAction', id, ...action(author)],
    ['SVC_SetEventAction', id, SET_ACTION, { TARGET: variable, VALUE: 'on' }],
  ];
}

/** An action with its parameters, or an invalid one. */
function action({ random }: Chooser): readonly [string, object] {
  const texts = random.pick([{ SCRIPT: '' }, { SCRIPT: '', TARGET: 12_345 }]);
  return random.pick([
    ['', {}],
    [TEXT_ACTION, texts],
    [SET_ACTION, {}],
    ['{nowhere}', {}],
  ]);
}

/** Calls about events with a trigger. */
export function triggerChoices(author: Chooser): readonly Choice[] {
  const { random } = author;
  const id = author.exactly('event', 0);
  const variable = random.chance(0.1) ? 0 : author.exactly('variable', ...TRIGGERS);
  const value = random.pick(VALUES);
  const known = author.exactly('variable', ...TRIGGERS);
  return [
    ...common(author),
    ['SVC_SetEventTrigger', id, random.pick([0, 0, 1, 2, 3, 4]), variable],
    ['SVC_SetEventTrigger', id, random.pick([0, 0, 1, 2, 3, 4]), variable],
    ['SVC_SetEventTrigger', author.ref('event'), random.below(5), variable],
    ['SVC_SetEventTriggerValue', id, value],
    ['SVC_SetEventTriggerSubsequentExecution', id, random.chance(0.5)],
    ...Array<Choice>(12).fill(['SetValue', known, random.pick([value, 0, 1, '3', true])]),
    ['SVC_DeleteVariable', random.chance(0.2) ? known : MISSING],
  ];
}

/** Calls about cyclic events. */
export function cyclicChoices(author: Chooser): readonly Choice[] {
  const { random, cast } = author;
  const id = random.chance(0.1) ? author.ref('event') : author.exactly('event', 1);
  const [date, time] = [random.below(6), random.pick(cast.timeTypes)];
  const which = [1 + random.below(12), random.below(128), 1 + random.below(5)];
  const every = time === 1 ? random.pick([20, 45, 3600]) : random.below(5);
  return [
    ...common(author),
    ['SVC_SetEventCyclic', id, date, ...which, time, every],
    ['SVC_SetEventCyclic', id, date, random.below(14), 0, random.below(33), time, every],
    ['SVC_SetEventCyclic', id, 0, 0, 0, 0, time, every],
    ['SVC_SetEventCyclicDateFrom', id, ...random.pick(DATES)],
    ['SVC_SetEventCyclicDateTo', id, ...random.pick(DATES)],
    ['SVC_SetEventCyclicTimeFrom', id, ...random.pick(TIMES)],
    ['SVC_SetEventCyclicTimeFrom', id, ...random.pick(TIMES)],
    ['SVC_SetEventCyclicTimeTo', id, ...random.pick(TIMES)],
    ...Array<Choice>(6).fill([TIME_PASSES, random.pick([20, 61])]),
  ];
}

/** Calls about schedules. */
export function scheduleChoices(author: Chooser): readonly Choice[] {
  const { random, cast } = author;
  const id = random.chance(0.1) ? author.ref('event') : author.exactly('event', 2);
  const some = () => random.pick(random.chance(0.9) ? [0, 1] : IDS);
  const planned = [some(), random.pick(['Day', 'Night', '']), random.pick([-1, 0, 0xff00, 2 ** 24])];
  const days = random.pick([127, 31, 96, 2, 1, 0]);
  const target = { TARGET: author.exactly('variable', TEXT), VALUE: 'on' };
  return [
    ...common(author),
    ['SVC_SetEventScheduleAction', id, ...planned, random.pick(cast.eventTexts)],
    ['SVC_SetEventScheduleActionEx', id, ...planned, ...action(author)],
    ['SVC_SetEventScheduleActionEx', id, ...planned, SET_ACTION, target],
    ['SVC_SetEventScheduleGroup', id, some(), days],
    ['SVC_SetEventScheduleGroup', id, some(), days],
    ['SVC_SetEventScheduleGroupPoint', id, some(), some(), ...random.pick(TIMES), some()],
    ['SVC_SetEventScheduleGroupPoint', id, some(), some(), ...random.pick(TIMES), some()],
    ['SVC_SetEventScheduleGroupPoint', id, some(), some(), ...random.pick(TIMES), some()],
    ...Array<Choice>(5).fill([TIME_PASSES, random.pick([20, 61])]),
  ];
}

/** Calls about conditions; events with a trigger for any update evaluate them most often. */
export function conditionChoices(author: Chooser): readonly Choice[] {
  const { random } = author;
  const id = random.chance(0.1) ? author.ref('event') : author.exactly('event', 0, 1, 2);
  const some = () => random.pick(random.chance(0.95) ? [0, 1, 2] : IDS);
  const number = author.exactly('variable', ...TRIGGERS);
  const variable = random.pick([number, number, author.exactly('variable', TEXT), 0]);
  const [condition, how] = [some(), random.below(6)];
  const parent = random.chance(0.5) ? condition : some();
  const place = [id, condition, some()];
  const value = random.pick([0, 1, 1, '3', true, ...VALUES]);
  const sets: Choice = ['SetValue', number, random.pick([0, 1, 1, '3', true])];
  const follows: Choice = ['SVC_SetEventTrigger', author.exactly('event', 0), 0, number];
  return [
    ['SVC_SetEventCondition', id, condition, parent, random.below(4)],
    ['SVC_SetEventCondition', id, condition, parent, random.below(4)],
    ['SVC_SetEventCondition', id, condition, random.chance(0.4) ? -1 : condition, random.below(4)],
    ['SVC_SetEventConditionVariableRule', ...place, variable, how, value],
    ['SVC_SetEventConditionVariableStaticRule', ...place, number, how, value],
    ['SVC_SetEventConditionVariableDynamicRule', ...place, variable, how, author.ref('variable')],
    ['SVC_SetEventConditionDateRule', ...place, how, ...random.pick(DATES)],
    ['SVC_SetEventConditionTimeRule', ...place, how, ...random.pick(TIMES)],
    ['SVC_SetEventConditionDayOfTheWeekRule', ...place, how, random.below(9)],
    follows,
    ['SVC_SetEventActive', author.exactly('event', ...author.cast.active), true],
    ...Array<Choice>(8).fill(sets),
  ];
}
