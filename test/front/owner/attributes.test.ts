import t from 'tap';
import { rpc } from '../../tools/client/json-rpc.js';
import { noBrowser, startBrowser } from '../../tools/front/browser.js';
import { signIn } from '../../tools/front/console-pages.js';
import { openConsoleHolding } from '../../tools/front/held-reply.js';
import { startArea } from '../../tools/front/sample-area.js';
import { until } from '../../tools/until.js';

t.test(
  'a rejected attribute of an object is saved by Enter and by leaving',
  { skip: noBrowser },
  async (t) => {
    const fixture = await startArea(t);
    const [boiler, heater] = [await fixture.id('area/ground/boiler'), await fixture.id('area/ground/heater')];
    const { page, reply } = await openConsoleHolding(t, {
      fixture,
      hash: `#/tree/${boiler}`,
      method: 'SVC_SetInfo',
    });
    await page.getByRole('tab', { name: 'Object' }).click();
    const object = async () =>
      (await rpc(fixture, 'SVC_GetObject', boiler)) as {
        ObjectIdent: string;
        ObjectInfo: string;
        ObjectPosition: number;
      };
    const isIdent = (ident: string) =>
      until(`the ident ${ident}`, async () => (await object()).ObjectIdent === ident);
    const ident = page.getByLabel('Ident', { exact: true });
    const problem = page.locator('.inspector, main').getByRole('alert');

    await ident.fill('heater');
    await ident.press('Enter');
    await problem.waitFor();
    await rpc(fixture, 'SVC_SetIdent', heater, 'stove');
    await ident.press('Enter');
    await isIdent('heater');
    await problem.waitFor({ state: 'detached' });

    await ident.fill('stove');
    await ident.press('Tab');
    await problem.waitFor();
    await rpc(fixture, 'SVC_SetIdent', heater, 'oven');
    await ident.focus();
    await ident.press('Tab');
    await isIdent('stove');
    await problem.waitFor({ state: 'detached' });

    await ident.fill('oven');
    await ident.press('Tab');
    await problem.waitFor();
    await ident.press('Escape');
    t.equal(await ident.inputValue(), 'stove', 'what was entered is discarded');
    await problem.waitFor({ state: 'detached' });
    await ident.press('Tab');

    const position = page.getByLabel('Position', { exact: true });
    await position.fill('7');
    await position.press('Enter');
    await until('the position', async () => (await object()).ObjectPosition === 7);
    await position.fill('');
    await position.press('Tab');
    await until('the position is shown again', async () => (await position.inputValue()) === '7');
    t.equal((await object()).ObjectPosition, 7, 'an empty position is not saved');
    const count = (method: string) => reply.methods.filter((one) => one === method).length;
    t.equal(count('SVC_SetIdent'), 5, 'each is saved once');
    t.equal(count('SVC_SetPosition'), 1);

    const notes = page.getByLabel('Notes');
    await notes.fill('north');
    await notes.press('Control+Enter');
    await reply.held();
    await notes.press('End');
    await notes.pressSequentially(' wall');
    reply.deliver();
    await until('what was typed meanwhile', async () => {
      await notes.press('Control+Enter');
      return (await object()).ObjectInfo === 'north wall';
    });
  },
);

t.test('notes and texts keep their lines', { skip: noBrowser }, async (t) => {
  const fixture = await startArea(t);
  const text = (await rpc(fixture, 'SVC_CreateVariable', 3)) as number;
  await rpc(fixture, 'SVC_SetInfo', text, 'a\nb');
  await rpc(fixture, 'SetValue', text, 'x\ny');
  const page = await (await (await startBrowser(t)).newContext({ locale: 'en-GB' })).newPage();
  await page.goto(`${new URL(fixture.front).origin}/console/#/tree/${text}`);
  await signIn(page);
  const value = page.locator('.value-form').getByRole('textbox');
  await value.press('Control+End');
  await value.pressSequentially('z');
  await page.getByRole('button', { name: 'Set', exact: true }).click();
  await until('the text', async () => (await rpc(fixture, 'GetValue', text)) === 'x\nyz');
  await page.getByRole('tab', { name: 'Object' }).click();
  const notes = page.getByLabel('Notes');
  await notes.press('Control+End');
  await notes.pressSequentially('c');
  await notes.blur();
  const info = async () => ((await rpc(fixture, 'SVC_GetObject', text)) as { ObjectInfo: string }).ObjectInfo;
  await until('the notes', async () => (await info()).includes('c'));
  t.equal(await info(), 'a\nbc');
});
