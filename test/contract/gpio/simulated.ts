import { systemClock } from '../../../src/base/clock.js';
import { openSimulated } from '../../../drivers/gpio/backends/simulated.js';
import { SimulatedBoard } from '../../../drivers/gpio/backends/simulated-board.js';
import type { Fixture } from './suite.js';

const LABEL = 'bench';
const NAMES = ['ONE', 'TWO', 'THREE', '', '', '', '', 'EIGHT'];

/** The contract's fixture on a simulated chip. */
export async function simulatedFixture(): Promise<Fixture> {
  const clock = systemClock();
  const board = new SimulatedBoard(
    {
      chips: [
        { label: 'other', lines: [''] },
        { label: LABEL, lines: NAMES },
      ],
    },
    clock,
  );
  const at = (offset: number) => board.lines(LABEL)[offset] ?? fail(offset);
  const drive = (offset: number, level: boolean) => board.driveLine(at(offset), level);
  return {
    backend: openSimulated(board, clock),
    label: LABEL,
    named: { name: 'EIGHT', offset: 7 },
    isKernel: true,
    isExact: true,
    drive,
    burst(offset, edges) {
      for (let n = 1; n <= edges; n++) drive(offset, n % 2 === 1);
    },
    levelAt: (offset) => at(offset).net.level,
    unplug: () => board.unplug(LABEL),
    close: async () => undefined,
  };
}

function fail(offset: number): never {
  throw new Error(`no line ${offset}`);
}
