import { Type } from '@sinclair/typebox';
import { int, listOf, named } from '../shapes.js';

const bool = Type.Boolean();
const float = Type.Number();
const text = Type.String();
/** Unix seconds; 0 is never. */
const time = Type.Integer({ minimum: 0 });

export const items = listOf(
  named(
    'FrontItem',
    'An item of a web front; Configuration is the text of a JSON object, ParentID "" is none.',
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
  named('PushDevice', 'A mobile device that was registered for messages; its token is not shown.', {
    DeviceID: text,
    DeviceName: text,
    Provider: text,
    Registered: time,
  }),
);

/** Whether each dataset of a chart is shown. */
export const visibility = listOf(bool);

export const chartData = listOf(
  named('ChartDataset', 'A variable in a chart, with what is shown of it: oldest first.', {
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
