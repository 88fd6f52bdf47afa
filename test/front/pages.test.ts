import { readdirSync, readFileSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { ASSETS_DIRECTORY, programFiles } from '../../src/front/assets.js';
import { rpc } from '../tools/client/json-rpc.js';
import { axeFindings, layoutFindings, noBrowser, openPage, startBrowser } from '../tools/front/browser.js';
import { startArea } from '../tools/front/sample-area.js';

const SIZES = [
  [320, 640],
  [390, 844],
  [820, 1180],
  [1280, 800],
] as const;
const SCHEMES = ['light', 'dark'] as const;
const LOCALES = ['en-GB', 'de-DE'] as const;

/** Limits of the first view, bytes. */
const LIMIT = { br: 30_000, gz: 33_000 };
/** Limits of chunks that are loaded when they are needed, bytes of Brotli. */
const LAZY_LIMITS: Readonly<Record<string, number>> = {
  sheet: 4000,
  'history-page': 4000,
  device: 2000,
  overlay: 1500,
  'wide-tile': 2500,
  items: 1500,
};

/** Texts of the residents' front; the console has others. */
const isLanguage = (name: string) =>
  /^(?:de|en)-\w+\.js$/.test(name) &&
  readFileSync(join(ASSETS_DIRECTORY, name), 'utf8').includes('MOTOR_UNCERTAIN');

t.test('the first view has at most 30 kB, each chunk its limit', async (t) => {
  const { script, style, chunks } = await programFiles('resident');
  const files = readdirSync(ASSETS_DIRECTORY);
  const size = async (name: string, ending: string) =>
    (await stat(join(ASSETS_DIRECTORY, `${name}.${ending}`))).size;
  for (const [ending, limit] of Object.entries(LIMIT)) {
    let sum = 0;
    for (const name of [script, style, ...chunks]) sum += await size(name, ending);
    const languages = files.filter(isLanguage);
    sum += Math.max(...(await Promise.all(languages.map((name) => size(name, ending)))));
    t.ok(sum <= limit, `${ending}: ${sum} of ${limit} bytes`);
  }
  for (const [name, limit] of Object.entries(LAZY_LIMITS)) {
    const file = files.find((one) => one.startsWith(`${name}-`) && one.endsWith('.js')) ?? '';
    const bytes = await size(file, 'br');
    t.ok(bytes <= limit, `${name}: ${bytes} of ${limit} bytes`);
  }
});

t.test('every page is accessible in each size, theme and language', { skip: noBrowser }, async (t) => {
  const fixture = await startArea(t);
  const browser = await startBrowser(t);
  const ground = await fixture.id('area/ground');
  const pages = [
    ['home', ''],
    ['room', `#/room/${ground}`],
    ['sheet of a relay', `#/object/${await fixture.id('area/ground/boiler')}`],
    ['sheet of a shutter', `#/object/${await fixture.id('area/ground/blind')}`],
    ['sheet of a colour', `#/object/${await fixture.id('area/ground/colour')}`],
    ['history', `#/history/${await fixture.id('area/ground/outside')}`],
    ['messages', '#/messages'],
    ['device', '#/device'],
  ] as const;
  // A refused command, a rule, a scheduled change and bad values are on the pages.
  await rpc(fixture, 'RequestAction', await fixture.id('area/ground/boiler/STATE'), true);
  await rpc(fixture, 'GW_SimulateChipGone', 'simulated.pwm', true);
  for (const [width, height] of SIZES)
    for (const scheme of SCHEMES)
      for (const locale of LOCALES) {
        const { page, problems } = await openPage(browser, fixture.front, { width, height, scheme, locale });
        await page.getByRole('heading', { level: 1 }).waitFor();
        await rpc(
          fixture,
          'WFC_SendNotification',
          Number(fixture.front.split('/').at(-2)),
          'Title',
          'Text',
          '',
          0,
        );
        for (const [name, hash] of pages) {
          await page.evaluate(`location.hash = ${JSON.stringify(hash)}`);
          await page
            .locator(hash.startsWith('#/object') ? 'dialog.sheet' : 'h1')
            .first()
            .waitFor();
          if (hash.startsWith('#/room')) await page.locator('.tile.wide').first().waitFor();
          const at = `${name} ${width} ${scheme} ${locale}`;
          t.strictSame(await axeFindings(page), [], `axe: ${at}`);
          t.strictSame(await layoutFindings(page), [], `layout: ${at}`);
        }
        t.strictSame(problems, [], `no errors: ${width} ${scheme} ${locale}`);
        await page.context().close();
      }
});

t.test('the page is usable with forced colours and at 200 % text size', { skip: noBrowser }, async (t) => {
  const fixture = await startArea(t);
  const browser = await startBrowser(t);
  const { page, problems } = await openPage(
    browser,
    `${fixture.front}#/room/${await fixture.id('area/ground')}`,
  );
  await page.locator('.tile.wide').first().waitFor();
  await page.emulateMedia({ forcedColors: 'active' });
  t.strictSame(await axeFindings(page), []);
  await page.emulateMedia({ forcedColors: 'none' });
  await page.evaluate("document.documentElement.style.fontSize = '200%'");
  t.strictSame(await layoutFindings(page), []);
  t.strictSame(problems, []);
});
