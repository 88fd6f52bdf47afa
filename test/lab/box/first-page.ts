/**
 * From the image to the first switched relay, with a browser only: `node dist/test/lab/box/first-page.js`, after
 * up.js. The code is read from the console, as a person reads it from the screen. The relay is a pin of the emulated
 * board, which the test watches from outside.
 */
import t from 'tap';
import { tempDirectory } from '../../tools/temp-directory.js';
import { noBrowser, openPage, startBrowser } from '../../tools/front/browser.js';
import { until } from '../../tools/until.js';
import { FlashedBox, writeCard } from './flashed-box.js';

/** The pages of a box that is emulated come slowly. */
const PAGE_LIMIT_MS = 300_000;
const PASSWORD = 'correct horse';
/** Pin 3 is the power button. */
const PIN = 1;

t.test('from the image to the first switched relay, without a shell', { skip: noBrowser }, async (t) => {
  const started = performance.now();
  const seconds = () => `${Math.round((performance.now() - started) / 1000)} s`;
  await using box = await FlashedBox.switchOn(await writeCard(await tempDirectory(t)), { isConnected: true });
  const [, code = ''] = await box.printed(/asks for the claim code ([0-9A-Z-]{8,})/);
  t.comment(`the code after ${seconds()}`);
  using pins = await box.pins();
  const browser = await startBrowser(t, { isShell: false });
  const address = `https://127.0.0.1:${await box.webPort()}/`;
  const { page } = await openPage(browser, address, { dismissesWarning: true, width: 1280 });
  page.setDefaultTimeout(PAGE_LIMIT_MS);
  await page.getByRole('heading', { name: 'This gateway has no owner yet' }).waitFor();
  await page.getByLabel('Claim code').fill(code);
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByRole('heading', { name: 'Set up this gateway' }).waitFor();
  await page.getByLabel('User name').fill('anna');
  await page.getByLabel('New password').fill(PASSWORD);
  await page.getByLabel('Repeat the password').fill(PASSWORD);
  await page.getByLabel('Name of the gateway').fill('haus-1');
  await page.getByRole('button', { name: 'Set the password' }).click();
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
  t.comment(`the owner's console after ${seconds()}`);

  await page.getByRole('link', { name: 'Hardware' }).click();
  const found = page.getByRole('region', { name: 'Devices found' });
  await found.getByRole('button', { name: 'Search', exact: true }).click();
  const row = found.getByRole('listitem').filter({ hasText: new RegExp(`\\.pl061/${PIN}\\b`) });
  await row.getByRole('button', { name: 'Others' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Relay', exact: true }).click();
  await row.getByRole('link').click();
  t.not(pins.level(PIN), true, 'nobody has switched it');
  await page.getByRole('button', { name: 'On', exact: true }).click();
  await until('the pin is high', () => pins.level(PIN) === true, PAGE_LIMIT_MS);
  t.comment(`the relay is on after ${seconds()}`);
  await page.getByRole('button', { name: 'Off', exact: true }).click();
  await until('the pin is low', () => pins.level(PIN) === false, PAGE_LIMIT_MS);
});
