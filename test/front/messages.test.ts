import t, { type Test } from 'tap';
import { rpc } from '../tools/client/json-rpc.js';
import { TcpProxy } from '../tools/client/tcp-proxy.js';
import { noBrowser, openPage, startBrowser } from '../tools/front/browser.js';
import { HOSTILE, startArea } from '../tools/front/sample-area.js';

/** The first page behind a connection that can be cut, and a function that sends a message to it. */
async function openFront(t: Test) {
  const fixture = await startArea(t);
  const proxy = await TcpProxy.start(fixture.gateway.port('web') ?? 0);
  t.teardown(() => proxy[Symbol.asyncDispose]());
  const browser = await startBrowser(t);
  const { page, problems } = await openPage(browser, fixture.front.replace(/:\d+/, `:${proxy.port}`));
  await page.locator('.room').first().waitFor();
  const configurator = await fixture.id('wf').catch(() => Number(fixture.front.split('/').at(-2)));
  const send = async (name: string, ...parameters: unknown[]) => {
    t.equal(await rpc(fixture, `WFC_${name}`, configurator, ...parameters), true, name);
  };
  return { fixture, proxy, page, problems, send };
}

t.test('a popup stays until it is closed, and its texts are texts', { skip: noBrowser }, async (t) => {
  const { page, send, problems } = await openFront(t);
  await send('SendPopup', HOSTILE, 'Somebody is there');
  const popup = page.getByRole('dialog');
  await popup.waitFor();
  t.match(await popup.textContent(), `${HOSTILE}Somebody is there`);
  await page.getByRole('button', { name: 'Close' }).click();
  await popup.waitFor({ state: 'detached' });
  await page.getByRole('link', { name: /Messages/ }).click();
  // The page is a chunk of its own; until it is loaded, the former one stays.
  await page.getByRole('heading', { level: 1, name: 'Messages' }).waitFor();
  t.match(await page.getByRole('listitem').textContent(), /Somebody is there/);
  await page.evaluate('window.isSamePage = true');
  await send('SendPopup', 'Another popup', 'for all');
  await popup.waitFor();
  await send('Reload');
  await send('SendNotification', 'Afterwards', '', '', 0);
  await page.locator('.note-card', { hasText: 'Afterwards' }).waitFor();
  t.equal(await page.evaluate('window.isSamePage'), true, 'a popup is read before the page is reloaded');
  const reloaded = page.waitForEvent('load');
  await popup.getByRole('button', { name: 'Close' }).click();
  await reloaded;
  t.strictSame(problems, []);
});

t.test('a notification goes after its time, and leads to its object', { skip: noBrowser }, async (t) => {
  const { fixture, page, send } = await openFront(t);
  await page.clock.install();
  await send('SendNotification', 'Washing machine', 'It has finished', 'Bulb', 60);
  await page.locator('.note-card', { hasText: 'It has finished' }).waitFor();
  await page.clock.fastForward(60_000);
  await page.locator('.note-card').waitFor({ state: 'detached' });
  await send('PushNotification', 'Boiler', 'It is on', '', await fixture.id('area/ground/boiler'));
  await page.getByRole('button', { name: 'Show' }).click();
  await page.getByRole('dialog', { name: 'Boiler' }).waitFor();
  await page.evaluate("location.hash = '#/'");
  await send('PushNotification', 'Hall', 'A link', '', await fixture.id('area/upper/link'));
  await page.locator('.note-card', { hasText: 'A link' }).getByRole('button', { name: 'Show' }).click();
  await page.getByRole('dialog', { name: 'Hall relay' }).getByRole('switch').waitFor();
});

t.test(
  'pages, categories and instances are opened, and the page is reloaded',
  { skip: noBrowser },
  async (t) => {
    const { fixture, page, send } = await openFront(t);
    const ground = await fixture.id('area/ground');
    await send('OpenCategory', ground);
    await page.getByRole('heading', { level: 1, name: 'Ground floor' }).waitFor();
    await send('OpenCategory', await fixture.id('area/ground/boiler'));
    await page.getByRole('dialog', { name: 'Boiler' }).waitFor();
    const boiler = await fixture.id('area/ground/boiler');
    const configuration = (content: object) => JSON.stringify(content);
    const items = [
      { ID: 'first', ClassName: 'stellwerk.page', Configuration: configuration({ title: 'Every day' }) },
      {
        ID: 'night',
        ClassName: 'stellwerk.page',
        Configuration: configuration({ title: 'At night' }),
        Position: 1,
      },
      {
        ID: 'heat',
        ParentID: 'night',
        ClassName: 'stellwerk.section',
        Configuration: configuration({ title: 'Heating' }),
      },
      {
        ID: 'tile',
        ParentID: 'heat',
        ClassName: 'stellwerk.tile',
        Configuration: configuration({ object: boiler, name: 'Heater', confirm: true }),
      },
      {
        ID: 'other',
        ParentID: 'first',
        ClassName: 'stellwerk.tile',
        Configuration: configuration({ object: 'ground/hall_relay' }),
      },
    ];
    await send('SetItems', JSON.stringify(items));
    const reloaded = page.waitForEvent('load');
    await send('Reload');
    await reloaded;
    await page.locator('dialog, h1').first().waitFor();
    await page.evaluate("location.hash = ''");
    await page.getByRole('switch', { name: /Hall relay/ }).waitFor();
    await send('SwitchPage', 'heat');
    await page.getByRole('heading', { level: 1, name: 'At night' }).waitFor();
    const heater = page.getByRole('switch', { name: /Heater/ });
    await heater.click();
    await page.locator('.tile', { hasText: 'Press and hold' }).waitFor();
    t.equal(await heater.getAttribute('aria-checked'), 'false', 'what must be confirmed needs a hold');
  },
);

t.test(
  'a message has its effect once, also if it was sent while the page was away',
  { skip: noBrowser },
  async (t) => {
    const { fixture, proxy, page, send } = await openFront(t);
    await send('SendNotification', 'Before', '', '', 0);
    await page.locator('.note-card', { hasText: 'Before' }).waitFor();
    proxy.freeze();
    proxy.cut();
    await page.locator('.banner').waitFor();
    await send('SendNotification', 'Meanwhile', '', '', 0);
    // The area itself has changed: the page takes a snapshot, which contains no messages.
    await rpc(fixture, 'SVC_SetParent', await fixture.id('area/upper/bath'), await fixture.id('elsewhere'));
    proxy.thaw();
    proxy.cut();
    await page.locator('.note-card', { hasText: 'Meanwhile' }).waitFor();
    await page.locator('.banner').waitFor({ state: 'detached' });
    await send('SendNotification', 'After', '', '', 0);
    await page.locator('.note-card', { hasText: 'After' }).waitFor();
    t.strictSame(await page.locator('.note-card strong').allTextContents(), ['Before', 'Meanwhile', 'After']);
  },
);
