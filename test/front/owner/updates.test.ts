import t from 'tap';
import { join } from 'node:path';
import { readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { REQUEST_FILE } from '../../../src/service/updates/box-files.js';
import { boxIn, reportState, SLOTS } from '../../tools/box/box-directory.js';
import { axeFindings, noBrowser, openPage, startBrowser } from '../../tools/front/browser.js';
import { layoutFindings } from '../../tools/front/layout-findings.js';
import { signIn } from '../../tools/front/console-pages.js';
import { startArea } from '../../tools/front/sample-area.js';
import { tempDirectory } from '../../tools/temp-directory.js';
import { until } from '../../tools/until.js';

t.test(
  'an update is found, installed with its progress, and the box is restarted',
  { skip: noBrowser },
  async (t) => {
    const server = createServer((_, response) => response.end('{"version":"1.2.0","update":"b.raucb"}'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    t.teardown(() => server.close());
    const files = boxIn(await tempDirectory(t));
    reportState(files, {});
    const fixture = await startArea(t, { boxFiles: files });
    const path = join(fixture.directory, 'data/run', REQUEST_FILE);
    const taken = async (): Promise<object> => {
      let request: object | undefined;
      await until('a request', () => {
        try {
          request = JSON.parse(readFileSync(path, 'utf8')) as object;
          return true;
        } catch {
          return false;
        }
      });
      rmSync(path);
      return request ?? {};
    };
    const browser = await startBrowser(t);
    const { page, problems } = await openPage(
      browser,
      `${new URL(fixture.locked).origin}/console/#/system/updates`,
    );
    await signIn(page);
    const dialog = page.getByRole('dialog');
    const confirm = (action: string) => dialog.getByRole('button', { name: action, exact: true }).click();
    await page.getByText('Slot B: 1.1.0').waitFor();
    await page.getByText('Off: the box does not check for updates.').waitFor();
    await page
      .getByRole('textbox', { name: 'Address' })
      .fill(`http://127.0.0.1:${(server.address() as AddressInfo).port}/b.json`);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('button', { name: 'Check now' }).click();
    await page.getByText('Version 1.2.0 is available.').waitFor();
    t.strictSame(await axeFindings(page), []);
    t.strictSame(await layoutFindings(page), []);
    await page.getByRole('button', { name: 'Install 1.2.0' }).click();
    await confirm('Install');
    t.match(await taken(), { action: 'install', source: /\/b\.raucb$/ });
    reportState(files, { busy: 'install', version: '1.2.0', percent: 40 });
    await page.getByText('The update is being installed …').waitFor();
    t.equal(await page.getByRole('progressbar').getAttribute('value'), '40');
    const [a, b] = SLOTS;
    reportState(files, {
      slots: [
        { ...a!, version: '1.2.0', isNext: true },
        { ...b!, isNext: false },
      ],
    });
    await page.getByText('1.2.0 is ready.').waitFor();
    await page.getByRole('button', { name: 'Restart the box' }).click();
    await confirm('Restart the box');
    t.match(await taken(), { action: 'restart' });
    reportState(files, { problem: 'the slot is too small' });
    await page.getByText('The last request failed: the slot is too small').waitFor();
    await page.getByRole('button', { name: 'Use the other version' }).click();
    await confirm('Use the other version');
    t.match(await taken(), { action: 'back' });
    t.strictSame(problems, []);
  },
);

t.test(
  'on a machine without slots, the page says what to do, in German too',
  { skip: noBrowser },
  async (t) => {
    const fixture = await startArea(t, { boxFiles: { ...boxIn(await tempDirectory(t)), release: '/none' } });
    const browser = await startBrowser(t);
    const address = `${new URL(fixture.locked).origin}/console/#/system/updates`;
    const { page, problems } = await openPage(browser, address, { locale: 'de' });
    await signIn(page);
    await page.getByText('Aktualisieren Sie stattdessen das Paket stellwerk').waitFor();
    t.equal(await page.locator('main form').count(), 0, 'nothing can be set that would have no effect');
    t.strictSame(await axeFindings(page), []);
    t.strictSame(problems, []);
  },
);
