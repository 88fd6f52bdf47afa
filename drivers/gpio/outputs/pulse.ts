import { type Static, Type } from '@sinclair/typebox';
import type { Host, ModuleDefinition, OpenInstance } from '../../../src/device/module.js';
import { enumProperty } from '../../../src/device/toolkit/enum-property.js';
import type { Backends } from '../backends/backends.js';
import { drives } from '../backends/line.js';
import { gpioModule, lineProperties, missingLineError } from '../line-properties.js';
import { findOutput } from './request-output.js';
import { RuledLine, ruledVariables, type SharedState } from './ruled-line.js';
import { withAdvancedHelp, withHelp } from '../../../src/device/toolkit/property-help.js';

/** For longer times there is a relay's MaxOnS. */
const LONGEST_MS = 60_000;

const properties = Type.Object({
  ...lineProperties,
  Drive: withAdvancedHelp(enumProperty(drives, 'push-pull'), 'Line', 'How the output drives its line.'),
  PulseMs: withHelp(
    Type.Integer({ default: 500, minimum: 1, maximum: LONGEST_MS }),
    'Pulse',
    'How long the line is active.',
  ),
  PauseMs: withHelp(
    Type.Integer({ default: 0, minimum: 0, maximum: LONGEST_MS }),
    'Pulse',
    'The minimum pause before the next pulse.',
  ),
});
type PulseProperties = Static<typeof properties>;

/** The module **Pulse**: a door opener, a latching relay (`docs/hardware/outputs.md`). */
export const pulseModule = (
  backends: Backends,
  { interlocks }: SharedState,
): ModuleDefinition<typeof properties> =>
  gpioModule({
    id: '{EB37817D-E5F9-46F9-B665-E49B27DAC037}',
    name: 'Pulse',
    description: 'An output that gives a pulse: a door opener, a latching relay.',
    icon: 'Execute',
    page: 'hardware/outputs.md',
    properties,
    variables: () => ruledVariables,
    check: missingLineError,
    open: (host) => open(host, backends, interlocks),
  });

/** Requests the line as inactive: if it is active, that is a pulse that nobody ended. */
async function open(
  host: Host<PulseProperties>,
  backends: Backends,
  interlocks: SharedState['interlocks'],
): Promise<OpenInstance> {
  const { PulseMs, PauseMs } = host.properties;
  const found = await findOutput(host, backends);
  const output = await found.request('inactive');
  return new RuledLine(host, output, {
    lineKey: found.lineKey,
    interlocks,
    rules: { minOnMs: 0, minOffMs: PauseMs, maxOnMs: PulseMs, isPulse: true, group: '', deadTimeMs: 0 },
    configured: () => [],
  });
}
