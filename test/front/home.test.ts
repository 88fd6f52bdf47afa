import t from 'tap';
import { rpc } from '../tools/client/json-rpc.js';
import { noBrowser, openPage, startBrowser } from '../tools/front/browser.js';
import { startArea } from '../tools/front/sample-area.js';

t.test('a device that is on counts in the room to which it is moved', { skip: noBrowser }, async (t) => {
  const fixture = await startArea(t);
  const { page, problems } = await openPage(await startBrowser(t), fixture.front);
  const summary = (room: string, text: RegExp) =>
    page.getByRole('link', { name: room }).locator('small', { hasText: text }).waitFor();
  await summary('Upper floor', /^4 devices · 1 active$/);
  await rpc(fixture, 'RequestAction', await fixture.id('area/ground/heater/STATE'), true);
  await summary('Ground floor', / · 1 active$/);
  await rpc(fixture, 'SVC_SetParent', await fixture.id('area/ground/heater'), await fixture.id('area/upper'));
  await summary('Upper floor', /^5 devices · 2 active$/);
  t.strictSame(problems, []);
});
