import { type Static, Type } from '@sinclair/typebox';
import {
  type Host,
  moduleKind,
  type ModuleDefinition,
  type OpenInstance,
} from '../../../src/device/module.js';
import { enumProperty } from '../../../src/device/toolkit/enum-property.js';
import { drives } from '../backends/line.js';
import { missingLineError, lineProperties } from '../line-properties.js';
import { RuledLine, ruledVariables, type SharedState } from './ruled-line.js';
import { findOutput } from './request-output.js';
import type { GpioBoard, Backends } from '../backends/backends.js';

/** Longer is no pulse but a relay's MaxOnS. */
const LONGEST_MS = 60_000;

const properties = Type.Object({
  ...lineProperties,
  Drive: enumProperty(drives, 'push-pull'),
  PulseMs: Type.Integer({ default: 500, minimum: 1, maximum: LONGEST_MS }),
  /** How long the line is inactive at least before the next pulse. */
  PauseMs: Type.Integer({ default: 0, minimum: 0, maximum: LONGEST_MS }),
});
type PulseProperties = Static<typeof properties>;

/** The module **Pulse**: a door opener, a latching relay (`docs/hardware/outputs.md`). */
export function pulseModule(
  board: GpioBoard,
  ways: Backends,
  shared: SharedState,
): ModuleDefinition<typeof properties> {
  return {
    id: '{EB37817D-E5F9-46F9-B665-E49B27DAC037}',
    name: 'Pulse',
    kind: moduleKind.device,
    prefix: 'HW',
    properties,
    variables: () => ruledVariables,
    check: missingLineError,
    open: (host) => open(host, { board, ways, shared }),
  };
}

interface PulseContext {
  readonly board: GpioBoard;
  readonly ways: Backends;
  readonly shared: SharedState;
}

/** An active line can only be what is left of a pulse whose end nobody saw to: it ends with the taking. */
async function open(
  host: Host<PulseProperties>,
  { board, ways, shared }: PulseContext,
): Promise<OpenInstance> {
  const { PulseMs, PauseMs } = host.properties;
  const found = await findOutput(host, board, ways);
  const line = await found.request('inactive');
  return new RuledLine(host, line, {
    lineKey: found.lineKey,
    interlocks: shared.interlocks,
    rules: { minOnMs: 0, minOffMs: PauseMs, maxOnMs: PulseMs, isPulse: true, group: '', deadTimeMs: 0 },
    configured: () => [],
  });
}
