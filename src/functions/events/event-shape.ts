import { Type, type TSchema } from '@sinclair/typebox';
import { eventOutcomes, eventStates } from '../../base/codes/stable-codes.js';
import { codedText, int, listOf, named, record, value } from '../shapes.js';

const bool = Type.Boolean();
const text = Type.String();
/** Unix seconds; 0 means never. */
const time = Type.Integer({ minimum: 0 });
const date = Type.Object({ Day: int, Month: int, Year: int });
const timeOfDay = Type.Object({ Hour: int, Minute: int, Second: int });
const rulesOf = <S extends TSchema>(of: S) => listOf(Type.Object({ ID: int, Comparison: int, Value: of }));

/** The result of `SVC_GetEvent` (interface §2.1). */
export const eventShape = Type.Object(
  {
    EventID: int,
    EventType: int,
    EventActive: bool,
    EventLimit: int,
    EventScript: text,
    EventActionID: text,
    EventActionParameters: record,
    EventConditions: listOf(
      Type.Object({
        ID: int,
        ParentID: int,
        Operation: int,
        VariableRules: listOf(
          Type.Object({ ID: int, VariableID: int, Comparison: int, Value: value, Type: int }),
        ),
        DateRules: rulesOf(date),
        TimeRules: rulesOf(timeOfDay),
        DayOfTheWeekRules: rulesOf(int),
      }),
    ),
    LastRun: time,
    NextRun: time,
    LastActionID: int,
    CyclicDateType: int,
    CyclicDateValue: int,
    CyclicDateDay: int,
    CyclicDateDayValue: int,
    CyclicDateFrom: date,
    CyclicDateTo: date,
    CyclicTimeType: int,
    CyclicTimeValue: int,
    CyclicTimeFrom: timeOfDay,
    CyclicTimeTo: timeOfDay,
    ScheduleActions: listOf(
      Type.Object({
        ID: int,
        Name: text,
        Color: int,
        ScriptText: text,
        ActionID: text,
        ActionParameters: record,
      }),
    ),
    ScheduleGroups: listOf(
      Type.Object({
        ID: int,
        Days: int,
        Points: listOf(Type.Object({ ID: int, Start: timeOfDay, ActionID: int })),
      }),
    ),
    TriggerType: int,
    TriggerVariableID: int,
    TriggerValue: value,
    TriggerSubsequentExecution: bool,
  },
  {
    $id: 'EventRecord',
    description: 'An event with the fields of all event types; times are unix seconds, 0 means never.',
  },
);

const ruleKind = Type.Union(
  (['variable', 'date', 'time', 'dayOfTheWeek'] as const).map((kind) => Type.Literal(kind)),
);
const codes = <C extends string>(all: readonly C[]) => Type.Union(all.map((code) => Type.Literal(code)));

/** The result of `GW_GetEventDecisions`. */
export const eventDecisions = named(
  'EventDecisions',
  'Whether an event can run, its conditions now, and the last decisions, newest first; TimeMs is unix milliseconds.',
  {
    EventID: int,
    State: codes(eventStates),
    LastRun: time,
    NextRun: time,
    AreConditionsMet: bool,
    Conditions: listOf(
      Type.Object({
        ID: int,
        ParentID: int,
        IsMet: bool,
        Rules: listOf(Type.Object({ Kind: ruleKind, ID: int, IsMet: bool, Current: Type.Optional(value) })),
      }),
    ),
    Decisions: listOf(
      Type.Object({
        TimeMs: int,
        Count: int,
        Trigger: codes(['VARIABLE', 'TIME', 'SCHEDULE'] as const),
        VariableID: Type.Optional(int),
        Value: Type.Optional(value),
        OldValue: Type.Optional(value),
        ActionID: Type.Optional(int),
        Outcome: codes(eventOutcomes),
        ConditionID: Type.Optional(int),
        RuleKind: Type.Optional(ruleKind),
        RuleID: Type.Optional(int),
        Current: Type.Optional(value),
        Text: Type.Optional(text),
        CodedText: Type.Optional(codedText),
        DurationMs: Type.Optional(int),
      }),
    ),
  },
);
