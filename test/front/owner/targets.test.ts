import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { rpc } from '../../tools/client/json-rpc.js';
import { signIn } from '../../tools/front/console-pages.js';
import { openConsoleHolding } from '../../tools/front/held-reply.js';
import { axeFindings, noBrowser, openPage, startBrowser } from '../../tools/front/browser.js';
import { layoutFindings } from '../../tools/front/layout-findings.js';
import { startArea } from '../../tools/front/sample-area.js';
import { tempDirectory } from '../../tools/temp-directory.js';
import { until } from '../../tools/until.js';

t.test('targets of backups are added, changed, tried and removed', { skip: noBrowser }, async (t) => {
  const fixture = await startArea(t);
  const stick = await tempDirectory(t);
  const browser = await startBrowser(t);
  const address = `${new URL(fixture.locked).origin}/console/#/system/backups`;
  const { page, problems } = await openPage(browser, address);
  await signIn(page);
  const targets = async () =>
    ((await rpc(fixture, 'GW_GetSettings')) as { Settings: { backup?: { targets?: unknown } } }).Settings
      .backup?.targets;
  const form = page.getByRole('dialog');
  const save = async () => {
    await form.getByRole('button', { name: 'Save' }).click();
    await form.waitFor({ state: 'detached' });
  };
  /** After a change, the page shows the new targets before it has the new settings, and rejects another one. */
  const withNewSettings = () => page.reload();
  await page.getByRole('button', { name: 'Add a target' }).click();
  await form.getByLabel('Name').fill('stick');
  await form.getByLabel('Directory').fill(`${stick}/none`);
  await form.getByRole('button', { name: 'Test' }).click();
  await form.getByRole('alert').waitFor();
  await form.getByLabel('Directory').fill(stick);
  await form.getByRole('button', { name: 'Test' }).click();
  await form.getByText('The target works').waitFor();
  t.equal(await targets(), undefined, 'a test stores nothing');
  await save();
  await page.getByText('stick · directory').waitFor();
  t.strictSame(await targets(), [{ name: 'stick', path: stick }]);
  await page.getByRole('button', { name: 'Create the recovery key' }).click();
  await page.getByRole('button', { name: 'Back up now: stick' }).click();
  await page.getByText('A backup was stored on stick.').waitFor();

  await page.getByRole('button', { name: 'Add a target' }).click();
  await form.getByLabel('Name').fill('cloud');
  await form.getByLabel('Kind').selectOption('webdav');
  await form.getByLabel('URL').fill('ftp://nas.example/');
  await form.getByRole('button', { name: 'Save' }).click();
  await form.getByRole('alert').waitFor();
  t.strictSame(await axeFindings(page), []);
  t.strictSame(await layoutFindings(page), []);
  await form.getByLabel('URL').fill('https://nas.example/');
  await form.getByLabel('User name').fill('box');
  await form.getByLabel('Password').fill('nightingale');
  await save();
  const webdav = { url: 'https://nas.example/', username: 'box', password: '***' };
  t.strictSame(await targets(), [
    { name: 'stick', path: stick },
    { name: 'cloud', webdav },
  ]);
  await withNewSettings();
  await page.getByRole('button', { name: 'Change: cloud' }).click();
  t.equal(await form.getByLabel('Password').inputValue(), '', 'a secret is never shown');
  await form.getByLabel('URL').fill('https://nas.example/box/');
  await save();
  t.match((await targets()) as object[], [{}, { webdav: { ...webdav, url: 'https://nas.example/box/' } }]);
  t.match(await readFile(join(fixture.directory, 'gateway.yaml'), 'utf8'), 'nightingale', 'and stays');
  await withNewSettings();

  const schedule = page.getByRole('form', { name: 'When backups are made' });
  await schedule.getByLabel('Time of the daily backup').fill('04:30');
  await schedule.getByLabel('Compare').selectOption('off');
  await schedule.getByLabel('Months').fill('12');
  await schedule.getByRole('button', { name: 'Save' }).click();
  await schedule.getByRole('button', { name: 'Discard' }).waitFor({ state: 'detached' });
  const { Settings } = (await rpc(fixture, 'GW_GetSettings')) as { Settings: { backup: object } };
  t.match(Settings.backup, { at: '04:30', verify: 'off', keep: { months: 12, days: undefined } });
  t.strictSame(await axeFindings(page), []);
  t.strictSame(await layoutFindings(page), []);
  await withNewSettings();
  for (const name of ['cloud', 'stick']) {
    await page.getByRole('button', { name: `Remove: ${name}` }).click();
    await form.getByRole('button', { name: 'Remove', exact: true }).click();
    await page.getByRole('button', { name: `Remove: ${name}` }).waitFor({ state: 'detached' });
    await withNewSettings();
  }
  t.equal(await targets(), undefined);
  t.strictSame(problems, []);
});

/** The page of two targets, which holds the last reply to a function back. */
async function openTwo(t: Test, method: string) {
  const fixture = await startArea(t);
  const settings = async () =>
    (await rpc(fixture, 'GW_GetSettings')) as {
      readonly Settings: { readonly backup?: { readonly targets?: readonly { readonly name: string }[] } };
      readonly Digest: string;
    };
  const set = async (Path: string, Value: unknown) =>
    rpc(fixture, 'GW_ChangeSettings', [{ Path, Value }], (await settings()).Digest);
  const path = await tempDirectory(t);
  await set('backup.targets', [
    { name: 'stick', path },
    { name: 'disk', path: `${path}/disk` },
  ]);
  const { page, reply } = await openConsoleHolding(t, { fixture, hash: '#/system/backups', method });
  const names = async () => (await settings()).Settings.backup?.targets?.map(({ name }) => name);
  return { page, reply, set, names };
}

t.test('each backup on a target can be verified and restored', { skip: noBrowser }, async (t) => {
  const fixture = await startArea(t);
  const { Digest } = (await rpc(fixture, 'GW_GetSettings')) as { readonly Digest: string };
  const targets = [{ name: 'stick', path: await tempDirectory(t) }];
  await rpc(fixture, 'GW_ChangeSettings', [{ Path: 'backup.targets', Value: targets }], Digest);
  await rpc(fixture, 'GW_CreateRecoveryKey');
  for (let n = 0; n < 2; n++) await rpc(fixture, 'GW_RunTargetBackup', 'stick');
  const stored = (await rpc(fixture, 'GW_GetTargetBackups', 'stick')) as readonly { readonly Name: string }[];
  const address = `${new URL(fixture.locked).origin}/console/#/system/backups`;
  const { page, problems } = await openPage(await startBrowser(t), address);
  await signIn(page);
  await page.getByRole('button', { name: 'All backups on stick' }).click();
  const dialog = page.getByRole('dialog');
  const items = dialog.getByRole('listitem');
  await items.first().waitFor();
  t.strictSame(
    await dialog.locator('small').allTextContents(),
    stored.map(({ Name }) => Name),
  );
  t.strictSame(await axeFindings(page), []);
  t.strictSame(await layoutFindings(page), []);
  await items.last().getByRole('button', { name: 'Verify the backup of' }).click();
  await page.getByText(/^Verified: the backup of .+ on stick\. It was restored/).waitFor();
  await page.getByRole('button', { name: 'All backups on stick' }).click();
  await items.last().getByRole('button', { name: 'Restore the backup of' }).click();
  await dialog.getByRole('button', { name: 'Restore', exact: true }).click();
  const password = page.locator('#confirm-password');
  const fetched = page.getByText('The backup was fetched and is restored at the next start.');
  await password.or(fetched).first().waitFor();
  if (await password.isVisible()) {
    await password.fill('swordfish');
    await password.press('Enter');
  }
  await fetched.waitFor();
  const backups = (await rpc(fixture, 'GW_GetBackups')) as readonly { readonly IsRestoredAtStart: boolean }[];
  t.equal(backups.filter(({ IsRestoredAtStart }) => IsRestoredAtStart).length, 1);
  const audit = (await rpc(fixture, 'GW_GetAudit', 1000, 'owner')) as readonly {
    readonly Method: string;
    readonly Parameters: readonly unknown[];
  }[];
  for (const method of ['GW_VerifyTargetBackup', 'GW_RestoreTargetBackup'])
    t.strictSame(audit.find(({ Method }) => Method === method)?.Parameters, ['stick', stored.at(-1)?.Name]);
  t.strictSame(problems, []);
});

t.test('removing a target that is gone removes no other one', { skip: noBrowser }, async (t) => {
  const { page, reply, set, names } = await openTwo(t, 'GW_GetBackupTargets');
  await reply.held();
  reply.deliver();
  await page.getByRole('button', { name: 'Remove: stick' }).waitFor();
  await set('backup.targets[0]', null);
  // The rejected change reads the settings again; the reply with the targets is late.
  const schedule = page.getByRole('form', { name: 'When backups are made' });
  await schedule.getByLabel('Time of the daily backup').fill('04:30');
  const replies = () => reply.passedOn.filter((name) => name === 'GW_GetSettings').length;
  const before = replies();
  await schedule.getByRole('button', { name: 'Save' }).click();
  await page.locator('.notice.bad').waitFor();
  await until('the settings', () => replies() > before);
  await page.getByRole('button', { name: 'Remove: stick' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Remove', exact: true }).click();
  await page.getByText('The configuration has no target stick any more.').waitFor();
  t.strictSame(await names(), ['disk']);
});

t.test('a question that was closed does not close the next one', { skip: noBrowser }, async (t) => {
  const { page, reply, names } = await openTwo(t, 'GW_ChangeSettings');
  const dialog = page.getByRole('dialog');
  await page.getByRole('button', { name: 'Remove: stick' }).click();
  await dialog.getByRole('button', { name: 'Remove', exact: true }).click();
  await reply.held();
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await dialog.waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Remove: disk' }).click();
  await dialog.getByText('Remove the target disk?').waitFor();
  reply.deliver();
  await page
    .getByRole('button', { name: 'Remove: stick', includeHidden: true })
    .waitFor({ state: 'detached' });
  t.ok(await dialog.getByText('Remove the target disk?').isVisible());
  t.strictSame(await names(), ['disk']);
});
