/**
 * The simulated chip with a bare count of its edges: `node counter.js`. Setting variable 1 makes a flood of
 * this number of edges within a second, 2 is their count.
 */
import { injectFlood } from '../../../drivers/gpio/backends/fault-injection.js';
import { openSimulated } from '../../../drivers/gpio/backends/simulated.js';
import { SimulatedBoard } from '../../../drivers/gpio/backends/simulated-board.js';
import { systemClock } from '../../../src/base/clock.js';
import { bareApi, listen } from './json-rpc-server.js';

const [perS, count] = [1, 2];
const clock = systemClock();
const board = new SimulatedBoard({ chips: [{ label: 'bare', lines: ['LINE'] }] }, clock);
const [line] = board.lines('bare');
const binding = openSimulated(board, clock);
const [chip] = await binding.chips();
if (line === undefined || chip === undefined) throw new Error('no line');
const values = new Map<number, unknown>([
  [perS, 0],
  [count, 0],
]);
let edges = 0;
await binding.requestInput(
  { chip, offset: 0, name: 'LINE' },
  { activeLow: false, bias: 'as-is', debounceUs: 0 },
  {
    onEdges: (all) => {
      edges = all.at(-1)?.lineSeqno ?? edges;
      values.set(count, edges);
    },
    onLost: () => undefined,
  },
);
listen(
  bareApi(values, () => injectFlood({ board, clock, line }, { perS: Number(values.get(perS)), forMs: 1000 })),
);
