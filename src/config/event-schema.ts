import { Type, type Static, type TProperties } from '@sinclair/typebox';

/** An object that takes no other keys. */
export const strict = <P extends TProperties>(properties: P) =>
  Type.Object(properties, { additionalProperties: false });

/** A text that is not empty. */
export const text = Type.String({ minLength: 1 });
export const maybe = Type.Optional;

/** One of these words. */
export const words = <const W extends readonly string[]>(all: W) =>
  Type.Union(all.map((word) => Type.Literal(word as W[number])));
export const scalar = Type.Union([Type.Boolean(), Type.Number(), Type.String()]);

/** −1 is no colour (interface §2.1). */
export const color = Type.Union([
  Type.Integer({ minimum: -1, maximum: 0xff_ff_ff }),
  Type.String({ pattern: '^#[0-9a-fA-F]{6}$' }),
]);

/** The days of the week; the index is their place in the interface's masks. */
export const weekDays = [
  'monday',
  'tuesday',
  'wednesday',
  'thursday',
  'friday',
  'saturday',
  'sunday',
] as const;

/** How a rule of a condition compares; the index is the interface's number. */
export const comparisons = ['equal', 'notEqual', 'above', 'atLeast', 'below', 'atMost'] as const;
/** How the parts of a condition are combined; the index is the interface's number. */
export const operations = ['all', 'any', 'notAll', 'none'] as const;

/** The limit of an event's own script text, in characters: a longer one is a script of the tree. */
export const EVENT_SCRIPT_LIMIT = 65_536;
/** Schedule actions, groups and points are numbered within the interface up to this. */
const MOST_ENTRIES = 1000;

const days = Type.Array(words(weekDays), { minItems: 1, maxItems: 7 });
const script = Type.String({ maxLength: EVENT_SCRIPT_LIMIT });
const count = (maximum: number) => Type.Integer({ minimum: 1, maximum });

/** What an event or a point of a schedule carries out; the objects are given by ident paths. */
const action = strict({
  name: text,
  target: maybe(text),
  value: maybe(scalar),
  script: maybe(script),
  parent: maybe(text),
  environment: maybe(text),
});

/** A rule, or several with the operation that combines them; which keys go together is checked in `event-check.ts`. */
const condition = Type.Recursive(
  (This) =>
    strict({
      variable: maybe(text),
      than: maybe(text),
      date: maybe(text),
      time: maybe(text),
      weekday: maybe(words(weekDays)),
      is: maybe(words(comparisons)),
      value: maybe(scalar),
      all: maybe(Type.Array(This)),
      any: maybe(Type.Array(This)),
      notAll: maybe(Type.Array(This)),
      none: maybe(Type.Array(This)),
    }),
  { $id: 'condition' },
);

const cyclic = strict({
  at: maybe(text),
  everyS: maybe(count(86_400)),
  everyMin: maybe(count(86_400)),
  everyH: maybe(count(86_400)),
  from: maybe(text),
  to: maybe(text),
  days: maybe(days),
  date: maybe(text),
  everyDays: maybe(count(10_000)),
  everyWeeks: maybe(count(10_000)),
  everyMonths: maybe(count(10_000)),
  month: maybe(count(12)),
  dayOfMonth: maybe(count(31)),
  nth: maybe(count(5)),
  firstDay: maybe(text),
  lastDay: maybe(text),
});

const schedule = strict({
  actions: Type.Array(
    strict({
      name: text,
      id: maybe(Type.Integer({ minimum: 0, maximum: MOST_ENTRIES })),
      color: maybe(color),
      script: maybe(script),
      action: maybe(action),
    }),
    { maxItems: MOST_ENTRIES },
  ),
  groups: Type.Array(
    strict({
      days,
      points: Type.Array(strict({ at: text, action: Type.Union([text, Type.Integer()]) }), {
        maxItems: MOST_ENTRIES,
      }),
    }),
    { maxItems: 7 },
  ),
});

/** What an event of `tree` has besides its name and its place. */
export const eventKeys = {
  trigger: maybe(
    strict({
      variable: Type.String(),
      on: words(['update', 'change', 'above', 'below', 'value']),
      value: maybe(scalar),
      subsequent: maybe(Type.Boolean()),
    }),
  ),
  cyclic: maybe(cyclic),
  schedule: maybe(schedule),
  conditions: maybe(Type.Array(condition, { maxItems: MOST_ENTRIES })),
  limit: maybe(Type.Integer({ minimum: 0 })),
  script: maybe(script),
  action: maybe(action),
  active: maybe(Type.Boolean()),
};

export type ActionConfig = Static<typeof action>;
export type ConditionConfig = Static<typeof condition>;
export type CyclicConfig = Static<typeof cyclic>;
export type ScheduleConfig = Static<typeof schedule>;
