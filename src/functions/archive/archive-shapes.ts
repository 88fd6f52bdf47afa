import { Type } from '@sinclair/typebox';
import { bool, float, int, listOf, named, time, value } from '../shapes.js';

/** What the functions of the archive give and take (interface §1). */
export const loggedValues = listOf(
  named('LoggedValue', 'A record of a variable, and how many seconds its value held.', {
    TimeStamp: time,
    Value: value,
    Duration: int,
  }),
);

export const aggregatedValues = listOf(
  named(
    'AggregatedValue',
    'What the records in a piece of time come to; of a counter Avg is what it rose by.',
    {
      TimeStamp: time,
      Avg: float,
      Duration: int,
      Max: float,
      MaxTime: time,
      Min: float,
      MinTime: time,
    },
  ),
);

export const aggregationVariables = listOf(
  named('AggregationVariable', 'A variable with records, how it is aggregated, and what is stored of it.', {
    VariableID: int,
    AggregationType: int,
    AggregationVisible: bool,
    AggregationActive: bool,
    FirstTime: time,
    LastTime: time,
    RecordCount: int,
    RecordSize: int,
  }),
);

/** Times are unix seconds with decimals. */
export const records = named(
  'ArchiveRecords',
  'Records of a variable, and whether there are others after them.',
  {
    Records: listOf(
      named('ArchiveRecord', 'A record to the millisecond, and whether its time is by a trusted clock.', {
        TimeStamp: float,
        Value: value,
        ClockTrusted: bool,
      }),
    ),
    More: bool,
  },
);

/** Unix seconds, which may have decimals. */
export const addedValues = listOf(
  Type.Object({ TimeStamp: float, Value: value, ClockTrusted: Type.Optional(Type.Boolean()) }),
);

export const compactions = listOf(
  named('Compaction', 'From which age in months on records are thinned, and to what.', {
    MonthOffset: int,
    CompactionType: int,
  }),
);
