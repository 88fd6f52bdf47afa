import { coded, type Text } from '../../../src/base/codes/coded-text.js';
import { type Static, Type } from '@sinclair/typebox';
import { type ModuleDefinition, type VariableDeclaration, variableType } from '../../../src/device/module.js';
import { enumProperty } from '../../../src/device/toolkit/enum-property.js';
import type { Backends } from '../backends/backends.js';
import { drives } from '../backends/line.js';
import { gpioModule, lineProperties } from '../line-properties.js';
import type { SharedState } from './ruled-line.js';
import { withAdvancedHelp, withHelp } from '../../../src/device/toolkit/property-help.js';

/** No shutter is slower, and a motor that ran longer would overheat. */
const LONGEST_S = 300;
/** No slats take longer to turn. */
const LONGEST_SLAT_S = 30;
/** A command waits for the dead time, and no caller waits for more than ten seconds. */
const LONGEST_DEAD_MS = 5000;

const runS = Type.Number({ default: 0, minimum: 0, maximum: LONGEST_S });

const { Chip, ActiveLow, Backend, Line } = lineProperties;
const properties = Type.Object({
  Up: withHelp(Line, 'Line', 'The line of the relay that moves the shutter up.'),
  Down: withHelp(Line, 'Line', 'The line of the relay that moves the shutter down.'),
  Chip,
  ActiveLow,
  Backend,
  Drive: withAdvancedHelp(enumProperty(drives, 'push-pull'), 'Line', 'How the outputs drive their lines.'),
  RunUpS: withHelp(runS, 'Movement', 'The time from the lower end stop to the upper one.'),
  RunDownS: withHelp(runS, 'Movement', 'The time from the upper end stop to the lower one.'),
  SlatS: withHelp(
    Type.Number({ default: 0, minimum: 0, maximum: LONGEST_SLAT_S }),
    'Movement',
    'How long the slats take to turn from one end to the other; 0 if there are none.',
  ),
  DeadTimeMs: withAdvancedHelp(
    Type.Integer({ default: 500, minimum: 0, maximum: LONGEST_DEAD_MS }),
    'Movement',
    'How long the motor rests before it is reversed.',
  ),
  ReserveS: withAdvancedHelp(
    Type.Number({ default: 2, minimum: 0, maximum: 60 }),
    'Movement',
    'Extra time for a run into an end stop.',
  ),
});
export type ShutterProperties = Static<typeof properties>;

/** The module **Shutter**: a motor with two relays and its own end stops (`docs/hardware/outputs.md`). */
export const shutterModule = (
  backends: Backends,
  { motors }: SharedState,
): ModuleDefinition<typeof properties> =>
  gpioModule({
    id: '{9B8B28BE-646C-47E9-9D89-64351E2CEFDF}',
    name: 'Shutter',
    description: 'A shutter or blind with two relays; its position is tracked.',
    icon: 'Jalousie',
    page: 'hardware/outputs.md',
    properties,
    variables,
    check: checkProperties,
    open: async (host) => (await import('./shutter-controller.js')).openShutter(host, backends, motors),
  });

function variables({ SlatS }: ShutterProperties): VariableDeclaration[] {
  const { integer, boolean, string } = variableType;
  const main = { role: 'main', action: true } as const;
  const slat = { ident: 'SLAT', name: 'Slats', type: integer, profile: '~Intensity.100', ...main };
  const all: Omit<VariableDeclaration, 'position'>[] = [
    { ident: 'POSITION', name: 'Position', type: integer, profile: '~Shutter', ...main },
    ...(SlatS > 0 ? [slat] : []),
    { ident: 'MOVE', name: 'Motor', type: integer, profile: '~ShutterMoveStop', ...main },
    { ident: 'KNOWN', name: 'Position is known', type: boolean, role: 'state' },
    { ident: 'PENDING', name: 'Pending', type: string, role: 'state' },
    { ident: 'RULE', name: 'Rule in force', type: string, role: 'state' },
    {
      ident: 'REST',
      name: 'Kept for a restart',
      type: string,
      role: 'diagnostic',
      durable: { every: 1, withinS: 1 },
    },
  ];
  return all.map((one, index) => ({ ...one, position: index + 1 }));
}

function checkProperties({ Up, Down, RunUpS, RunDownS, SlatS }: ShutterProperties): Text | undefined {
  if (Up === '' || Down === '')
    return coded`SHUTTER_LINES_EMPTY: Up and Down each need the name of a line, or its offset`;
  if (Up === Down)
    return coded`SHUTTER_LINES_EQUAL: Up and Down are the same line: the motor needs one for each direction`;
  if (RunUpS === 0 || RunDownS === 0)
    return coded`RUN_TIMES_NOT_SET: RunUpS and RunDownS are not set: measure how long a run takes from one end stop to the other, and back`;
  if (SlatS * 2 > Math.min(RunUpS, RunDownS))
    return coded`SLAT_TIME_TOO_LONG: SlatS is longer than half a run: it is the time of the slats alone`;
  return undefined;
}
