import type { Page } from 'playwright-core';
import t, { type Test } from 'tap';
import { idOf, rpc } from '../tools/client/json-rpc.js';
import { noBrowser, openPage, startBrowser } from '../tools/front/browser.js';
import { signIn, visitConsole } from '../tools/front/console-pages.js';
import { AREA_TREE, HOSTILE, startArea, type AreaFixture } from '../tools/front/sample-area.js';

/** The sample area with a hostile text in front of the name of every object and association. */
const HOSTILE_TREE = AREA_TREE.replace(
  /\b(instance|category|variable|script|media|link|name): '?([^',}\n]+)'?/g,
  (_all, key: string, name: string) => `${key}: '${HOSTILE} ${name.replace(HOSTILE, '').trim()}'`,
);

/** Hostile texts in everything else that has a text: titles, logs, calls, devices, items, events, notes. */
async function poison(t: Test, fixture: AreaFixture): Promise<void> {
  const configurator = Number(fixture.front.split('/').at(-2));
  const outside = await fixture.id('area/ground/outside');
  await rpc(fixture, 'SVC_SetName', configurator, HOSTILE);
  await rpc(fixture, 'SVC_SetInfo', await fixture.id('area/ground/boiler'), HOSTILE);
  await rpc(fixture, 'SVC_LogMessage', HOSTILE, HOSTILE);
  await rpc(fixture, 'GW_MakeBackup', HOSTILE);
  await rpc(fixture, 'SVC_SetVariableCustomProfile', outside, await profile(fixture));
  const login = new URL('session', fixture.locked);
  const headers = { 'Content-Type': 'application/json', Origin: login.origin };
  const body = JSON.stringify({ password: 'tulip', device: HOSTILE });
  t.equal((await fetch(login, { method: 'POST', headers, body })).status, 200);
  const page = { ID: 'p', ClassName: 'stellwerk.page', Configuration: JSON.stringify({ title: HOSTILE }) };
  const tile = {
    ID: 't',
    ParentID: 'p',
    ClassName: 'stellwerk.tile',
    Configuration: JSON.stringify({ object: 'ground/hall_relay', name: HOSTILE }),
  };
  const locked = await idOf(fixture, 'locked');
  t.equal(await rpc(fixture, 'WFC_SetItems', locked, JSON.stringify([page, tile])), true);
}

/** A profile whose prefix and suffix are hostile. */
async function profile(fixture: AreaFixture): Promise<string> {
  await rpc(fixture, 'SVC_CreateVariableProfile', 'Hostile', 2);
  await rpc(fixture, 'SVC_SetVariableProfileText', 'Hostile', HOSTILE, HOSTILE);
  return 'Hostile';
}

/** Fails if a text became an element or ran; whether the page shows one. */
async function isShownAsText(t: Test, page: Page, where: string): Promise<boolean> {
  const images = "document.querySelectorAll('img[src=x], [onerror]').length";
  t.equal(await page.evaluate(images), 0, `no element: ${where}`);
  t.not(await page.title(), '1', `nothing ran: ${where}`);
  return (await page.locator('body').innerText()).includes(HOSTILE);
}

t.test('hostile texts are texts on every page', { skip: noBrowser }, async (t) => {
  const fixture = await startArea(t, { tree: HOSTILE_TREE });
  await poison(t, fixture);
  const browser = await startBrowser(t);
  const pages: readonly (readonly [string, string, string])[] = [
    ['home', '', '.room'],
    ['room', `#/room/${await fixture.id('area/ground')}`, '.tile.wide'],
    ['sheet', `#/object/${await fixture.id('area/ground/boiler')}`, 'dialog.sheet'],
    ['sheet of a text', `#/object/${await fixture.id('area/ground/note')}`, 'dialog.sheet'],
    ['chart', `#/history/${await fixture.id('area/upper/chart')}`, 'h1'],
    ['history', `#/history/${await fixture.id('area/ground/outside')}`, 'h1'],
    ['popup', '#/messages', 'dialog'],
  ];
  const { page, problems } = await openPage(browser, fixture.front);
  await page.locator('.room').first().waitFor();
  const configurator = Number(fixture.front.split('/').at(-2));
  for (const [name, hash, loaded] of pages) {
    await page.evaluate(`location.hash = ${JSON.stringify(hash)}`);
    if (name === 'popup') await rpc(fixture, 'WFC_SendPopup', configurator, HOSTILE, HOSTILE);
    await page.locator(loaded).first().waitFor();
    t.ok(await isShownAsText(t, page, name), `shown: ${name}`);
  }
  t.strictSame(problems, [], 'no errors, no violations of the policy');

  const locked = await openPage(browser, fixture.locked);
  await locked.page.getByLabel('Password').fill('tulip');
  await locked.page.getByLabel('Password').press('Enter');
  await locked.page.locator('.tile').first().waitFor();
  t.ok(await isShownAsText(t, locked.page, 'items'), 'shown: items');

  const owner = await openPage(browser, `${new URL(fixture.front).origin}/console/`, {
    width: 1280,
    height: 800,
  });
  await signIn(owner.page);
  const shown: string[] = [];
  await visitConsole(owner.page, fixture, async (where) => {
    if (await isShownAsText(t, owner.page, where)) shown.push(where);
  });
  t.ok(shown.length > 20, `shown on ${shown.length} pages and tabs of the console`);
  t.strictSame(owner.problems, [], 'no errors, no violations of the policy');
});

t.test('names that every JavaScript object has are names', { skip: noBrowser }, async (t) => {
  const names = ['constructor', '__proto__', 'toString', 'valueOf'];
  const fixture = await startArea(t);
  // Their English names are translated: a relay's variables, and those of the gateway itself.
  const relay = await fixture.id('area/ground/hall_relay');
  const gateway = await idOf(fixture, 'stellwerk');
  for (const parent of [relay, gateway]) {
    const left = [...names];
    for (const child of (await rpc(fixture, 'SVC_GetChildrenIDs', parent)) as number[])
      if (left.length > 0 && (await rpc(fixture, 'SVC_VariableExists', child)) === true)
        await rpc(fixture, 'SVC_SetName', child, left.shift());
  }
  const browser = await startBrowser(t);
  const locale = 'de-DE';
  const { page, problems } = await openPage(browser, `${fixture.front}#/object/${relay}`, { locale });
  await page.locator('dialog.sheet').waitFor();
  t.match(await page.locator('dialog.sheet').innerText(), /constructor|toString|valueOf/);
  t.strictSame(problems, []);

  const address = `${new URL(fixture.front).origin}/console/`;
  const owner = await openPage(browser, address, { locale, width: 1280, height: 800 });
  await signIn(owner.page);
  for (const parent of [relay, gateway]) {
    await owner.page.evaluate(`location.hash = '#/tree/${parent}'`);
    for (const name of names)
      await owner.page.locator('.values').getByText(name, { exact: true }).first().waitFor();
  }
  t.strictSame(owner.problems, []);
});
