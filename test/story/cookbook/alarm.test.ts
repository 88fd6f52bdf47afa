import t from 'tap';
import { startCookbookPage, type CookbookGateway } from '../../tools/gateway/cookbook-gateway.js';
import { until } from '../../tools/until.js';

const [OFF, LEAVING, WATCHING, ENTERING, ALARM] = [0, 1, 2, 3, 4];

/** Waits for a state, and for the timer that belongs to it. */
async function becomes(fixture: CookbookGateway, state: number, by: () => Promise<unknown>): Promise<void> {
  const before = await fixture.nextRun('alarm/logic/ScriptTimer');
  await by();
  await fixture.waitForValue('alarm/state', state);
  await fixture.waitForTimer('alarm/logic', before);
}

t.test(
  'there is time to leave after arming, time for the key when returning, and an alarm otherwise',
  async (t) => {
    const fixture = await startCookbookPage(t, 'alarm.md', '2026-05-04T06:00:00Z');
    await fixture.set('BUTTON3', true);
    await fixture.press('BUTTON1');
    await until('the output of the script', () =>
      fixture.gateway.log.some((line) => line.includes('A window is open.')),
    );
    t.equal(await fixture.value('alarm/state'), OFF, 'it is not armed while a window is open');
    await fixture.set('BUTTON3', false);

    await becomes(fixture, LEAVING, async () => t.match(await fixture.run(1), /Leave the house/));
    await fixture.set('BUTTON2', true);
    await fixture.set('BUTTON2', false);
    await fixture.pass(30);
    t.equal(await fixture.value('alarm/state'), LEAVING, 'the door may open while one leaves');
    await becomes(fixture, WATCHING, () => fixture.pass(16));
    await becomes(fixture, ENTERING, () => fixture.set('BUTTON2', true));
    await fixture.pass(20);
    await becomes(fixture, OFF, () => fixture.press('BUTTON1'));
    await fixture.pass(20);
    t.equal(await fixture.value('wires/relay1/STATE'), false, 'in time');
    await fixture.set('BUTTON2', false);

    await becomes(fixture, LEAVING, () => fixture.press('BUTTON1'));
    await becomes(fixture, WATCHING, () => fixture.pass(46));
    await becomes(fixture, ENTERING, () => fixture.set('BUTTON2', true));
    await becomes(fixture, ALARM, () => fixture.pass(31));
    await fixture.waitForValue('wires/relay1/STATE', true);
    await fixture.pass(170);
    t.equal(await fixture.value('wires/relay1/STATE'), true);
    await becomes(fixture, WATCHING, () => fixture.pass(11));
    await fixture.waitForValue('wires/relay1/STATE', false);

    await becomes(fixture, ALARM, () => fixture.set('BUTTON3', true));
    await fixture.waitForValue('wires/relay1/STATE', true);
    await becomes(fixture, OFF, () => fixture.press('BUTTON1'));
    await fixture.waitForValue('wires/relay1/STATE', false);
  },
);
