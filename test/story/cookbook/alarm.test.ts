import t from 'tap';
import { startCookbookPage, type CookbookGateway } from '../../tools/gateway/cookbook-gateway.js';
import { until } from '../../tools/until.js';

const [OFF, LEAVING, WATCHING, ENTERING, ALARM] = [0, 1, 2, 3, 4];

/** Waits for a state, and for the timer that goes with it. */
async function becomes(house: CookbookGateway, state: number, by: () => Promise<unknown>): Promise<void> {
  const before = await house.nextRun('alarm/logic/ScriptTimer');
  await by();
  await house.waitForValue('alarm/state', state);
  await house.waitForTimer('alarm/logic', before);
}

t.test('who leaves has time to go, who comes has time for the key, and who has none is heard', async (t) => {
  const house = await startCookbookPage(t, 'alarm.md', '2026-05-04T06:00:00Z');
  await house.set('BUTTON3', true);
  await house.press('BUTTON1');
  await until('what the script says', () =>
    house.gateway.log.some((line) => line.includes('A window is open.')),
  );
  t.equal(await house.value('alarm/state'), OFF, 'with an open window it is not switched on');
  await house.set('BUTTON3', false);

  await becomes(house, LEAVING, async () => t.match(await house.run(1), /Leave the house/));
  await house.set('BUTTON2', true);
  await house.set('BUTTON2', false);
  await house.pass(30);
  t.equal(await house.value('alarm/state'), LEAVING, 'the door may open while one leaves');
  await becomes(house, WATCHING, () => house.pass(16));
  await becomes(house, ENTERING, () => house.set('BUTTON2', true));
  await house.pass(20);
  await becomes(house, OFF, () => house.press('BUTTON1'));
  await house.pass(20);
  t.equal(await house.value('wires/relay1/STATE'), false, 'in time');
  await house.set('BUTTON2', false);

  await becomes(house, LEAVING, () => house.press('BUTTON1'));
  await becomes(house, WATCHING, () => house.pass(46));
  await becomes(house, ENTERING, () => house.set('BUTTON2', true));
  await becomes(house, ALARM, () => house.pass(31));
  await house.waitForValue('wires/relay1/STATE', true);
  await house.pass(170);
  t.equal(await house.value('wires/relay1/STATE'), true);
  await becomes(house, WATCHING, () => house.pass(11));
  await house.waitForValue('wires/relay1/STATE', false);

  await becomes(house, ALARM, () => house.set('BUTTON3', true));
  await house.waitForValue('wires/relay1/STATE', true);
  await becomes(house, OFF, () => house.press('BUTTON1'));
  await house.waitForValue('wires/relay1/STATE', false);
});
