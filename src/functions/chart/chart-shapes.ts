import { Type } from '@sinclair/typebox';
import { int, listOf, named } from '../shapes.js';

const bool = Type.Boolean();
const float = Type.Number();
const text = Type.String();
/** Unix seconds. */
const time = Type.Integer({ minimum: 0 });

/** The visibility of each dataset of a chart. */
export const visibility = listOf(bool);

export const chartData = listOf(
  named('ChartDataset', 'A dataset of a chart with its points, oldest first.', {
    Index: int,
    VariableID: int,
    Title: text,
    Kind: Type.Union((['line', 'step', 'bar'] as const).map((kind) => Type.Literal(kind))),
    Side: int,
    Profile: text,
    StrokeColor: text,
    FillColor: text,
    StartTime: time,
    EndTime: time,
    AggregationSpan: int,
    IsCut: bool,
    Points: listOf(Type.Object({ TimeStamp: time, Duration: int, Value: float, Min: float, Max: float })),
  }),
);
