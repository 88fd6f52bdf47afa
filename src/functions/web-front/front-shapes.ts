import { Type } from '@sinclair/typebox';
import { anything, int, listOf, map, named } from '../shapes.js';

const bool = Type.Boolean();
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

export const outcome = named(
  'CommandOutcome',
  'The outcome of a command: Code, Text and Details, the other members of error.data, are empty unless State is failed.',
  {
    State: Type.Union(['running', 'done', 'failed', 'unknown'].map((state) => Type.Literal(state))),
    Code: text,
    Text: text,
    Details: map(anything),
  },
);

export const pushDevices = listOf(
  named('PushDevice', 'A mobile device registered for push messages, without its token.', {
    DeviceID: text,
    DeviceName: text,
    Provider: text,
    Registered: time,
  }),
);
