import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import t, { type Test } from 'tap';
import { rpc } from '../../tools/client/json-rpc.js';
import { axeFindings, noBrowser, startBrowser } from '../../tools/front/browser.js';
import { layoutFindings } from '../../tools/front/layout-findings.js';
import { signIn } from '../../tools/front/console-pages.js';
import { startArea } from '../../tools/front/sample-area.js';
import { OWNER } from '../../tools/gateway/api-fixture.js';

const DAY_S = 86_400;

t.test(
  'the history has the newest records, and the value before its period',
  { skip: noBrowser },
  async (t) => {
    const fixture = await startArea(t);
    const browser = await startBrowser(t);
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, locale: 'en-GB' });
    const page = await context.newPage();
    // The clock of the device stands still, as of a device that has slept.
    await page.clock.setFixedTime(Date.now() - DAY_S * 1000);
    await page.goto(`${new URL(fixture.front).origin}/console/`);
    await page.locator('[name=username]').fill(OWNER.username);
    await page.locator('[name=password]').fill(OWNER.password);
    await page.locator('[name=password]').press('Enter');
    await page.locator('.rail').waitFor();
    const note = await fixture.id('area/ground/hostile');
    await page.evaluate(`location.hash = '#/tree/${note}'`);
    await page.getByRole('tab', { name: 'History' }).click();
    await page.getByText('The values of this variable are not recorded').waitFor();
    await page.getByLabel('Record the values').click();
    await page.getByText('As a table (1 record)').waitFor();
    await page.getByText('As a table').click();
    const newest = page.locator('.scroll tr').nth(1);
    for (const value of [2, 3]) {
      await rpc(fixture, 'SetValue', note, value);
      await newest.filter({ hasText: String(value) }).waitFor();
    }
    const outside = await fixture.id('area/ground/outside');
    const archive = ((await rpc(fixture, 'SVC_GetInstanceListByModuleID', 'Archive Control')) as number[])[0];
    const old = { TimeStamp: Math.floor(Date.now() / 1000) - 2 * DAY_S, Value: -7 };
    t.type(await rpc(fixture, 'AC_DeleteVariableData', archive, outside, 1, 0), 'number');
    t.equal(await rpc(fixture, 'AC_AddLoggedValues', archive, outside, [old]), true);
    await page.evaluate(`location.hash = '#/tree/${outside}'`);
    await page.getByRole('tab', { name: 'History' }).click();
    await page.getByText('As a table (1 record)').click();
    t.match(await newest.textContent(), /-7\.0 °C/);

    const hours = Array.from({ length: 20 }, (_, hour) => ({
      TimeStamp: Math.floor(Date.now() / 1000) - (20 - hour) * 3600,
      Value: hour,
    }));
    t.equal(await rpc(fixture, 'AC_AddLoggedValues', archive, outside, hours), true);
    await rpc(fixture, 'SetValue', outside, 30);
    await newest.filter({ hasText: '30.0 °C' }).waitFor();
    const chart = page.locator('.u-over');
    const { width = 0, height = 0 } = (await chart.boundingBox()) ?? {};
    const at = (part: number) => ({ position: { x: width * part, y: height / 2 } });
    await chart.hover(at(0.3));
    await page.mouse.down();
    await chart.hover(at(0.6));
    await page.mouse.up();
    // The time of the record at the left end of the chart.
    const first = async () => {
      await chart.hover(at(0.01));
      return page.locator('.u-legend .u-value').first().textContent();
    };
    const zoomed = await first();
    await rpc(fixture, 'SetValue', outside, 31);
    await newest.filter({ hasText: '31.0 °C' }).waitFor();
    t.equal(await first(), zoomed, 'what was zoomed into stays');
    await chart.dblclick(at(0.5));
    t.not(await first(), zoomed);
  },
);

/** More than the gateway takes, or returns, with one call. */
const MANY = 10_001;
const FIRST_S = 1_750_000_000;

async function openArchive(t: Test, prepare: (page: Page) => Promise<void> = async () => undefined) {
  const fixture = await startArea(t);
  const browser = await startBrowser(t);
  const context = await browser.newContext({ locale: 'en-GB', viewport: { width: 1280, height: 800 } });
  const page = await context.newPage();
  const problems: string[] = [];
  page.on('pageerror', ({ message }) => problems.push(message));
  page.on('console', (message) => {
    // Axe copies the styles of the pages, which the policy forbids.
    if (message.type() === 'error' && !/style-src|status of 401/.test(message.text()))
      problems.push(message.text());
  });
  await prepare(page);
  const outside = await fixture.id('area/ground/outside');
  await page.goto(`${new URL(fixture.front).origin}/console/#/archive/${outside}`);
  await signIn(page);
  const archive = ((await rpc(fixture, 'SVC_GetInstanceListByModuleID', 'Archive Control')) as number[])[0];
  await rpc(fixture, 'AC_DeleteVariableData', archive, outside, 1, 0);
  const records = async () =>
    (
      (await rpc(fixture, 'GW_GetRecords', outside, 0, FIRST_S + MANY, 10_000)) as {
        Records: { Value: number }[];
      }
    ).Records.map(({ Value }) => Value);
  return { fixture, page, problems, outside, records };
}

const start = async (page: Page, action: 'Export' | 'Import') => {
  await page.getByRole('button', { name: `${action} …` }).click();
  return page.getByRole('dialog', { name: `${action} records` });
};

/** Presses the button of a dialog, and returns the file that the browser downloads. */
async function downloaded(page: Page, press: () => Promise<void>) {
  const [download] = await Promise.all([page.waitForEvent('download'), press()]);
  return { name: download.suggestedFilename(), text: await readFile(await download.path(), 'utf8') };
}

t.test('records are imported from a file and exported to one', { skip: noBrowser }, async (t) => {
  const { page, problems, outside, records } = await openArchive(t);
  const imported = await start(page, 'Import');
  const give = async (name: string, text: string) => {
    await imported
      .getByLabel('File')
      .setInputFiles({ name, mimeType: 'text/csv', buffer: Buffer.from(text) });
    await imported.getByRole('button', { name: 'Check and import' }).click();
  };
  const rows = Array.from({ length: MANY }, (_, n) => `${outside},${FIRST_S + n},${n / 2}`);
  const wrong = rows.with(7000, `${outside},soon,1`).with(7001, `${outside},${FIRST_S},warm`);
  await give('wrong.csv', ['variable,time,value', ...wrong, `${outside},1,2,3`].join('\n'));
  await imported.getByText('Wrong lines: 3. Nothing was imported.').waitFor();
  for (const [line, reason] of [
    [7002, '"soon" is not a time'],
    [7003, '"warm" is not a number'],
    [MANY + 2, 'it has 4 fields, the first line names 3'],
  ] as const)
    await imported
      .getByRole('listitem')
      .filter({ hasText: `Line ${line}${reason}` })
      .waitFor();
  t.strictSame(await axeFindings(page), []);
  t.strictSame(await layoutFindings(page), []);
  t.strictSame(await records(), []);
  await give('right.csv', `\u{feff}variable;time;value\r\n${rows.join('\r\n').replaceAll(',', ';')}`);
  await page.getByText('Imported records: 10,001.').waitFor();
  t.equal((await records()).length, 10_000);

  const exported = await start(page, 'Export');
  t.ok(await exported.getByLabel('Outside').isChecked(), 'the selected variable');
  t.strictSame(await axeFindings(page), []);
  const csv = await downloaded(page, () => exported.getByRole('button', { name: 'Export' }).click());
  t.match(csv.name, /^records-\d{4}-\d\d-\d\d\.csv$/);
  const lines = csv.text.trimEnd().split('\n');
  t.equal(lines.length, MANY + 1);
  t.strictSame(lines.slice(0, 3), [
    'variable,time,value,clock',
    `${outside},${new Date(FIRST_S * 1000).toISOString()},0,`,
    `${outside},${new Date((FIRST_S + 1) * 1000).toISOString()},0.5,`,
  ]);
  await page.getByText('Exported records: 10,001.').waitFor();

  await start(page, 'Export');
  await exported.getByLabel('Format').selectOption('jsonl');
  await exported.getByLabel('From').fill('2025-06-15T17:00');
  const jsonl = await downloaded(page, () => exported.getByRole('button', { name: 'Export' }).click());
  t.match(jsonl.name, /\.jsonl$/);
  const [first = ''] = jsonl.text.split('\n');
  // The gateway of the tests is in the time zone of this process.
  const { variable, time } = JSON.parse(first) as { variable: number; time: string };
  t.strictSame([variable, Date.parse(time)], [outside, new Date('2025-06-15T17:00').getTime()]);
  t.strictSame(problems, [], 'no errors on the page');
});

t.test('an export is listed while it runs, and cancelled there', { skip: noBrowser }, async (t) => {
  // Pages without end keep the export running.
  const endless = (page: Page) =>
    page.routeWebSocket(/\/api\//, (socket) => {
      const gateway = socket.connectToServer();
      socket.onMessage((frame) => {
        const { id, method } = JSON.parse(String(frame)) as { id: string; method: string };
        const result = { Records: [{ TimeStamp: 1, Value: 2, ClockTrusted: true }], More: true };
        if (method === 'GW_GetRecords') socket.send(JSON.stringify({ jsonrpc: '2.0', id, result }));
        else gateway.send(frame);
      });
    });
  const { fixture, page } = await openArchive(t, endless);
  const exported = await start(page, 'Export');
  await exported.getByRole('button', { name: 'Export' }).click();
  await page.getByRole('button', { name: 'Cancel: Export of records' }).click();
  await page.getByText('Cancelled. There is no file.').waitFor();
  t.strictSame(await rpc(fixture, 'GW_GetTasks'), []);
});

t.test('the dialog of an import stays when its file picker is dismissed', { skip: noBrowser }, async (t) => {
  const { page, problems } = await openArchive(t);
  const dialog = await start(page, 'Import');
  const file = dialog.getByLabel('File');
  await file.setInputFiles({ name: 'one.csv', mimeType: 'text/csv', buffer: Buffer.from('1') });
  // As the browser does after its dialog.
  await file.evaluate((input) => input.dispatchEvent(new Event('cancel', { bubbles: true })));
  await dialog.getByRole('button', { name: 'Check and import' }).click();
  await dialog.getByRole('alert').waitFor();
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  t.strictSame(problems, []);
});
