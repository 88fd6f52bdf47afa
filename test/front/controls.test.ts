import type { Locator, Page } from 'playwright-core';
import t from 'tap';
import { quality } from '../../src/kernel/quality.js';
import type { Variable } from '../../src/kernel/variables.js';
import { rpc, valueAt } from '../tools/client/json-rpc.js';
import { noBrowser, openPage, startBrowser } from '../tools/front/browser.js';
import { roomTest } from '../tools/front/room-test.js';
import { startArea } from '../tools/front/sample-area.js';
import { until } from '../tools/until.js';

/** A dangerous command must be held for this long, ms. */
const HOLD_MS = 600;

/** Records the values of all commands that the page sends from now on, in `window.commands`. */
const recordCommands = (page: Page) =>
  page.evaluate(`(() => {
    window.commands = [];
    const { send } = WebSocket.prototype;
    WebSocket.prototype.send = function (text) {
      const { method, params } = JSON.parse(text);
      if (method === 'WFC_ExecuteKeyed') window.commands.push(params[2]);
      return send.call(this, text);
    };
  })()`);
const commandsOf = (page: Page) => page.evaluate<unknown[]>('window.commands');

roomTest('Back leads from a history to where it was opened', {}, async (t, { fixture, page }) => {
  const [archive] = (await rpc(fixture, 'SVC_GetInstanceListByModuleID', 'Archive Control')) as number[];
  await rpc(fixture, 'AC_SetLoggingStatus', archive, await fixture.id('area/ground/hall_relay/STATE'), true);
  const room = page.url();
  const details = page.getByRole('link', { name: 'Details: Hall relay' });
  const sheet = page.getByRole('dialog');
  await details.click();
  await sheet.waitFor();
  await page.goBack();
  await sheet.waitFor({ state: 'detached' });
  const hasFocus = (target: Locator) => target.evaluate((one) => one.matches(':focus'));
  await until('the focus on the tile', () => hasFocus(details));
  await details.click();
  await sheet.getByRole('link', { name: 'History' }).click();
  const history = page.locator('main.history');
  await history.waitFor();
  await sheet.waitFor({ state: 'detached' });
  const earlier = history.getByRole('button', { name: 'Earlier' });
  const period = () => history.locator('.span > span').textContent();
  await until('the present period', async () => (await period()) !== '');
  const present = await period();
  await earlier.press('Enter');
  await until('the period before', async () => !['', present].includes(await period()));
  t.ok(await hasFocus(earlier), 'the focus stays while the period is loaded');
  await history.getByRole('button', { name: 'Back', exact: true }).click();
  await sheet.waitFor();
  t.match(page.url(), new RegExp(`#/object/${await fixture.id('area/ground/hall_relay')}$`));
  await sheet.getByRole('button', { name: 'Close' }).click();
  await sheet.waitFor({ state: 'detached' });
  await page.getByRole('switch', { name: /Hall relay/ }).waitFor();
  t.equal(page.url(), room);
});

t.test(
  'Back leads from a history with which the page was opened to the first page',
  { skip: noBrowser },
  async (t) => {
    const fixture = await startArea(t);
    const address = `${fixture.front}#/history/${await fixture.id('area/ground/outside')}`;
    const { page, problems } = await openPage(await startBrowser(t), address);
    const history = page.locator('main.history');
    await history.getByRole('button', { name: 'Back', exact: true }).click();
    await history.waitFor({ state: 'detached' });
    t.equal(page.url(), `${fixture.front}#/`);
    t.strictSame(problems, []);
  },
);

roomTest('a device that is not reachable is never shown as on', {}, async (t, { fixture, page }) => {
  const relay = page.getByRole('switch', { name: /Hall relay/ });
  const lamp = page.getByRole('switch', { name: 'Table lamp' });
  const isOn = (target: Locator) => target.and(page.locator('[aria-checked=true]')).waitFor();
  await relay.click();
  await isOn(relay);
  await lamp.click();
  await isOn(lamp);
  await rpc(fixture, 'GW_SimulateChipGone', 'simulated', true);
  await rpc(fixture, 'GW_SimulatePwmGone', 'simulated.pwm', true);
  await page.locator('.tile.bad', { hasText: 'Hall relay' }).waitFor();
  await lamp.and(page.locator('[aria-checked=false]')).waitFor();
  await recordCommands(page);
  await relay.click();
  const rejected = page.locator('.tile.rejected', { hasText: 'Hall relay' });
  await rejected.waitFor();
  t.equal(await relay.getAttribute('aria-checked'), 'false');
  t.notMatch(await rejected.getAttribute('class'), /\bon\b/);
  await lamp.click();
  await page.getByRole('link', { name: 'Details: Hall relay' }).click();
  await page.getByRole('dialog').getByText('Switch on').click();
  t.strictSame(await commandsOf(page), [true, true, true], 'a press switches on, as it says');
});

roomTest('a choice or a direction that is not known is not pressed', {}, async (t, { fixture, page }) => {
  await recordCommands(page);
  const { tree, variables } = fixture.gateway.kernel;
  const setKnown = async (path: string, isKnown: boolean) => {
    const problem = { state: quality.bad, reason: 'UNREACHABLE', text: '' } as const;
    variables.setQualityProblem(tree.get(await fixture.id(path)) as Variable, isKnown ? undefined : problem);
  };
  const paths = ['area/ground/mode', 'area/ground/scene', 'area/ground/blind/MOVE'];
  const modes = page.getByRole('group', { name: 'Mode' }).locator('[aria-pressed=true]');
  const scenes = page.getByRole('combobox', { name: 'Scene' });
  const directions = page.locator('.tile.wide', { hasText: 'Blind' }).locator('[aria-pressed=true]');
  await rpc(fixture, 'RequestAction', await fixture.id('area/ground/blind/MOVE'), 0);
  await directions.waitFor();
  t.equal(await modes.textContent(), 'Automatic');
  t.equal(await scenes.inputValue(), '2');
  for (const path of paths) await setKnown(path, false);
  for (const buttons of [modes, directions]) await buttons.waitFor({ state: 'detached' });
  await until('no scene is chosen', async () => (await scenes.inputValue()) === '');
  await scenes.selectOption('Evening');
  await until('the command', async () => (await commandsOf(page)).length === 1);
  for (const path of paths) await setKnown(path, true);
  await modes.waitFor();
  await until('it is known again', async () => (await scenes.inputValue()) === '2');
});

roomTest('a slider that is dragged back shows what is reported', {}, async (t, { fixture, page }) => {
  const slider = page.getByRole('slider', { name: 'Setpoint' });
  await slider.scrollIntoViewIfNeeded();
  const box = await slider.boundingBox();
  if (box === null) throw new Error('no slider');
  const y = box.y + box.height / 2;
  const text = () => slider.getAttribute('aria-valuetext');
  const before = await text();
  await recordCommands(page);
  await page.mouse.move(box.x + box.width - 20, y);
  await page.mouse.down();
  let x = box.x + box.width - 20;
  const output = page.locator('.slider output');
  await output.waitFor();
  for (; x > box.x && (await text()) !== before; x -= 2) await page.mouse.move(x, y);
  t.equal(await text(), before);
  await page.mouse.up();
  await output.waitFor({ state: 'detached' });
  t.strictSame(await commandsOf(page), [], 'nothing is sent');
  await rpc(fixture, 'RequestAction', await fixture.id('area/ground/setpoint'), 25);
  await page.locator('input[aria-valuetext="25.0 °C"]').waitFor();
  t.equal(await slider.inputValue(), '25');
  await page.mouse.move(box.x + 20, y);
  await page.mouse.down();
  await page.mouse.up();
  await until('a drag elsewhere', async () => Number(await valueAt(fixture, 'area/ground/setpoint')) < 20);
});

roomTest('a typed text stays until it is sent', {}, async (t, { fixture, page }) => {
  const note = await fixture.id('area/ground/note');
  await page.evaluate(`location.hash = '#/object/${note}'`);
  const sheet = page.getByRole('dialog');
  const input = sheet.getByRole('textbox');
  await input.fill('typed');
  await rpc(fixture, 'SetValue', note, 'reported meanwhile');
  await sheet.locator('.large', { hasText: 'reported meanwhile' }).waitFor();
  t.equal(await input.inputValue(), 'typed');
  await input.press('Enter');
  await sheet.locator('.large', { hasText: 'typed' }).waitFor();
  await rpc(fixture, 'SetValue', note, 'reported afterwards');
  await until('what is reported', async () => (await input.inputValue()) === 'reported afterwards');
  // Nothing arrives: the text can be sent again.
  await page.evaluate('WebSocket.prototype.send = function () { window.socket = this; }');
  await input.fill('lost');
  await input.press('Enter');
  await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
  t.equal(await input.inputValue(), 'lost');
  await page.evaluate('window.socket.close()');
  await sheet.locator('button[aria-disabled=true]', { hasText: 'Set' }).waitFor();
  t.equal(await input.inputValue(), 'lost', 'also without a connection');
});

roomTest('a short touch with two fingers is no hold', { isTouched: true }, async (t, { page }) => {
  await recordCommands(page);
  const door = page.getByRole('button', { name: /Front door/ });
  await door.and(page.locator('[aria-disabled=false]')).waitFor();
  // Within one task, so that no other program of a busy machine makes it a hold.
  await page.evaluate(`(() => {
    const button = [...document.querySelectorAll('button.tile')].find((one) => /Front door/.test(one.textContent));
    for (const type of ['pointerdown', 'pointerup'])
      for (const pointerId of [1, 2])
        button.dispatchEvent(new PointerEvent(type, { pointerId, bubbles: true }));
  })()`);
  await page.locator('.tile', { hasText: 'Press and hold' }).waitFor();
  // Timers of a page fire in the order of their ends: that of the hold would fire before this one.
  await page.evaluate(`new Promise((resolve) => setTimeout(resolve, ${HOLD_MS + 50}))`);
  t.strictSame(await commandsOf(page), []);
  await door.dispatchEvent('pointerdown', { button: 0 });
  await until('the command', async () => (await commandsOf(page)).length === 1);
});

roomTest('a rejected switch shows on the tile of its level', {}, async (t, { fixture, page }) => {
  await rpc(fixture, 'GW_SimulatePwmGone', 'simulated.pwm', true);
  await page.locator('.tile.bad', { hasText: 'Table lamp' }).waitFor();
  await page.getByRole('switch', { name: 'Table lamp' }).click();
  const tile = page.locator('.tile.rejected', { hasText: 'Table lamp' });
  await tile.waitFor();
  t.match(await tile.textContent(), /—/, 'the value stays that of the level');
  await page.evaluate('WebSocket.prototype.send = () => undefined');
  await page.getByRole('switch', { name: 'Table lamp' }).click();
  await page.locator('.tile.wide[aria-busy=true]', { hasText: 'Table lamp' }).waitFor();
});

roomTest('a hidden page applies the changes that it receives', {}, async (t, { fixture, page }) => {
  const relay = await fixture.id('area/ground/hall_relay/STATE');
  const shown = (isOn: boolean) =>
    page.locator(`[role=switch][aria-checked=${isOn}]`, { hasText: 'Hall relay' }).waitFor();
  await shown(false);
  // The page is hidden while it waits for a frame, which then is not painted.
  await page.evaluate(`(() => {
    window.requestAnimationFrame = () => {
      window.isWaiting = true;
      return 0;
    };
  })()`);
  await rpc(fixture, 'RequestAction', relay, true);
  await until('the change', () => page.evaluate<boolean>('window.isWaiting === true'));
  const state = await page.evaluate<string>(`(async () => {
    Object.defineProperty(document, 'visibilityState', { value: 'hidden' });
    document.dispatchEvent(new Event('visibilitychange'));
    await new Promise((resolve) => setTimeout(resolve));
    return [...document.querySelectorAll('[role=switch]')].find((one) => /Hall relay/.test(one.textContent)).ariaChecked;
  })()`);
  t.equal(state, 'true', 'without waiting for the next call, which applies them, too');
  await rpc(fixture, 'RequestAction', relay, false);
  await shown(false);
});
