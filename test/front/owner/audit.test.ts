import t from 'tap';
import { idOf, rpc } from '../../tools/client/json-rpc.js';
import { callOverWebSocket } from '../../tools/client/message-stream.js';
import { Browser } from '../../tools/client/browser.js';
import { signIn } from '../../tools/front/console-pages.js';
import { axeFindings, noBrowser, openPage, startBrowser } from '../../tools/front/browser.js';
import { layoutFindings } from '../../tools/front/layout-findings.js';
import { startArea } from '../../tools/front/sample-area.js';

t.test('who did what is a sentence, and wrong passwords are listed', { skip: noBrowser }, async (t) => {
  const fixture = await startArea(t);
  const relay = await fixture.id('area/ground/hall_relay/STATE');
  const boiler = await fixture.id('area/ground/boiler');
  await rpc(fixture, 'RequestAction', relay, true);
  await rpc(fixture, 'HW_WriteValueBoolean', boiler, 'STATE', true);
  await rpc(fixture, 'SVC_SetName', boiler, 'Boiler <b>');
  await rpc(fixture, 'SVC_SetHidden', boiler, true);
  t.equal(await rpc(fixture, 'SVC_SetIdent', boiler, 'not an ident'), 'IDENT_INVALID');
  const locked = await idOf(fixture, 'locked');
  const stranger = new Browser(fixture.port);
  await stranger.send(['POST', `/wfc/${locked}/session`], { body: { password: 'rose' } });
  await stranger.send(['POST', `/wfc/${locked}/session`], { body: { password: 'tulip', device: 'Phone' } });
  await using socket = await stranger.open(`/wfc/${locked}/api/`);
  await callOverWebSocket(socket, 'WFC_Execute', [locked, 0, relay, false]);
  const browser = await startBrowser(t);
  const address = `${new URL(fixture.locked).origin}/console/#/log`;
  const { page, problems } = await openPage(browser, address);
  await signIn(page);
  await page.getByRole('tab', { name: 'Calls' }).click();
  const rows = page.locator('.calls > li > p');
  await rows.first().waitFor();
  t.strictSame((await rows.allTextContents()).slice(0, 7), [
    'Phone set Hall relay · State to Off',
    'Wrong password: front Locked',
    'The owner could not change Boiler <b>',
    'The owner hid Boiler <b>',
    'The owner renamed an object to Boiler <b>',
    'The owner set Boiler <b> · State to On',
    'The owner set Hall relay · State to On',
  ]);
  await page.locator('.calls summary').first().click();
  await page.getByText(`WFC_Execute(${locked}, 0, ${relay}, false)`).waitFor();
  t.strictSame(await axeFindings(page), []);
  t.strictSame(await layoutFindings(page), []);
  await page.getByLabel('Result').selectOption('failed');
  await page.getByText('The owner hid').waitFor({ state: 'detached' });
  t.equal(await rows.count(), 2);
  await page.getByLabel('Done by').selectOption('unverified');
  await page.getByText('could not').waitFor({ state: 'detached' });
  t.match(await page.locator('.calls small').allTextContents(), [/from 127\.0\.0\.1$/]);
  await page.evaluate("location.hash = '#/system/sessions'");
  await page.getByRole('heading', { name: 'Wrong passwords' }).waitFor();
  await page.getByText('Wrong password: front Locked').waitFor();
  await page.evaluate("location.hash = '#/system/appearance'");
  await page.getByLabel('Language').selectOption('de');
  await page.evaluate("location.hash = '#/log'");
  await page.getByRole('tab', { name: 'Aufrufe' }).click();
  await rows.first().waitFor();
  t.match((await rows.allTextContents()).slice(0, 4), [
    'Phone hat Hall relay · Zustand auf Aus gesetzt',
    'Falsches Passwort: Oberfläche Locked',
    'Der Besitzer konnte Boiler <b> nicht ändern',
    'Der Besitzer hat Boiler <b> verborgen',
  ]);
  t.strictSame(problems, []);
});
