import { Type } from '@sinclair/typebox';
import { int, listOf, named } from '../shapes.js';

const bool = Type.Boolean();
const float = Type.Number();
const text = Type.String();
/** Unix seconds; 0 means never. */
const time = Type.Integer({ minimum: 0 });

export const items = listOf(
  named(
    'FrontItem',
    'An item of a web front; Configuration is a JSON object as text, ParentID "" means no parent.',
    {
      ID: text,
      ParentID: text,
      ClassName: text,
      Configuration: text,
      Position: int,
      Visible: bool,
    },
  ),
);

export const pushDevices = listOf(
  named('PushDevice', 'A mobile device registered for push messages, without its token.', {
    DeviceID: text,
    DeviceName: text,
    Provider: text,
    Registered: time,
  }),
);

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
