import type { Locator } from 'playwright-core';
import t from 'tap';
import { rpc, valueAt } from '../tools/client/json-rpc.js';
import { axeFindings, noBrowser, openPage, startBrowser } from '../tools/front/browser.js';
import { openHolding } from '../tools/front/held-reply.js';
import { layoutFindings } from '../tools/front/layout-findings.js';
import { startArea } from '../tools/front/sample-area.js';
import { until } from '../tools/until.js';

t.test('what an item protects must be held wherever it is shown', { skip: noBrowser }, async (t) => {
  const fixture = await startArea(t);
  const item = (ID: string, ParentID: string, Configuration: object) => ({
    ID,
    ParentID,
    ClassName: ParentID === '' ? 'stellwerk.page' : 'stellwerk.tile',
    Configuration: JSON.stringify(Configuration),
  });
  const items = [
    item('first', '', { title: 'Every day' }),
    item('link', 'first', { object: 'upper/link', confirm: true }),
    item('script', 'first', { object: 'ground/off', confirm: true }),
    item('heater', 'first', { object: 'ground/heater' }),
    item('lamp', 'first', { object: 'ground/lamp', confirm: true }),
  ];
  await rpc(fixture, 'WFC_SetItems', await fixture.id('wf'), JSON.stringify(items));
  const browser = await startBrowser(t);
  const { page, problems } = await openPage(browser, fixture.front);
  await page.clock.install();
  await page.goto(fixture.front);
  await page.getByRole('heading', { name: 'Every day' }).or(page.locator('.tile').first()).first().waitFor();
  const isOn = (path: string) => valueAt(fixture, `area/ground/${path}/STATE`);
  /** A tap changes nothing, a hold does. */
  const check = async (where: string, button: Locator, isChanged: () => Promise<boolean>) => {
    await button.click();
    await page.getByText('Press and hold').first().waitFor();
    t.notOk(await isChanged(), `${where}: a tap does nothing`);
    await button.hover();
    await page.mouse.down();
    await until(`${where}: a hold`, isChanged);
    await page.mouse.up();
  };

  await page.evaluate(`location.hash = '#/room/${await fixture.id('area/ground')}'`);
  const lamp = page.locator('.tile.wide').getByRole('switch', { name: /Table lamp/ });
  await lamp.click();
  await lamp.getByText('Press and hold').waitFor();
  t.strictSame([await axeFindings(page), await layoutFindings(page)], [[], []]);
  await check('the switch of a dimmer', lamp, async () => (await isOn('lamp')) === true);
  const relay = page.getByRole('switch', { name: /Hall relay/ });
  await check('the room', relay, async () => (await isOn('hall_relay')) === true);
  const done = async () => (await valueAt(fixture, 'area/ground/hostile')) === 2;
  await check('a script', page.getByRole('button', { name: /All off/ }), done);
  await page.getByRole('switch', { name: /Heater/ }).click();
  await until('what is not protected is on', async () => (await isOn('heater')) === true);

  await page.evaluate("location.hash = ''");
  const active = page.locator('section', {
    has: page.getByRole('heading', { name: 'On, open, or to be checked' }),
  });
  await check(
    'the first page',
    active.getByRole('switch', { name: /Hall relay/ }),
    async () => (await isOn('hall_relay')) === false,
  );
  const off = active.getByRole('switch', { name: /Hall relay/, checked: false });
  await off.waitFor();
  await page.clock.fastForward(10_000);
  t.equal(await off.count(), 1, 'a tile stays under the pointer');
  await page.mouse.move(0, 0);
  await page.clock.fastForward(10_000);
  await off.waitFor({ state: 'detached' });

  await page.evaluate(`location.hash = '#/object/${await fixture.id('area/ground/hall_relay')}'`);
  const toggle = page.getByRole('dialog').getByRole('switch');
  await check('the sheet', toggle, async () => (await isOn('hall_relay')) === true);
  await page.evaluate(`location.hash = '#/object/${await fixture.id('area/ground/off')}'`);
  await rpc(fixture, 'SetValue', await fixture.id('area/ground/hostile'), 1);
  const run = page.getByRole('dialog').getByRole('button', { name: /^Run$|hold/ });
  await check('the sheet of a script', run, done);
  t.strictSame(problems, []);
});

t.test('a button that is held when it need not be any more acts once', { skip: noBrowser }, async (t) => {
  const fixture = await startArea(t);
  const wf = await fixture.id('wf');
  const page = { ID: 'page', ParentID: '', ClassName: 'stellwerk.page', Configuration: '{"title":"Safe"}' };
  const Configuration = '{"object":"ground/hall_relay","confirm":true}';
  const tile = { ID: 'tile', ParentID: 'page', ClassName: 'stellwerk.tile', Configuration };
  await rpc(fixture, 'WFC_SetItems', wf, JSON.stringify([page, tile]));
  const room = `${fixture.front}#/room/${await fixture.id('area/ground')}`;
  const { page: front, reply: calls } = await openHolding(t, room, '');
  const relay = front.getByRole('switch', { name: /Hall relay/ });
  await relay.and(front.locator('[aria-disabled=false]')).waitFor();
  await relay.hover();
  await front.mouse.down();
  await rpc(fixture, 'WFC_SetItems', wf, '[]');
  // The page takes another snapshot, and reads the items again.
  await rpc(fixture, 'SVC_SetVariableCustomProfile', await fixture.id('area/ground/setpoint'), '');
  await until(
    'the new items',
    () => calls.passedOn.filter((method) => method === 'WFC_GetItems').length === 2,
  );
  await relay.and(front.locator('[data-held=false][aria-disabled=false]')).waitFor();
  await front.mouse.up();
  await front.getByRole('switch', { name: /Heater/ }).click();
  await until('a tap', async () => (await valueAt(fixture, 'area/ground/heater/STATE')) === true);
  const commands = calls.methods.filter((method) => method === 'WFC_ExecuteKeyed');
  t.ok(commands.length <= 2, `${commands.length} commands, one of them for the heater`);
});

t.test('nothing is operated before the items are known', { skip: noBrowser }, async (t) => {
  const fixture = await startArea(t);
  const room = `${fixture.front}#/room/${await fixture.id('area/ground')}`;
  const { page, reply: items } = await openHolding(t, room, 'WFC_GetItems');
  const relay = page.getByRole('switch', { name: /Hall relay/ });
  await relay.waitFor();
  await items.held();
  const isOn = () => valueAt(fixture, 'area/ground/hall_relay/STATE');
  const before = await isOn();
  t.ok(await relay.isDisabled());
  await relay.click({ force: true });
  items.deliver();
  await relay.click();
  await until('a tap once the items are known', async () => (await isOn()) !== before);
  const commands = items.methods.filter((method) => method === 'WFC_ExecuteKeyed');
  t.equal(commands.length, 1, 'the first tap sent none');
});
