import { Type, type Static, type TProperties } from '@sinclair/typebox';

/** An object without other keys. */
export const strict = <P extends TProperties>(properties: P) =>
  Type.Object(properties, { additionalProperties: false });

/** A non-empty text. */
export const text = Type.String({ minLength: 1 });
export const optional = Type.Optional;

/** One of these words. */
export const oneOf = <const W extends readonly string[]>(all: W) =>
  Type.Union(all.map((word) => Type.Literal(word as W[number])));
export const scalar = Type.Union([Type.Boolean(), Type.Number(), Type.String()]);

/** −1 means no colour (interface §2.1). */
export const color = Type.Union([
  Type.Integer({ minimum: -1, maximum: 0xff_ff_ff }),
  Type.String({ pattern: '^#[0-9a-fA-F]{6}$' }),
]);

/** Converts a colour of the configuration to the interface's number. */
export const parseColor = (given: number | string): number =>
  typeof given === 'string' ? Number.parseInt(given.slice(1), 16) : given;

/** The names of trigger types; the index is the interface's number. */
export const triggerNames = ['update', 'change', 'above', 'below', 'value'] as const;

/** The days of the week; the index is the bit in the interface's masks. */
export const weekDays = [
  'monday',
  'tuesday',
  'wednesday',
  'thursday',
  'friday',
  'saturday',
  'sunday',
] as const;

/** Comparison operators of condition rules; the index is the interface's number. */
export const comparisons = ['equal', 'notEqual', 'above', 'atLeast', 'below', 'atMost'] as const;
/** Operators that combine the parts of a condition; the index is the interface's number. */
export const operations = ['all', 'any', 'notAll', 'none'] as const;

/** The limit of an event's own script text, characters; use a script object for longer ones. */
const EVENT_SCRIPT_LIMIT = 65_536;
/** The largest number of a schedule's action, group or point in the interface. */
const MAX_ENTRIES = 1000;

const days = Type.Array(oneOf(weekDays), { minItems: 1, maxItems: 7 });
const script = Type.String({ maxLength: EVENT_SCRIPT_LIMIT });
const count = (maximum: number) => Type.Integer({ minimum: 1, maximum });

/** The action of an event or a schedule point; objects are given by ident path. */
const action = strict({
  name: text,
  target: optional(text),
  value: optional(scalar),
  script: optional(script),
  parent: optional(text),
  environment: optional(text),
});

/** A rule, or several with an operator; `event-check.ts` checks which keys go together. */
const condition = Type.Recursive(
  (This) =>
    strict({
      variable: optional(text),
      than: optional(text),
      date: optional(text),
      time: optional(text),
      weekday: optional(oneOf(weekDays)),
      is: optional(oneOf(comparisons)),
      value: optional(scalar),
      all: optional(Type.Array(This)),
      any: optional(Type.Array(This)),
      notAll: optional(Type.Array(This)),
      none: optional(Type.Array(This)),
    }),
  { $id: 'condition' },
);

const cyclic = strict({
  at: optional(text),
  everyS: optional(count(86_400)),
  everyMin: optional(count(86_400)),
  everyH: optional(count(86_400)),
  from: optional(text),
  to: optional(text),
  days: optional(days),
  date: optional(text),
  everyDays: optional(count(10_000)),
  everyWeeks: optional(count(10_000)),
  everyMonths: optional(count(10_000)),
  month: optional(count(12)),
  dayOfMonth: optional(count(31)),
  nth: optional(count(5)),
  firstDay: optional(text),
  lastDay: optional(text),
});

const schedule = strict({
  actions: Type.Array(
    strict({
      name: text,
      id: optional(Type.Integer({ minimum: 0, maximum: MAX_ENTRIES })),
      color: optional(color),
      script: optional(script),
      action: optional(action),
    }),
    { maxItems: MAX_ENTRIES },
  ),
  groups: Type.Array(
    strict({
      days,
      points: Type.Array(strict({ at: text, action: Type.Union([text, Type.Integer()]) }), {
        maxItems: MAX_ENTRIES,
      }),
    }),
    { maxItems: 7 },
  ),
});

/** The keys of an event in `tree`, apart from name and attributes. */
export const eventKeys = {
  trigger: optional(
    strict({
      variable: Type.String(),
      on: oneOf(triggerNames),
      value: optional(scalar),
      subsequent: optional(Type.Boolean()),
    }),
  ),
  cyclic: optional(cyclic),
  schedule: optional(schedule),
  conditions: optional(Type.Array(condition, { maxItems: MAX_ENTRIES })),
  limit: optional(Type.Integer({ minimum: 0 })),
  script: optional(script),
  action: optional(action),
  active: optional(Type.Boolean()),
};

export type ActionConfig = Static<typeof action>;
export type ConditionConfig = Static<typeof condition>;
export type CyclicConfig = Static<typeof cyclic>;
export type ScheduleConfig = Static<typeof schedule>;
