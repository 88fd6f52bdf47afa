import { type Static, Type } from '@sinclair/typebox';
import { type Host, moduleKind, type ModuleDefinition, type Running } from '../../src/device/module.js';
import { choice } from '../../src/device/choice.js';
import { drives } from './line.js';
import { lineMissing, lineProperties } from './properties.js';
import { RuledLine, ruledVariables, type Together } from './ruled-line.js';
import { findOutput } from './taking.js';
import type { GpioBoard, Ways } from './ways.js';

/** Longer is no pulse but a relay's MaxOnS. */
const LONGEST_MS = 60_000;

const properties = Type.Object({
  ...lineProperties,
  Drive: choice(drives, 'push-pull'),
  PulseMs: Type.Integer({ default: 500, minimum: 1, maximum: LONGEST_MS }),
  /** How long the line is inactive at least before the next pulse. */
  PauseMs: Type.Integer({ default: 0, minimum: 0, maximum: LONGEST_MS }),
});
type PulseProperties = Static<typeof properties>;

/** The module **Pulse**: a door opener, a latching relay (`docs/outputs.md`). */
export function gpioPulse(
  board: GpioBoard,
  ways: Ways,
  shared: Together,
): ModuleDefinition<typeof properties> {
  return {
    id: '{EB37817D-E5F9-46F9-B665-E49B27DAC037}',
    name: 'Pulse',
    kind: moduleKind.device,
    prefix: 'HW',
    properties,
    variables: () => ruledVariables,
    check: lineMissing,
    open: (host) => open(host, { board, ways, shared }),
  };
}

interface Around {
  readonly board: GpioBoard;
  readonly ways: Ways;
  readonly shared: Together;
}

/** An active line can only be what is left of a pulse whose end nobody saw to: it ends with the taking. */
async function open(host: Host<PulseProperties>, { board, ways, shared }: Around): Promise<Running> {
  const { PulseMs, PauseMs } = host.properties;
  const found = await findOutput(host, board, ways);
  const line = await found.take('inactive');
  return new RuledLine(host, line, {
    mark: found.mark,
    interlocks: shared.interlocks,
    rules: { minOnMs: 0, minOffMs: PauseMs, maxOnMs: PulseMs, isPulse: true, group: '', deadTimeMs: 0 },
    configured: () => [],
  });
}
