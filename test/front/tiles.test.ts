import t from 'tap';
import { mediaType } from '../../src/kernel/media.js';
import { rpc, valueAt } from '../tools/client/json-rpc.js';
import { noBrowser, openPage, startBrowser } from '../tools/front/browser.js';
import { layoutFindings } from '../tools/front/layout-findings.js';
import { roomTest } from '../tools/front/room-test.js';
import { AREA_TREE, HOSTILE, startArea } from '../tools/front/sample-area.js';
import { until } from '../tools/until.js';

/** One pixel. */
const GIF = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64');

roomTest('a switch switches, and follows what others do', {}, async (t, { fixture, page }) => {
  const relay = page.getByRole('switch', { name: /Hall relay/ });
  t.equal(await relay.getAttribute('aria-checked'), 'false');
  await relay.click();
  await until(
    'the relay is on',
    async () => (await valueAt(fixture, 'area/ground/hall_relay/STATE')) === true,
  );
  await page.locator('[role=switch][aria-checked=true]', { hasText: 'Hall relay' }).waitFor();
  await rpc(fixture, 'RequestAction', await fixture.id('area/ground/hall_relay/STATE'), false);
  await page.locator('[role=switch][aria-checked=false]', { hasText: 'Hall relay' }).waitFor();
});

roomTest('a command that the hardware rejects never shows as its state', {}, async (t, { fixture, page }) => {
  const relay = page.getByRole('switch', { name: /Hall relay/ });
  await page.evaluate(`(() => {
    window.seen = new Set();
    const one = [...document.querySelectorAll('[role=switch]')].find((e) => e.textContent.includes('Hall relay'));
    new MutationObserver(() => window.seen.add(one.getAttribute('aria-checked'))).observe(one, { attributes: true });
  })()`);
  await rpc(fixture, 'GW_SimulateRefusal', 'RELAY1', true);
  await relay.click();
  await page.getByRole('alert').filter({ hasText: 'Hall relay: not carried out' }).waitFor();
  await page.locator('.tile.rejected', { hasText: 'Hall relay' }).waitFor();
  t.notOk((await page.evaluate<string[]>('[...window.seen]')).includes('true'));
  t.equal(await relay.getAttribute('aria-checked'), 'false');
});

for (const { locale, rule, numbers } of [
  { locale: 'en-GB', rule: 'minimum on time until', numbers: ['21.5', '1,000.5', '22.5'] },
  { locale: 'de-DE', rule: 'Mindesteinschaltzeit bis', numbers: ['21,5', '1.000,5', '22,5'] },
] as const)
  roomTest(
    `a rule that forbids a command is named with its end, and what is no number is rejected: ${locale}`,
    { locale },
    async (t, { fixture, page }) => {
      const boiler = page.getByRole('switch', { name: /Boiler/ });
      await boiler.click();
      const tile = page.locator('.tile', { hasText: 'Boiler' });
      await page.locator('[role=switch][aria-checked=true]', { hasText: 'Boiler' }).waitFor();
      await boiler.click();
      await page.locator('.tile.rejected', { hasText: 'Boiler' }).waitFor();
      t.match(await tile.textContent(), new RegExp(`${rule} \\d\\d:\\d\\d:\\d\\d`));
      t.equal(await boiler.getAttribute('aria-checked'), 'true');
      const setpoint = await fixture.id('area/ground/setpoint');
      await rpc(fixture, 'SVC_SetVariableCustomProfile', setpoint, '');
      await page.evaluate(`location.hash = '#/object/${setpoint}'`);
      const field = page.getByRole('textbox', { name: 'Setpoint' });
      await page.locator('form button[aria-disabled=false]').waitFor();
      t.equal(await field.inputValue(), numbers[0]);
      for (const wrong of [numbers[1], '']) {
        await field.fill(wrong);
        await field.press('Enter');
        t.ok(await field.evaluate((one) => one.matches(':invalid:focus')), `"${wrong}" is rejected`);
      }
      await field.fill(numbers[2]);
      await field.press('Enter');
      await until('the number', async () => (await valueAt(fixture, 'area/ground/setpoint')) === 22.5);
    },
  );

roomTest('an interlock names no object outside of the area', {}, async (t, { fixture, page }) => {
  await rpc(fixture, 'RequestAction', await fixture.id('elsewhere/pump/STATE'), true);
  const well = page.getByRole('switch', { name: /Well/ });
  await well.click();
  const tile = page.locator('.tile.rejected', { hasText: 'Well' });
  await tile.waitFor();
  t.match(await tile.textContent(), /another device in the group is on/);
  t.notMatch(await page.locator('body').textContent(), /neighbours|RELAY/);
  t.equal(await well.getAttribute('aria-checked'), 'false');
});

roomTest('the image of a device is shown while it is available', {}, async (t, { fixture, page }) => {
  const { kernel } = fixture.gateway;
  const parent = kernel.tree.get(await fixture.id('area/ground/hall_relay'));
  const media = kernel.media.create(mediaType.image, { parent, name: 'Porch camera' });
  kernel.media.setDeclared(media, true);
  const tile = page.locator('.tile', { hasText: 'Porch camera' });
  await tile.waitFor();
  t.equal(await tile.locator('img').count(), 0, 'it has sent none yet');
  await page.route('**/media/**', (route) => route.abort(), { times: 1 });
  kernel.media.report(media, GIF, { updated: 0, available: true });
  const failed = page.waitForEvent('requestfailed');
  kernel.media.announceContent(media, media.data);
  await failed;
  for (const at of [1, 2]) {
    kernel.media.report(media, Buffer.concat([GIF, Buffer.alloc(at)]), { updated: at, available: true });
    kernel.media.announceContent(media, media.data);
    await tile.locator(`img[src$="?${media.data.crc}"]`).waitFor();
    await until('it is loaded', () => tile.locator('img').evaluate((image) => image.naturalWidth === 1));
  }
  kernel.media.setAvailable(media, false);
  await tile.locator('img').waitFor({ state: 'detached' });
});

t.test('long names and values stay within their tiles on a narrow phone', { skip: noBrowser }, async (t) => {
  const tree = AREA_TREE.replace('name: Automatic', 'name: Donaudampfschifffahrtsgesellschaftsbetrieb')
    .replace(`name: '${HOSTILE}'`, 'name: Abwesend')
    .replace('variable: Scene', 'variable: Rindfleischetikettierungsüberwachungsaufgabe');
  const fixture = await startArea(t, { tree });
  const address = `${fixture.front}#/room/${await fixture.id('area/ground')}`;
  const { page, problems } = await openPage(await startBrowser(t), address, { width: 320, height: 640 });
  const tile = page.locator('.tile.wide', { hasText: 'Mode' });
  await tile.getByRole('combobox', { name: 'Mode' }).waitFor();
  const wide = await page.evaluate<string[]>(`[...document.querySelectorAll('.tile, .tile *')]
    .filter((one) => !one.matches('option') && one.checkVisibility() && one.getBoundingClientRect().right > one.closest('li').getBoundingClientRect().right + 0.5)
    .map((one) => one.outerHTML.slice(0, 120))`);
  t.strictSame(wide, []);
  t.strictSame(await layoutFindings(page), []);
  t.strictSame(problems, []);
});

roomTest('a scheduled change is announced', {}, async (_t, { fixture, page }) => {
  await rpc(fixture, 'RequestAction', await fixture.id('area/ground/heater/STATE'), true);
  // In the last hour of a day, the date precedes the time.
  await page.locator('.tile', { hasText: /Heater.*Off at (?:.+, )?\d\d:\d\d/ }).waitFor();
});

roomTest(
  'hardware that is gone has no value, and has one again when it is back',
  {},
  async (t, { fixture, page }) => {
    await rpc(fixture, 'GW_SimulateChipGone', 'simulated', true);
    const tile = page.locator('.tile.bad', { hasText: 'Hall relay' });
    await tile.waitFor();
    t.match(await tile.textContent(), /— · Unreachable/);
    t.equal(await tile.getAttribute('aria-checked'), 'false');
    await rpc(fixture, 'GW_SimulateChipGone', 'simulated', false);
    await page.locator('.tile.live', { hasText: 'Hall relay' }).waitFor();
  },
);

roomTest(
  'a device below a connection has a tile, and shows how old its value is, and whether it has one',
  {},
  async (t, { fixture, page }) => {
    const tile = (tone: string) => page.locator(`.tile.${tone}`, { hasText: 'Garden sensor' });
    const borderOf = (tone: string) =>
      page.evaluate<string>(
        `getComputedStyle([...document.querySelectorAll('.tile.${tone}')].find((one) => /Garden/.test(one.textContent))).borderTopStyle`,
      );
    const radio = await fixture.id('area/ground/radio');
    const sensor = await fixture.id('area/ground/radio/garden');
    const set = async (id: number, name: string, value: unknown) => {
      await rpc(fixture, 'SVC_SetProperty', id, name, value);
      await rpc(fixture, 'SVC_ApplyChanges', id);
    };
    await tile('bad').waitFor();
    t.match(await tile('bad').textContent(), /— · No value yet/);
    await rpc(fixture, 'VIO_PushText', radio, 'T=21.5\r\n');
    await tile('stale').waitFor();
    t.match(await tile('stale').textContent(), /21\.5 °C · from moments ago · Report is overdue/);
    t.equal(await borderOf('stale'), 'dashed');
    await set(radio, 'Open', false);
    await tile('bad').waitFor();
    t.match(await tile('bad').textContent(), /— · Unreachable/);
    t.notMatch(await tile('bad').textContent(), /21\.5/);
    t.equal(await borderOf('bad'), 'dashed');
    await tile('bad').click();
    await page.getByText(/last known: 21\.5 °C/i).waitFor();
    await page.keyboard.press('Escape');
    await page.locator('dialog').waitFor({ state: 'detached' });
    await set(radio, 'Open', true);
    await tile('stale').waitFor();
    t.match(await tile('stale').textContent(), /21\.5 °C/, 'the old value, and that it is old');
    const rule = { Pattern: '^T=(.+)$', Ident: 'WARM', Type: 'float', Profile: '~Temperature' };
    await set(sensor, 'Rules', [rule]);
    await rpc(fixture, 'VIO_PushText', radio, 'T=22.5\r\n');
    await tile('live').filter({ hasText: '22.5 °C' }).waitFor();
    t.notMatch(await tile('live').textContent(), /·/, 'nothing but the value');
  },
);

roomTest('a favourite stays one when its device gets a second tile', {}, async (t, { fixture, page }) => {
  const radio = await fixture.id('area/ground/radio');
  const sensor = await fixture.id('area/ground/radio/garden');
  await rpc(fixture, 'VIO_PushText', radio, 'T=21.5\r\n');
  await page.evaluate(`location.hash = '#/object/${sensor}'`);
  await page.getByRole('button', { name: 'Add to favourites' }).click();
  await page.evaluate(`location.hash = '#/'`);
  const favourites = page.locator('section', { has: page.getByRole('heading', { name: 'Favourites' }) });
  await favourites.locator('.tile', { hasText: 'Garden sensor' }).waitFor();
  const rule = (Ident: string) => ({ Pattern: `^${Ident}=(.+)$`, Ident, Type: 'float', Profile: '' });
  await rpc(fixture, 'SVC_SetProperty', sensor, 'Rules', [rule('WARM'), rule('DAMP')]);
  await rpc(fixture, 'SVC_ApplyChanges', sensor);
  await rpc(fixture, 'VIO_PushText', radio, 'DAMP=55\r\n');
  await favourites.locator('.tile', { hasText: /Garden sensor.*55/ }).waitFor();
  t.equal(await favourites.locator('.tile').count(), 2);
  await page.evaluate(`location.hash = '#/object/${await fixture.id('area/ground/radio/garden/WARM')}'`);
  await page.getByRole('button', { name: 'Add to favourites' }).click();
  await page.evaluate(`location.hash = '#/'`);
  await favourites.waitFor();
  t.equal(await favourites.locator('.tile').count(), 2, 'each once');
});

roomTest('an open page learns that a variable is recorded', {}, async (t, { fixture, page }) => {
  const [archive] = (await rpc(fixture, 'SVC_GetInstanceListByModuleID', 'Archive Control')) as number[];
  const state = await fixture.id('area/ground/hall_relay/STATE');
  await page.evaluate(`location.hash = '#/object/${await fixture.id('area/ground/hall_relay')}'`);
  const sheet = page.getByRole('dialog');
  await sheet.getByRole('button', { name: 'Add to favourites' }).waitFor();
  const history = sheet.getByRole('link', { name: 'History' });
  t.equal(await history.count(), 0);
  t.equal(await rpc(fixture, 'AC_SetLoggingStatus', archive, state, true), true);
  await history.waitFor();
  await rpc(fixture, 'AC_SetLoggingStatus', archive, state, false);
  await history.waitFor({ state: 'detached' });
});

roomTest('a pulse must be held, or sent with Enter twice', {}, async (t, { fixture, page }) => {
  const door = page.getByRole('button', { name: /Front door/ });
  const changed = () =>
    fixture.id('area/ground/door/STATE').then((id) => rpc(fixture, 'SVC_GetVariable', id));
  const before = JSON.stringify(await changed());
  await door.click();
  await page.locator('.tile', { hasText: 'Press and hold' }).waitFor();
  t.equal(JSON.stringify(await changed()), before, 'a short press does nothing');
  await door.hover();
  await page.mouse.down();
  await until('the pulse', async () => JSON.stringify(await changed()) !== before);
  await page.mouse.up();
  await until('its end', async () => (await valueAt(fixture, 'area/ground/door/STATE')) === false);
  const between = JSON.stringify(await changed());
  await door.focus();
  // Without an `up` between them, all but the first are repetitions.
  for (const key of ['Enter', 'Enter', 'Enter']) await page.keyboard.down(key);
  await page.keyboard.up('Enter');
  await page.locator('.tile', { hasText: 'Press Enter again' }).waitFor();
  t.equal(JSON.stringify(await changed()), between, 'nor one key, however long it is held');
  await door.press('Enter');
  await until('the second pulse', async () => JSON.stringify(await changed()) !== between);
});

roomTest('levels, choices and a shutter are operated', {}, async (t, { fixture, page }) => {
  const value = (path: string, expected: unknown) =>
    until(
      `${path} is ${String(expected)}`,
      async () => (await valueAt(fixture, `area/ground/${path}`)) === expected,
    );
  await page.getByRole('button', { name: 'Increase Setpoint' }).click();
  await value('setpoint', 22);
  await page.locator('input[aria-valuetext="22.0 °C"]').waitFor();
  await page.getByRole('slider', { name: 'Setpoint' }).press('ArrowRight');
  await value('setpoint', 22.5);
  await page.getByRole('button', { name: 'Off', exact: true }).click();
  await value('mode', 0);
  await page.getByRole('combobox', { name: 'Scene' }).selectOption('Night');
  await value('scene', 3);
  t.match(await page.locator('.tile', { hasText: 'Blind of the living room' }).textContent(), /Unknown/);
  await page.getByRole('button', { name: 'Open: Blind of the living room' }).click();
  await page.locator('.tile', { hasText: /Blind of the living room.*opening/ }).waitFor();
  await page.getByRole('button', { name: 'Stop: Blind of the living room' }).click();
  await value('blind/MOVE', 2);
  await page.getByRole('switch', { name: 'Table lamp' }).click();
  await value('lamp/STATE', true);
});

roomTest(
  'the sheet sets colours, texts and times, and shows texts as texts',
  {},
  async (t, { fixture, page }) => {
    t.match(await page.locator('main').textContent(), new RegExp(HOSTILE));
    t.equal(await page.evaluate('document.querySelectorAll("img[src=x]").length'), 0);
    await page.getByRole('link', { name: /^Note/ }).click();
    await page.getByRole('textbox').fill('Buy milk');
    await page.getByRole('button', { name: 'Set', exact: true }).click();
    await until('the text', async () => (await valueAt(fixture, 'area/ground/note')) === 'Buy milk');
    await page.getByRole('button', { name: 'Close', exact: true }).click();
    await page.locator('dialog').waitFor({ state: 'detached' });
    await page.getByRole('link', { name: /^Colour/ }).click();
    await page.locator('input[type=color]').fill('#00ff00');
    await until('the colour', async () => (await valueAt(fixture, 'area/ground/colour')) === 0x00ff00);
    await page.keyboard.press('Escape');
    await page.locator('dialog').waitFor({ state: 'detached' });
    await page.getByRole('link', { name: /^Alarm clock/ }).click();
    const before = Number(await valueAt(fixture, 'area/ground/clock'));
    const input = page.locator('input[type=time]');
    const [hour = '', minute = ''] = (await input.inputValue()).split(':');
    await input.fill(`${hour}:${minute === '30' ? '31' : '30'}`);
    await page.getByRole('button', { name: 'Set', exact: true }).click();
    const after = Number(
      await until('the time', async () => {
        const now = Number(await valueAt(fixture, 'area/ground/clock'));
        return now === before ? 0 : now;
      }),
    );
    t.equal((after - before) % 60, 0);
    t.ok(Math.abs(after - before) < 3600, 'the hour and the day stay');
    t.equal(await page.title(), 'Family', 'nothing ran');
  },
);

t.test('nothing outside of the area and nothing hidden is sent', { skip: noBrowser }, async (t) => {
  const fixture = await startArea(t);
  const browser = await startBrowser(t);
  const context = await browser.newContext();
  const page = await context.newPage();
  const frames: string[] = [];
  page.on('websocket', (socket) => socket.on('framereceived', ({ payload }) => frames.push(String(payload))));
  await page.goto(`${fixture.front}#/room/${await fixture.id('area')}`);
  await page.locator('.tile').first().waitFor();
  const text = (await page.locator('body').textContent()) ?? '';
  t.notMatch(text, /Secret|Safe|Elsewhere|neighbours|Setter/);
  t.notMatch(frames.join(''), /Elsewhere|neighbours/);
});

roomTest('a script is run, a hidden one is not there', {}, async (t, { fixture, page }) => {
  await page.getByRole('button', { name: /^All off/ }).click();
  await until('its effect', async () => (await valueAt(fixture, 'area/ground/hostile')) === 2);
  const setter = await fixture.id('area/ground/setter');
  const configurator = Number(fixture.front.split('/').at(-2));
  t.equal(await rpc(fixture, 'WFC_Execute', configurator, 0, setter, 1), 'NOT_OF_TYPE');
});

roomTest('what the owner disables has no controls', {}, async (t, { fixture, page }) => {
  const relay = await fixture.id('area/ground/hall_relay');
  const tile = page.getByRole('switch', { name: /Hall relay/ });
  await tile.waitFor();
  await rpc(fixture, 'SVC_SetDisabled', relay, true);
  await tile.waitFor({ state: 'detached' });
  const configurator = Number(fixture.front.split('/').at(-2));
  const state = await fixture.id('area/ground/hall_relay/STATE');
  t.equal(await rpc(fixture, 'WFC_Execute', configurator, 0, state, true), 'NOT_ALLOWED');
  t.equal(await valueAt(fixture, 'area/ground/hall_relay/STATE'), false);
  await rpc(fixture, 'SVC_SetDisabled', relay, false);
  await tile.waitFor();
});

roomTest(
  "the sheet of one of a device's tiles has what belongs to all",
  {},
  async (_t, { fixture, page }) => {
    const opened = async (path: string) =>
      page.evaluate(`location.hash = '#/object/${await fixture.id(path)}'`);
    await opened('area/ground/lamp/STATE');
    const sheet = page.getByRole('dialog');
    await sheet.locator('summary', { hasText: 'Diagnostics' }).click();
    await sheet.locator('dd', { hasText: /^online$/ }).waitFor();
    await opened('area/ground');
    await sheet.waitFor({ state: 'detached' });
    await until('a room has a page instead', () => /#\/room\/\d+$/.test(page.url()));
  },
);

roomTest('diagnostics are in German', { locale: 'de-DE' }, async (t, { fixture, page }) => {
  await rpc(fixture, 'GW_SimulatePwmGone', 'simulated.pwm', true);
  await page.evaluate(`location.hash = '#/object/${await fixture.id('area/ground/lamp')}'`);
  const sheet = page.getByRole('dialog');
  await sheet.locator('summary', { hasText: 'Diagnose' }).click();
  await sheet.locator('dd', { hasText: /^wartet$/ }).waitFor();
  await sheet.locator('dd', { hasText: /^wartet seit .*\d\d:\d\d$/ }).waitFor();
  t.notMatch(await sheet.textContent(), /since|offline|UTC/);
  t.strictSame(await layoutFindings(page), []);
});

roomTest(
  'arrow keys move within a grid, which is one stop of the Tab key',
  {},
  async (t, { fixture, page }) => {
    const name = () =>
      page.evaluate<string>(
        'document.activeElement.textContent + (document.activeElement.getAttribute("aria-label") ?? "")',
      );
    // The program of the arrow keys is loaded.
    await page.locator('[data-stop]').waitFor();
    await page.getByRole('link', { name: 'Back' }).focus();
    await page.keyboard.press('Tab');
    t.match(await name(), /Hall relay/);
    await page.keyboard.press('ArrowRight');
    await until('the next', async () => /Details: Hall relay/.test(await name()));
    await page.keyboard.press('ArrowRight');
    await until('the next tile', async () => /Boiler/.test(await name()));
    await page.keyboard.press('ArrowDown');
    await until('below', async () => /Blind|Kitchen|door|window|button|All off/i.test(await name()));
    await page.keyboard.press('Home');
    await until('the first', async () => /Hall relay/.test(await name()));
    await page.keyboard.press('Enter');
    await until('it is on', async () => (await valueAt(fixture, 'area/ground/hall_relay/STATE')) === true);
    await page.keyboard.press('ArrowRight');
    await until('its details', async () => /Details: Hall relay/.test(await name()));
    await page.keyboard.press('Enter');
    await page.locator('dialog[open]').waitFor();
    await page.keyboard.press('Escape');
    await page.locator('dialog').waitFor({ state: 'detached' });
  },
);
