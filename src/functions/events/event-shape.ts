import { Type, type TSchema } from '@sinclair/typebox';
import { int, listOf, record, value } from '../shapes.js';

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
