import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { CHIP_REQUEST_FILE, serveChipRequest } from '../../../src/service/machine/chip-service.js';
import { makeI2cMachine } from '../../tools/box/i2c-machine.js';
import { axeFindings, noBrowser, openPage, startBrowser } from '../../tools/front/browser.js';
import { layoutFindings } from '../../tools/front/layout-findings.js';
import { signIn } from '../../tools/front/console-pages.js';
import { startArea } from '../../tools/front/sample-area.js';
import { until } from '../../tools/until.js';

const TREE = `tree:
  - { category: House, ident: area }
  - { instance: Attic, ident: attic, module: Sensor, properties: { Device: bme280@1-0077 } }
`;

/** The doctor of a machine on which a configured chip is missing. */
async function openDoctor(t: Test, locale: string) {
  const machine = await makeI2cMachine(t);
  const fixture = await startArea(t, { tree: TREE, machineRoot: machine.root });
  const browser = await startBrowser(t);
  const { page, problems } = await openPage(
    browser,
    `${new URL(fixture.front).origin}/console/#/system/machine`,
    { locale },
  );
  await signIn(page);
  return { ...machine, fixture, page, problems };
}

t.test('a missing chip is enabled after a confirmation', { skip: noBrowser }, async (t) => {
  const { page, problems, root, path, fixture } = await openDoctor(t, 'en');
  await page.getByRole('button', { name: 'Run the checks' }).click();
  const button = page.getByRole('button', { name: 'Enable bme280@1-0077 …' });
  await button.click();
  const dialog = page.getByRole('dialog', { name: 'Enable the chip bme280@1-0077?' });
  await dialog.getByText('KERNEL=="i2c-1", ATTR{new_device}="bme280 0x77"').waitFor();
  t.strictSame(await axeFindings(page), []);
  t.strictSame(await layoutFindings(page), []);
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  t.notOk(existsSync(path), 'nothing is written without the confirmation');
  await button.click();
  await dialog.getByRole('button', { name: 'Enable', exact: true }).click();
  const request = join(fixture.directory, 'data/run', CHIP_REQUEST_FILE);
  await until('a request', () => existsSync(request));
  await serveChipRequest(request, root);
  await page.getByText('The chip is declared. Reboot the machine.').waitFor();
  t.match(readFileSync(path, 'utf8'), /"bme280 0x77"/);
  await button.click();
  await page.getByText(/has it already\. Reboot the machine/).waitFor();
  t.strictSame(problems, []);
});

t.test('any known chip can be enabled, and an unknown one is explained', { skip: noBrowser }, async (t) => {
  const { page, problems } = await openDoctor(t, 'en');
  const field = page.getByRole('textbox', { name: 'Chip and address' });
  await field.fill('mcp23018@1-0020');
  await page.getByRole('button', { name: 'Show what it needs' }).click();
  await page.getByText(/mcp23018@1-0020 is not a known chip with an address.*mcp23017/).waitFor();
  await field.fill('mcp23017@1-0020');
  await field.press('Enter');
  await page.getByRole('dialog').getByText('"mcp23017 0x20"').waitFor();
  t.strictSame(problems, []);
});

t.test('without the service, the command is named, in German too', { skip: noBrowser }, async (t) => {
  const { page, problems, disable } = await openDoctor(t, 'de');
  disable();
  await page.getByRole('button', { name: 'Prüfen' }).click();
  await page.getByRole('button', { name: 'bme280@1-0077 einschalten …' }).click();
  const dialog = page.getByRole('dialog', { name: 'Den Baustein bme280@1-0077 einschalten?' });
  await dialog.getByText('sudo stellwerk enable-chip --yes bme280@1-0077').waitFor();
  t.equal(await dialog.getByRole('button', { name: 'Einschalten', exact: true }).count(), 0);
  t.strictSame(await axeFindings(page), []);
  t.strictSame(await layoutFindings(page), []);
  t.strictSame(problems, []);
});
