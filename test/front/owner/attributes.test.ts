import t from 'tap';
import { rpc } from '../../tools/client/json-rpc.js';
import { noBrowser, startBrowser } from '../../tools/front/browser.js';
import { signIn } from '../../tools/front/console-pages.js';
import { holdReply } from '../../tools/front/held-reply.js';
import { startArea } from '../../tools/front/sample-area.js';
import { until } from '../../tools/until.js';

t.test(
  'a rejected attribute of an object is saved by Enter and by leaving',
  { skip: noBrowser },
  async (t) => {
    const fixture = await startArea(t);
    const browser = await startBrowser(t);
    const page = await (await browser.newContext({ locale: 'en-GB' })).newPage();
    const reply = await holdReply(page, 'SVC_SetInfo');
    const [boiler, heater] = [await fixture.id('area/ground/boiler'), await fixture.id('area/ground/heater')];
    await page.goto(`${new URL(fixture.front).origin}/console/#/tree/${boiler}`);
    await signIn(page);
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
    await notes.press('Enter');
    await reply.held();
    await notes.press('End');
    await notes.pressSequentially(' wall');
    reply.deliver();
    await until('what was typed meanwhile', async () => {
      await notes.press('Enter');
      return (await object()).ObjectInfo === 'north wall';
    });
  },
);
