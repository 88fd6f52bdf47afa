/**
 * The power goes and comes back: the outputs are what the controllers make of them, and then what Boot says,
 * before the gateway is there. The machine is reset hard, as by the loss of its power: what its memory held
 * is gone, nothing is told.
 */
import t from 'tap';
import { until } from '../../tools/until.js';
import { PATIENCE_MS } from '../machine/box.js';
import { Bench, prove } from './output-bench.js';
import { LINES } from './lines.js';

const BOOT_LIMIT_MS = 300_000;

await using bench = await Bench.open(t);
const { qmp } = bench.box.machine;
// A machine of the lab ends where it would reset itself; here it starts again.
await qmp.execute('set-action', { reboot: 'reset' });

await prove(t, bench, {
  name: 'the power is cut, and comes back',
  ends: true,
  // The PL061 begins with its pins low, as the simulated chip does, on which low is active.
  found: ({ chip }) => chip === 'sim',
  async make() {
    const isReset = () => LINES.every(({ chip, offset }) => chip === 'sim' || !bench.pins.level(offset));
    await bench.box.powerCut(() => until('the machine is reset', isReset, PATIENCE_MS), BOOT_LIMIT_MS);
    await bench.trace.number();
    return { atS: 0 };
  },
});
