import t from 'tap';
import { startCookbookPage } from '../../tools/gateway/cookbook-gateway.js';
import { idOf, rpc } from '../../tools/client/json-rpc.js';

const [OPENS, STANDS, CLOSES] = [0, 2, 4];
const IS_DAY = 'stellwerk/LC/IsDay';

t.test('the shutter follows the sun, and stays open while the terrace door is open', async (t) => {
  // The sun sets at 19:33, and rises at 02:43.
  const room = await startCookbookPage(t, 'shutters.md', '2026-06-21T19:30:00Z');
  await room.run(1);
  await room.waitForScripts();
  await room.waitForValue('living_room/shutter/MOVE', OPENS);
  t.equal(await room.value('wires/relay1/STATE'), true, 'it is day');
  await room.pass(30);
  t.equal(await room.value('living_room/shutter/MOVE'), STANDS);
  t.equal(await room.value('living_room/shutter/POSITION'), 0, 'it is up');

  await room.passUntil(IS_DAY, false, 300);
  await room.waitForValue('wires/relay2/STATE', true);
  t.equal(await room.value('living_room/shutter/MOVE'), CLOSES);
  await room.pass(30);
  t.equal(await room.value('wires/relay2/STATE'), false);
  t.equal(await room.value('living_room/shutter/POSITION'), 100, 'it is down');

  await room.sleepUntil('2026-06-22T02:42:00Z');
  await room.passUntil(IS_DAY, true, 120);
  await room.waitForValue('wires/relay1/STATE', true);
  await room.pass(30);
  t.equal(await room.value('living_room/shutter/POSITION'), 0, 'a day later');

  await room.set('BUTTON1', true);
  await room.sleepUntil('2026-06-22T19:32:00Z');
  await room.passUntil(IS_DAY, false, 120);
  t.equal(await room.value('wires/relay2/STATE'), false, 'the terrace door is open');
  await room.set('BUTTON1', false);
  await room.waitForValue('wires/relay2/STATE', true);
  await room.pass(30);

  const byTheSun = await idOf(room.gateway, 'living_room/by_the_sun');
  t.equal(await rpc(room.gateway, 'SetValue', byTheSun, false), true);
  await room.sleepUntil('2026-06-23T02:42:00Z');
  await room.passUntil(IS_DAY, true, 120);
  t.equal(await room.value('wires/relay1/STATE'), false, 'manual control stays in effect');
});
