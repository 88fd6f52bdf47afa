import t from 'tap';
import { idOf, rpc, valueAt } from '../../tools/client/json-rpc.js';
import { axeFindings, noBrowser, openPage, startBrowser } from '../../tools/front/browser.js';
import { layoutFindings } from '../../tools/front/layout-findings.js';
import { OWNER } from '../../tools/gateway/api-fixture.js';
import { SAMPLE_TREE, SIMULATED_CONFIG, startGateway } from '../../tools/gateway/gateway-fixture.js';

const TEXTS = {
  'en-GB': {
    remove: 'Delete',
    deleted: /was deleted/,
    undo: 'Undo',
    restored: /was restored/,
    restore: 'Restore “Ground floor”',
    none: 'Nothing has been deleted.',
  },
  'de-DE': {
    remove: 'Löschen',
    deleted: /wurde gelöscht/,
    undo: 'Rückgängig',
    restored: /wurde wiederhergestellt/,
    restore: '„Ground floor“ wiederherstellen',
    none: 'Es wurde nichts gelöscht.',
  },
} as const;

for (const [locale, texts] of Object.entries(TEXTS))
  t.test(
    `a deletion is undone with the keyboard, and in the list: ${locale}`,
    { skip: noBrowser },
    async (t) => {
      const fixture = await startGateway(t, SIMULATED_CONFIG + SAMPLE_TREE);
      const floor = await idOf(fixture, 'ground_floor');
      const setpoint = await idOf(fixture, 'ground_floor/setpoint');
      const browser = await startBrowser(t);
      const address = `http://127.0.0.1:${fixture.gateway.port('api')}/console/`;
      const { page, problems } = await openPage(browser, address, {
        width: 390,
        height: 844,
        locale,
      });
      await page.locator('[name=username]').fill(OWNER.username);
      await page.locator('[name=password]').fill(OWNER.password);
      await page.locator('[name=password]').press('Enter');
      await page.locator('.rail').waitFor();
      const remove = async () => {
        await page.evaluate(`location.hash = '#/tree/${floor}'`);
        await page.getByRole('heading', { name: 'Ground floor' }).waitFor();
        await page.getByRole('button', { name: texts.remove, exact: true }).press('Enter');
        await page.getByRole('dialog').getByRole('button', { name: texts.remove }).press('Enter');
        await page.getByRole('status').filter({ hasText: texts.deleted }).waitFor();
        await t.rejects(idOf(fixture, 'ground_floor'));
      };
      await remove();
      t.strictSame(await axeFindings(page), []);
      t.strictSame(await layoutFindings(page), []);
      await page.getByRole('button', { name: texts.undo }).press('Enter');
      await page.getByRole('status').filter({ hasText: texts.restored }).waitFor();
      await page.getByRole('heading', { name: 'Ground floor' }).waitFor();
      t.equal(await idOf(fixture, 'ground_floor/setpoint'), setpoint);
      t.equal(await valueAt(fixture, 'ground_floor/setpoint'), 21.5);

      await remove();
      await page.evaluate(`location.hash = '#/system/deleted'`);
      await page.locator('.cards > li', { hasText: OWNER.username }).waitFor();
      t.strictSame(await axeFindings(page), []);
      t.strictSame(await layoutFindings(page), []);
      await page.getByRole('button', { name: texts.restore }).click();
      await page.getByRole('heading', { name: 'Ground floor' }).waitFor();
      t.equal(await idOf(fixture, 'ground_floor'), floor);
      t.strictSame(await rpc(fixture, 'GW_GetDeleted'), []);
      await page.evaluate(`location.hash = '#/system/deleted'`);
      await page.getByText(texts.none).waitFor();
      t.strictSame(problems, [], 'no errors on the page');
    },
  );

t.test('long work is shown with its progress, and cancelled', { skip: noBrowser }, async (t) => {
  const fixture = await startGateway(t, SIMULATED_CONFIG);
  const browser = await startBrowser(t);
  const address = `http://127.0.0.1:${fixture.gateway.port('api')}/console/`;
  const { page, problems } = await openPage(browser, address, { locale: 'de-DE' });
  await page.locator('[name=username]').fill(OWNER.username);
  await page.locator('[name=password]').fill(OWNER.password);
  await page.locator('[name=password]').press('Enter');
  await page.locator('.rail').waitFor();
  const work = fixture.gateway.tasks.run('backup', OWNER.username, async ({ signal, report }) => {
    report(1, 3);
    await new Promise((resolve) => signal.addEventListener('abort', resolve));
    signal.throwIfAborted();
  });
  const cancelled = t.rejects(work, { code: 'CANCELLED' });
  await page.getByRole('progressbar', { name: 'Sicherung' }).waitFor();
  t.strictSame(await axeFindings(page), []);
  t.strictSame(await layoutFindings(page), []);
  await page.getByRole('button', { name: 'Abbrechen: Sicherung' }).press('Enter');
  await cancelled;
  await page.getByRole('progressbar').waitFor({ state: 'detached' });
  t.strictSame(problems, [], 'no errors on the page');
});
