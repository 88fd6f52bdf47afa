import t from 'tap';
import { startCookbookPage } from '../../tools/gateway/cookbook-gateway.js';

t.test('the staircase light goes out two minutes after the last press', async (t) => {
  // The two minutes include midnight.
  const stairs = await startCookbookPage(t, 'staircase-light.md', '2026-03-10T23:58:00Z');
  const timer = 'stairs/timed_light/ScriptTimer';
  t.equal(await stairs.value('wires/relay1/STATE'), false);
  await stairs.run(1);
  await stairs.waitForValue('wires/relay1/STATE', true);
  await stairs.waitForTimer('stairs/timed_light', 0);
  await stairs.pass(60);
  t.equal(await stairs.value('wires/relay1/STATE'), true, 'a minute later');

  const before = await stairs.nextRun(timer);
  await stairs.press('BUTTON1');
  await stairs.waitForTimer('stairs/timed_light', before);
  await stairs.pass(115);
  t.equal(await stairs.value('wires/relay1/STATE'), true, 'the time begins with the last press');
  await stairs.pass(6);
  await stairs.waitForValue('wires/relay1/STATE', false);
  await stairs.waitForTimer('stairs/timed_light', before + 60);
  await stairs.pass(300);
  t.equal(await stairs.value('wires/relay1/STATE'), false, 'it stays off');
});
