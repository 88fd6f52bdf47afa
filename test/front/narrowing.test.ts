import type { Page } from 'playwright-core';
import t from 'tap';
import { rpc } from '../tools/client/json-rpc.js';
import { TcpProxy } from '../tools/client/tcp-proxy.js';
import { noBrowser, openPage, startBrowser } from '../tools/front/browser.js';
import { AREA_TREE, startArea } from '../tools/front/sample-area.js';
import { until } from '../tools/until.js';

/** After this time on a page it receives only what it shows, ms; see src/front/resident/narrowing.ts. */
const SETTLED_MS = 20_000;

const tile = (page: Page, name: string, isOn: boolean) =>
  page.locator(`[role=switch][aria-checked=${isOn}]`, { hasText: name }).first();

const has = (texts: readonly string[], part: string, from = 0) =>
  texts.slice(from).some((text) => text.includes(part));

/** The sockets of a page that is opened next, their frames, and a wait until the page is narrowed. */
function watchFrames(page: Page) {
  const loaded = page.waitForResponse(/\/narrowing-/);
  loaded.catch(() => undefined /* A test that has failed closes the page before. */);
  const sockets: string[] = [];
  const sent: string[] = [];
  const received: string[] = [];
  page.on('websocket', (socket) => {
    sockets.push(socket.url());
    socket.on('framesent', ({ payload }) => sent.push(String(payload)));
    socket.on('framereceived', ({ payload }) => received.push(String(payload)));
  });
  /** The page is shown for so long that it is narrowed, and the gateway has confirmed it. */
  const settle = async () => {
    // Loaded after the first view, which may be shown long before: its time begins when it has run.
    await page.evaluate(`import(${JSON.stringify((await loaded).url())})`);
    const from = sent.length;
    await page.clock.runFor(SETTLED_MS);
    const call = await until('the filter', () =>
      sent.slice(from).find((text) => text.includes('GW_Subscribe')),
    );
    const { id: number } = JSON.parse(call) as { id: string };
    await until(
      'its reply',
      () =>
        has(received, `"id":${JSON.stringify(number)},"result":true`) ||
        has(received, `"result":true,"id":${JSON.stringify(number)}`),
    );
    return JSON.parse(call) as { readonly params: readonly (readonly number[])[] };
  };
  return { sockets, received, settle };
}

t.test(
  'the sheet of a single variable follows the other values of its device',
  { skip: noBrowser },
  async (t) => {
    const link = '          - { link: Warm water, ident: warm, target: area/ground/boiler/STATE }\n';
    const fixture = await startArea(t, {
      tree: AREA_TREE.replace(/(?= +- \{ link: Light of the hall)/, link),
    });
    const browser = await startBrowser(t);
    const { page } = await openPage(browser, new URL('/', fixture.front).href);
    await page.clock.install();
    const { received, settle } = watchFrames(page);
    const [device, state, rule] = [
      await fixture.id('area/ground/boiler'),
      await fixture.id('area/ground/boiler/STATE'),
      await fixture.id('area/ground/boiler/RULE'),
    ];
    await page.goto(`${fixture.front}#/room/${await fixture.id('area/upper')}`);
    await tile(page, 'Warm water', false).waitFor();
    const { params } = await settle();
    t.ok(params[0]?.includes(device), 'the device');
    const snapshots = received.filter((text) => text.includes('"objects":{')).length;
    await page.getByRole('link', { name: 'Details: Warm water' }).click();
    await page.getByRole('dialog').waitFor();
    await rpc(fixture, 'RequestAction', state, true);
    await until('the other value', () => has(received, `"SenderID":${rule}`));
    t.equal(
      received.filter((text) => text.includes('"objects":{')).length,
      snapshots,
      'opening the sheet needs no snapshot',
    );
  },
);

t.test('a page that is shown for a while receives only what it shows', { skip: noBrowser }, async (t) => {
  const fixture = await startArea(t);
  const proxy = await TcpProxy.start(fixture.gateway.port('web') ?? 0);
  t.teardown(() => proxy[Symbol.asyncDispose]());
  const browser = await startBrowser(t);
  const front = fixture.front.replace(/:\d+/, `:${proxy.port}`);
  const { page, problems } = await openPage(browser, new URL('/', front).href);
  await page.clock.install();
  const { sockets, received, settle } = watchFrames(page);
  const id = async (path: string) => fixture.id(`area/${path}`);
  const [upper, relay, boiler] = [
    await id('upper'),
    await id('ground/hall_relay/STATE'),
    await id('ground/boiler/STATE'),
  ];
  const change = (sender: number) => `"SenderID":${sender},"Message":10603`;

  await page.goto(`${front}#/room/${upper}`);
  await tile(page, 'Light of the hall', false).waitFor();
  const { params } = await settle();
  t.strictSame(params[0], [upper, await id('ground/hall_relay')], 'its room, and the target of its link');
  const from = received.length;
  await rpc(fixture, 'RequestAction', boiler, true);
  await rpc(fixture, 'RequestAction', relay, true);
  await rpc(fixture, 'WFC_SendPopup', await fixture.id('wf'), 'A popup', 'for all');
  await page.getByText('A popup').waitFor();
  await page.clock.runFor(100);
  await tile(page, 'Light of the hall', true).waitFor();
  t.ok(has(received, change(relay), from), 'a change of what it shows arrives');
  t.notOk(has(received, `"SenderID":${boiler}`, from), 'and none of what it does not show');
  await page.keyboard.press('Escape');

  await page.getByRole('link', { name: 'Home', exact: true }).click();
  await page.clock.runFor(100);
  await tile(page, 'Boiler', true).waitFor();
  t.pass('the first page shows what happened meanwhile');
  const home = received.length;
  await rpc(fixture, 'RequestAction', relay, false);
  await until('it receives everything', () => has(received, change(relay), home));

  await page.evaluate(`location.hash = '#/device'`);
  await page.getByRole('heading', { level: 1, name: 'This device' }).waitFor();
  await settle();
  await rpc(fixture, 'RequestAction', await id('ground/well/STATE'), true);
  proxy.freeze();
  proxy.cut();
  await page.locator('.banner').waitFor();
  await rpc(fixture, 'WFC_SendPopup', await fixture.id('wf'), 'A second popup', 'while it was away');
  const cut = received.length;
  proxy.thaw();
  proxy.cut();
  await page.clock.resume();
  await page.locator('.banner').waitFor({ state: 'detached' });
  t.match(sockets.at(-1), /messages=[1-9]/, 'the messages since are replayed');
  t.ok(
    has(received, '"objects":{', cut),
    'and a connection after one that was narrowed begins with a snapshot',
  );
  await page.getByText('A second popup').waitFor();
  t.equal(await page.getByRole('dialog').filter({ hasText: 'A second popup' }).count(), 1, 'once');
  await page.keyboard.press('Escape');
  await page.getByRole('link', { name: 'Home', exact: true }).click();
  await tile(page, 'Well', true).waitFor();
  t.strictSame(
    // The picture of the room has no file.
    problems.filter((problem) => !/status of 404/.test(problem)),
    [],
  );
});
