/**
 * A power cut: the outputs have the levels of their controllers, and then their Boot values before the
 * gateway starts. The machine is reset hard, so that its memory is lost and no process is notified.
 */
import t from 'tap';
import { until } from '../../tools/until.js';
import { PATIENCE_MS } from '../machine/box.js';
import { Fixture, prove } from './output-fixture.js';
import { LINES } from './lines.js';

const BOOT_LIMIT_MS = 300_000;

await using fixture = await Fixture.open(t);
const { qmp } = fixture.box.machine;
// A machine of the lab ends on a reset; here it is restarted.
await qmp.execute('set-action', { reboot: 'reset' });

await prove(t, fixture, {
  name: 'the power is cut, and comes back',
  ends: true,
  // The pins of the PL061 and of the simulated chip are low after a reset; on the latter, low is active.
  found: ({ chip }) => chip === 'sim',
  async make() {
    const isReset = () => LINES.every(({ chip, offset }) => chip === 'sim' || !fixture.pins.level(offset));
    await fixture.box.powerCut(() => until('the machine is reset', isReset, PATIENCE_MS), BOOT_LIMIT_MS);
    await fixture.trace.number();
    return { atS: 0 };
  },
});
