import type { Locator } from 'playwright-core';
import { quality } from '../../src/kernel/quality.js';
import type { Variable } from '../../src/kernel/variables.js';
import { rpc } from '../tools/client/json-rpc.js';
import { roomTest } from '../tools/front/room-test.js';
import { until } from '../tools/until.js';

roomTest(
  'a device that is not reachable has neither the colour nor the icon of its last value',
  {},
  async (t, { fixture, page }) => {
    const { tree, variables } = fixture.gateway.kernel;
    const window = await fixture.id('area/ground/window/STATE');
    await rpc(fixture, 'SVC_SetVariableCustomProfile', window, '~Alert.Reversed');
    const alert = page.locator('.tile', { hasText: 'Kitchen window' });
    const colour = page.locator('.tile', { hasText: 'Colour' });
    const colourOf = (tile: Locator) => tile.locator('svg.icon').evaluate((icon) => icon.style.color);
    await alert.filter({ hasText: 'Alert' }).waitFor();
    t.not(await colourOf(alert), '', 'the colour of the association');
    t.equal(await colour.locator('.swatch').count(), 1);
    const problem = { state: quality.bad, reason: 'UNREACHABLE', text: '' } as const;
    for (const id of [window, await fixture.id('area/ground/colour')])
      variables.setQualityProblem(tree.get(id) as Variable, problem);
    for (const tile of [alert, colour]) await tile.filter({ hasText: '—' }).waitFor();
    t.equal(await colourOf(alert), '');
    t.equal(await colour.locator('.swatch').count(), 0);
  },
);

roomTest('a number that is no time is edited from the present time', {}, async (t, { fixture, page }) => {
  const clock = await fixture.id('area/ground/clock');
  await rpc(fixture, 'SVC_SetVariableCustomProfile', clock, '~UnixTimestamp');
  await rpc(fixture, 'SetValue', clock, Number.MAX_SAFE_INTEGER);
  await page.evaluate(`location.hash = '#/object/${clock}'`);
  const field = page.getByRole('dialog').getByLabel('Alarm clock');
  const input = field.and(page.locator('[type=datetime-local]'));
  await input.waitFor();
  const days = (Date.parse(await input.inputValue()) - Date.now()) / 86_400_000;
  t.ok(Math.abs(days) < 2, `${days} days from now`);
});

roomTest('two windows of a device keep the favourites of each other', {}, async (t, { fixture, page }) => {
  const other = await page.context().newPage();
  await other.goto(page.url());
  const add = async (window: typeof page, path: string) => {
    await window.evaluate(`location.hash = '#/object/${await fixture.id(path)}'`);
    await window.getByRole('button', { name: 'Add to favourites' }).click();
    await window.getByRole('button', { name: 'Remove from favourites' }).waitFor();
  };
  await other.locator('.tile.wide').first().waitFor();
  await add(page, 'area/ground/setpoint');
  await add(other, 'area/ground/mode');
  await add(page, 'area/ground/scene');
  await page.goto(fixture.front);
  await page.reload();
  const favourites = page.locator('section', { has: page.getByRole('heading', { name: 'Favourites' }) });
  await favourites.locator('.tile.wide').nth(2).waitFor();
  for (const name of ['Setpoint', 'Mode', 'Scene'])
    t.equal(await favourites.locator('.tile', { hasText: name }).count(), 1, name);
});

roomTest('favourites are moved and removed with the keyboard', {}, async (t, { fixture, page }) => {
  const paths = ['hall_relay', 'note', 'boiler'].map((name) => `area/ground/${name}`);
  for (const path of paths) {
    await page.evaluate(`location.hash = '#/object/${await fixture.id(path)}'`);
    await page.getByRole('button', { name: 'Add to favourites' }).click();
  }
  await rpc(fixture, 'SVC_DeleteVariable', await fixture.id('area/ground/note'));
  await page.evaluate("location.hash = '#/device'");
  const names = () => page.locator('section li .grow').allInnerTexts();
  await until('the favourites that are left', async () => (await names()).join() === 'Hall relay,Boiler');
  await page.getByRole('button', { name: /up.*Boiler|Boiler.*up/i }).press('Enter');
  await until('the boiler to be first', async () => (await names()).join() === 'Boiler,Hall relay');
  await page.getByRole('button', { name: 'Remove Boiler from the favourites' }).press('Enter');
  await until('it to be removed', async () => (await names()).join() === 'Hall relay');
  await page.reload();
  await page.locator('section li .grow').first().waitFor();
  t.strictSame(await names(), ['Hall relay'], 'as it is stored');
});
