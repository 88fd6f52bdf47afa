import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { rpc } from '../tools/client/json-rpc.js';
import { axeFindings, noBrowser, openPage, startBrowser } from '../tools/front/browser.js';
import { layoutFindings } from '../tools/front/layout-findings.js';
import { signIn } from '../tools/front/console-pages.js';
import { startArea } from '../tools/front/sample-area.js';
import { until } from '../tools/until.js';

interface Area {
  readonly title: string;
  readonly ident: string;
  readonly base: string;
}

t.test(
  'an area is added with its password, changed and removed in a form',
  { skip: noBrowser },
  async (t) => {
    const fixture = await startArea(t);
    const areas = async () => {
      const { Settings } = (await rpc(fixture, 'GW_GetSettings')) as { Settings: { configurators: Area[] } };
      return Settings.configurators;
    };
    const before = await areas();
    const browser = await startBrowser(t);
    const address = `${new URL(fixture.front).origin}/console/#/system/passwords`;
    const { page, problems } = await openPage(browser, address, { width: 390, height: 844 });
    await page.locator('[name=username]').fill('owner@example.org');
    await page.locator('[name=password]').fill('swordfish');
    await page.locator('[name=password]').press('Enter');
    await page.getByRole('button', { name: 'Add an area' }).click();
    const form = page.getByRole('dialog', { name: 'Add an area' });
    await form.getByLabel('Title').fill('Guests');
    await form.getByLabel('Ident').fill('guests');
    await form.getByLabel('New password').fill('four tulips');
    await form.getByLabel('Repeat the password').fill('four tulips');
    t.strictSame(await axeFindings(page), []);
    t.strictSame(await layoutFindings(page), []);
    await form.getByRole('button', { name: 'Save' }).click();
    await page.locator('#confirm-password').fill('swordfish');
    await page.getByRole('button', { name: 'Confirm' }).click();
    await page.getByText('Residents of Guests').waitFor();
    t.match((await areas()).at(-1), { title: 'Guests', ident: 'guests', base: '/', passwordHash: '***' });

    await page.getByRole('button', { name: 'Change: Residents of Guests' }).click();
    const change = page.getByRole('dialog', { name: 'Change: Guests' });
    await change.getByLabel('Title').fill('Visitors');
    await change.getByLabel('Icon').fill('Home');
    await change.getByLabel('Position in the list').fill('7');
    await change.getByLabel('Addresses of browsers that are led here').fill('192.168.1.20\n192.168.1.21');
    await change.getByLabel('Without a password').check();
    t.strictSame(await axeFindings(page), []);
    t.strictSame(await layoutFindings(page), []);
    await change.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Residents of Visitors').waitFor();
    t.match((await areas()).at(-1), {
      title: 'Visitors',
      ident: 'guests',
      icon: 'Home',
      position: 7,
      autostart: ['192.168.1.20', '192.168.1.21'],
      passwordRequired: false,
      editable: undefined,
    });

    await page.getByRole('button', { name: 'Remove: Residents of Visitors' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await page.getByText('Residents of Visitors').waitFor({ state: 'detached' });
    t.strictSame(await areas(), before);
    t.strictSame(problems, [], 'no errors on the page');
  },
);

t.test('settings are changed in forms, checked while typed, and reviewed', { skip: noBrowser }, async (t) => {
  const fixture = await startArea(t);
  const browser = await startBrowser(t);
  const address = `${new URL(fixture.front).origin}/console/#/system/settings`;
  const { page, problems } = await openPage(browser, address, { width: 1280, height: 800 });
  await signIn(page);
  const file = join(fixture.directory, 'gateway.yaml');
  const before = await readFile(file, 'utf8');
  const section = (name: string) =>
    page.locator('details.setting', { has: page.getByText(name, { exact: true }) });
  const open = (name: string) => section(name).locator('summary').click();

  await open('Web servers');
  const server = page.getByRole('group', { name: 'Web servers 1' });
  t.equal(await server.getByLabel('Name', { exact: true }).inputValue(), 'web');
  await page.getByRole('button', { name: 'Add' }).last().waitFor();
  await section('Web servers').getByRole('button', { name: 'Add', exact: true }).click();
  const added = page.getByRole('group', { name: 'Web servers 3' });
  await added.getByLabel('Name', { exact: true }).fill('files');
  await added.getByRole('alert').first().waitFor();
  await added.getByLabel('Address').fill('127.0.0.1');
  await added.getByLabel('Port').fill('99999');
  await added.getByRole('alert').filter({ hasText: '65535' }).waitFor();
  await added.getByLabel('Port').fill('0');
  await added.getByRole('combobox', { name: 'Content' }).selectOption('front');
  await added.getByRole('alert').first().waitFor({ state: 'detached' });

  await open('Storage');
  await page.getByLabel('Daily backups').fill('9');
  await open('Log');
  await page.getByRole('combobox', { name: 'Level' }).selectOption({ label: 'for each subject' });
  await section('Log').getByLabel('New name').fill('device');
  await section('Log').getByRole('button', { name: 'Add' }).click();
  await section('Log').getByRole('combobox', { name: 'device' }).selectOption('debug');
  t.strictSame(await axeFindings(page), []);
  t.strictSame(await layoutFindings(page), []);

  // What was changed survives another tab.
  await page.getByRole('tab', { name: 'Options' }).click();
  await page.getByRole('tab', { name: 'Settings' }).click();
  await page.getByRole('button', { name: 'Review and save' }).click();
  const review = page.getByRole('dialog', { name: 'Save these changes?' });
  await review.getByText('store.backups: default → 9 (applies after a restart)').waitFor();
  await review.getByText('log.level: default → {"device":"debug"}').waitFor();
  await review.getByText('A listener is opened or closed').waitFor();
  t.strictSame(await axeFindings(page), []);
  /** Saves, and waits until the form shows what is stored. */
  const save = async () => {
    await page.evaluate("document.querySelector('.sections').dataset.old = 'true'");
    await review.getByRole('button', { name: 'Save and apply' }).click();
    await page.locator('.sections[data-old]').waitFor({ state: 'detached' });
  };
  await save();
  await page.getByText('Saved. Applies after a restart: store.').waitFor();
  const after = await readFile(file, 'utf8');
  t.match(after, /name: files/);
  t.match(after, /backups: 9/);
  t.match(after, /device: debug/);
  t.ok(after.includes('swordfish') === before.includes('swordfish'), 'secrets stay');
  t.match(await rpc(fixture, 'GW_GetListeners'), [{}, {}, {}, { Name: 'files' }]);

  await open('Web servers');
  await page
    .getByRole('group', { name: 'Web servers 3' })
    .getByRole('button', { name: 'Remove row 3' })
    .click();
  await page.getByRole('button', { name: 'Review and save' }).click();
  await save();
  await review.waitFor({ state: 'detached' });
  await until('the change', async () => !(await readFile(file, 'utf8')).includes('name: files'));
  await page.getByText('Saved. Applies after a restart: store.').waitFor();
  // What waits for a restart no longer does if it is reverted.
  await open('Storage');
  await page.getByLabel('Daily backups').fill('');
  await page.getByRole('button', { name: 'Review and save' }).click();
  await review.getByRole('button', { name: 'Save and apply' }).click();
  await page.getByText('Saved and applied.').waitFor();
  t.strictSame(
    problems.filter((one) => !one.includes('style-src')),
    [],
    'no errors on the page',
  );
});
