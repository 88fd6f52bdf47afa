import { readFileSync } from 'node:fs';
import { cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import t from 'tap';
import { axeFindings, noBrowser, openPage, startBrowser } from '../tools/front/browser.js';
import { layoutFindings } from '../tools/front/layout-findings.js';
import { startArea, type AreaFixture } from '../tools/front/sample-area.js';
import { createPages } from '../../src/front/pages.js';
import { startApi } from '../tools/gateway/api-fixture.js';
import { rpc } from '../tools/client/json-rpc.js';
import { until } from '../tools/until.js';
import { tempDirectory } from '../tools/temp-directory.js';

t.test('the page /tls can be used in each size, theme and language', { skip: noBrowser }, async (t) => {
  const fixture = await startArea(t);
  const browser = await startBrowser(t, { isShell: false });
  const address = new URL('/tls', fixture.front).href;
  for (const [width, scheme, locale, title] of [
    [320, 'dark', 'de-DE', 'Diesem Gateway vertrauen'],
    [390, 'light', 'de-DE', 'Diesem Gateway vertrauen'],
    [820, 'dark', 'en-GB', 'Trust this gateway'],
    [1280, 'light', 'en-GB', 'Trust this gateway'],
  ] as const) {
    const { page, problems } = await openPage(browser, address, { width, scheme, locale });
    await page.getByRole('heading', { name: title }).waitFor();
    await page.evaluate("for (const one of document.querySelectorAll('details')) one.open = true");
    t.strictSame([await axeFindings(page), await layoutFindings(page), problems], [[], [], []], `${width}`);
    await page.context().close();
  }
});

const authorityOf = ({ directory }: { readonly directory: string }) =>
  readFileSync(join(directory, 'data/tls/ca-cert.pem'), 'utf8');

/** The address of the front without a password, over TLS. */
const secureFront = ({ front, secure }: AreaFixture) => new URL(new URL(front).pathname, secure).href;

/** The room with the relay. */
const roomOf = async (fixture: AreaFixture) =>
  `${secureFront(fixture)}#/room/${await fixture.id('area/ground')}`;

/** The scopes of the page's workers. */
const workers = (page: Page) =>
  page.evaluate<string[]>(
    'navigator.serviceWorker.getRegistrations().then((all) => all.map((one) => one.scope))',
  );

t.test(
  'a device that trusts the authority keeps the program, never values',
  { skip: noBrowser },
  async (t) => {
    const fixture = await startArea(t);
    const browser = await startBrowser(t, { trusts: authorityOf(fixture), isShell: false });
    const address = secureFront(fixture);
    const { page, problems } = await openPage(browser, await roomOf(fixture), { hasWorker: true });
    await page.getByRole('switch', { name: /Hall relay/ }).waitFor();
    await page.evaluate('navigator.serviceWorker.ready.then(() => true)');
    t.strictSame(await workers(page), [address]);
    const kept = await page.evaluate<string[]>(`caches.keys().then(async ([name]) => {
    const requests = await (await caches.open(name)).keys();
    return requests.map(({ url }) => new URL(url).pathname);
  })`);
    t.ok(kept.length > 10);
    t.strictSame(
      kept.filter((path) => path !== new URL(address).pathname && !/^\/front\/[\w.-]+$/.test(path)),
      [],
    );
    // The page is controlled by the worker from the next time on.
    await page.reload();
    await page.getByRole('switch', { name: /Hall relay/ }).waitFor();
    t.strictSame(problems, []);
    await fixture.gateway.close();
    await page.reload();
    await page.getByText('No connection to the gateway').waitFor();
    t.equal(await page.getByRole('switch').count(), 0, 'no values without the gateway');
    await page.getByRole('link', { name: 'This device' }).click();
    await page.reload();
    await page.getByText('No connection to the gateway').waitFor();
  },
);

t.test('after a dismissed warning there is no worker, and the page works', { skip: noBrowser }, async (t) => {
  const fixture = await startArea(t);
  const browser = await startBrowser(t, { isShell: false });
  const options = { hasWorker: true, dismissesWarning: true };
  const { page } = await openPage(browser, await roomOf(fixture), options);
  await page.getByRole('switch', { name: /Hall relay/ }).waitFor();
  const rejected = await page.evaluate<string>(
    `navigator.serviceWorker.register(trustedTypes.createPolicy('test', { createScriptURL: (url) => url })
      .createScriptURL('worker.js')).then(() => 'registered', ({ name }) => name)`,
  );
  t.equal(rejected, 'SecurityError');
  // The page has tried to register its worker, too: as long as that is in progress, there is a registration.
  await until('no worker', async () => (await workers(page)).length === 0);
});

t.test('both programs can be installed', { skip: noBrowser }, async (t) => {
  const fixture = await startArea(t);
  const browser = await startBrowser(t, { trusts: authorityOf(fixture), isShell: false });
  for (const [address, name] of [
    [secureFront(fixture), 'Family'],
    [new URL('/console/', fixture.secure).href, 'stellwerk'],
  ] as const) {
    const { page, problems } = await openPage(browser, address, { hasWorker: true });
    await page.evaluate('navigator.serviceWorker.ready.then(() => true)');
    const session = await page.context().newCDPSession(page);
    const { data = '', errors } = await session.send('Page.getAppManifest');
    t.strictSame(errors, []);
    const manifest = JSON.parse(data) as { name: string; icons: { src: string; purpose: string }[] };
    t.equal(manifest.name, name);
    t.ok(manifest.icons.some(({ purpose }) => purpose === 'maskable'));
    const { installabilityErrors } = await session.send('Page.getInstallabilityErrors');
    // A window without a profile of its own, as all of these tests, is a private one.
    t.strictSame(
      installabilityErrors.filter(({ errorId }) => errorId !== 'in-incognito'),
      [],
    );
    t.strictSame(problems, []);
  }
});

t.test('a newer build replaces an older one once its pages are closed', { skip: noBrowser }, async (t) => {
  const assets = await tempDirectory(t);
  const pages = createPages(() => ({}));
  await cp(pages.assets, assets, { recursive: true });
  const fixture = await startApi(
    t,
    { webServers: [{ name: 'secure', host: '127.0.0.1', port: 0, serve: 'front', tls: 'auto' }] },
    { pages: { ...pages, assets } },
  );
  const authority = readFileSync(join(fixture.directory, 'tls/ca-cert.pem'), 'utf8');
  const browser = await startBrowser(t, { trusts: authority, isShell: false });
  const address = `https://127.0.0.1:${fixture.api.port('secure')}/console/`;
  const { page } = await openPage(browser, address, { hasWorker: true });
  await page.evaluate('navigator.serviceWorker.ready.then(() => true)');
  const caches = () => page.evaluate<string[]>('caches.keys()');
  const [old = ''] = await caches();
  const worker = join(assets, 'worker-console.js');
  const version = old.split(' ').at(-1) ?? '';
  await writeFile(worker, (await readFile(worker, 'utf8')).replaceAll(version, 'newer'));
  await page.evaluate(`navigator.serviceWorker.ready.then((one) => one.update())`);
  await page.waitForFunction('navigator.serviceWorker.getRegistration().then((one) => one.waiting !== null)');
  t.strictSame((await caches()).length, 2, 'an open page keeps its files');
  await page.goto(new URL('/tls', address).href);
  // A page that is opened while a worker takes over waits for it, at times for very long.
  await page.waitForFunction(
    "navigator.serviceWorker.getRegistration('/console/').then((one) => one.waiting === null && one.active.state === 'activated')",
  );
  await page.goto(address);
  const newer = old.replace(version, 'newer');
  await page.waitForFunction(`caches.keys().then((names) => names.join() === ${JSON.stringify(newer)})`);
});

/** A browser's own push service cannot be reached in a test: it gives this subscription. */
const SUBSCRIBED = `Object.defineProperty(PushManager.prototype, 'subscribe', { value: async function ({ applicationServerKey }) {
  const keys = {
    p256dh: 'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
    auth: 'BTBZMqHH6r4Tts7J_aSIgg',
  };
  const bytes = (text) => Uint8Array.from(atob(text.replace(/-/g, '+').replace(/_/g, '/')), (c) => c.charCodeAt(0)).buffer;
  const made = {
    endpoint: 'https://push.example/send/1',
    options: { applicationServerKey: bytes(applicationServerKey) },
    getKey: (name) => bytes(keys[name]),
    unsubscribe: async () => (window.isUnsubscribed = true),
  };
  PushManager.prototype.getSubscription = async () => made;
  return made;
} })`;

t.test(
  'a resident switches notifications on, and a pushed message is shown',
  { skip: noBrowser },
  async (t) => {
    const fixture = await startArea(t);
    const browser = await startBrowser(t, { trusts: authorityOf(fixture), isShell: false });
    const address = new URL(new URL(fixture.locked).pathname, fixture.secure).href;
    const { page, problems } = await openPage(browser, address, { hasWorker: true });
    await page.context().grantPermissions(['notifications'], { origin: new URL(address).origin });
    await page.getByLabel('Password').fill('tulip');
    await page.getByLabel('Password').press('Enter');
    await page.getByRole('link', { name: 'This device' }).click();
    const toggle = page.getByRole('switch', { name: 'Notifications' });
    await toggle.waitFor();
    t.equal(await toggle.getAttribute('aria-checked'), 'false');
    t.strictSame([await axeFindings(page), await layoutFindings(page)], [[], []]);
    await page.evaluate(SUBSCRIBED);
    // Closing the browser's question is no reply: the next press asks again.
    const closed = page.evaluate(`new Promise((resolve) => {
      const { requestPermission } = Notification;
      Notification.requestPermission = async () => {
        Notification.requestPermission = requestPermission;
        setTimeout(resolve);
        return 'default';
      };
    })`);
    await toggle.click();
    await closed;
    t.equal(await page.getByText('The browser blocks').count(), 0);
    await toggle.click();
    await page.getByRole('switch', { name: 'Notifications', checked: true }).waitFor();
    const devices = (id: number) => rpc(fixture, 'GW_GetPushDevices', id);
    const locked = Number(/\d+/.exec(new URL(address).pathname)?.[0]);
    t.match(await devices(locked), [{ Provider: 'WebPush' }]);
    const off = page.getByRole('switch', { name: 'Notifications', checked: false });
    await page.route('**/push', (route) => route.abort(), { times: 1 });
    await toggle.click();
    await off.waitFor();
    t.equal(
      await page.evaluate('window.isUnsubscribed'),
      true,
      'nothing arrives, although the gateway was away',
    );
    await toggle.click();
    await page.getByRole('switch', { name: 'Notifications', checked: true }).waitFor();
    await toggle.click();
    await page.getByRole('switch', { name: 'Notifications', checked: false }).waitFor();
    t.strictSame(await devices(locked), []);

    const session = await page.context().newCDPSession(page);
    const registered = new Promise<string>((resolve) => {
      session.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
        const [one] = registrations;
        if (one !== undefined) resolve(one.registrationId);
      });
    });
    await session.send('ServiceWorker.enable');
    const push = async (title: string) =>
      session.send('ServiceWorker.deliverPushMessage', {
        origin: new URL(address).origin,
        registrationId: await registered,
        data: JSON.stringify({ title, body: '<b>text</b>', open: '#/messages' }),
      });
    const shown = () =>
      page.evaluate<string[]>(
        'navigator.serviceWorker.ready.then((one) => one.getNotifications()).then((all) => all.map(({ title }) => title))',
      );
    await page.evaluate("navigator.serviceWorker.addEventListener('message', () => (window.isAsked = true))");
    await push('Visible');
    // The page, whose own listener was there first, has checked its connection.
    await until('the question of the worker', () => page.evaluate<boolean>('window.isAsked === true'));
    await page.evaluate('WebSocket.prototype.send = () => undefined');
    await push('Not connected');
    await until('a page that is not connected', async () => (await shown()).length > 0);
    await page.goto('about:blank');
    await push('Closed');
    await page.goto(new URL('manifest.webmanifest', address).href);
    t.strictSame(problems, []);
    await until('the notification', async () => (await shown()).includes('Closed'));
    const titles = (await shown()).sort();
    t.strictSame(titles, ['Closed', 'Not connected'], 'a page that is visible and connected shows it itself');
  },
);

t.test('the page of the device says why there are no notifications', { skip: noBrowser }, async (t) => {
  const fixture = await startArea(t);
  const browser = await startBrowser(t, { isShell: false });
  const untrusted = new URL(new URL(fixture.locked).pathname, fixture.secure).href;
  for (const [address, reason] of [
    [`${fixture.front}#/device`, 'This area has no password'],
    [`${untrusted}#/device`, 'This device does not trust the certificate'],
  ] as const) {
    const dismissesWarning = address.startsWith(untrusted);
    const { page } = await openPage(browser, address, { hasWorker: true, dismissesWarning });
    if (dismissesWarning) {
      await page.getByLabel('Password').fill('tulip');
      await page.getByLabel('Password').press('Enter');
      await page.getByRole('link', { name: 'How this device trusts the gateway' }).waitFor();
    }
    await page.getByText(reason).waitFor();
    t.equal(await page.getByRole('switch', { name: 'Notifications' }).count(), 0);
    t.strictSame([await axeFindings(page), await layoutFindings(page)], [[], []]);
  }
});
