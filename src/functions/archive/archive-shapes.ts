import { Type } from '@sinclair/typebox';
import { bool, float, int, listOf, named, time, value } from '../shapes.js';

/** Schemas of the functions of the archive (interface §1). */
export const loggedValues = listOf(
  named('LoggedValue', 'A record of a variable, and for how many seconds the value applied.', {
    TimeStamp: time,
    Value: value,
    Duration: int,
  }),
);

export const aggregatedValues = listOf(
  named('AggregatedValue', 'Aggregated records of a span; for a counter, Avg is the increase.', {
    TimeStamp: time,
    Avg: float,
    Duration: int,
    Max: float,
    MaxTime: time,
    Min: float,
    MinTime: time,
  }),
);

export const aggregationVariables = listOf(
  named('AggregationVariable', 'A variable with records, its aggregation, and statistics of its records.', {
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

/** Times are unix seconds with milliseconds. */
export const records = named('ArchiveRecords', 'Records of a variable, and whether more follow.', {
  Records: listOf(
    named('ArchiveRecord', 'A record with milliseconds, and whether the clock was trusted.', {
      TimeStamp: float,
      Value: value,
      ClockTrusted: bool,
    }),
  ),
  More: bool,
});

/** Unix seconds, which may have decimals. */
export const addedValues = listOf(
  Type.Object({ TimeStamp: float, Value: value, ClockTrusted: Type.Optional(Type.Boolean()) }),
);

export const compactions = listOf(
  named('Compaction', 'A rule for downsampling or deleting records older than a number of months.', {
    MonthOffset: int,
    CompactionType: int,
  }),
);
