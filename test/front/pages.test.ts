import t from 'tap';
import { rpc } from '../tools/client/json-rpc.js';
import { axeFindings, noBrowser, openPage, startBrowser } from '../tools/front/browser.js';
import { DEVICE_TREE, NAMES } from '../tools/front/device-tree.js';
import { translatedTexts } from '../tools/front/english-tables.js';
import { englishTexts, layoutFindings } from '../tools/front/layout-findings.js';
import { startArea } from '../tools/front/sample-area.js';

const SIZES = [
  [320, 640],
  [390, 844],
  [820, 1180],
  [1280, 800],
] as const;
const SCHEMES = ['light', 'dark'] as const;
const LOCALES = ['en-GB', 'de-DE'] as const;

t.test('every page is accessible in each size, theme and language', { skip: noBrowser }, async (t) => {
  const fixture = await startArea(t, { tree: DEVICE_TREE });
  const browser = await startBrowser(t);
  const translated = translatedTexts();
  const ground = await fixture.id('area/ground');
  const pages = [
    ['home', ''],
    ['room', `#/room/${ground}`],
    ['room of meters', `#/room/${await fixture.id('area/rack')}`],
    ['sheet of a relay', `#/object/${await fixture.id('area/ground/boiler')}`],
    ['sheet of a shutter', `#/object/${await fixture.id('area/ground/blind')}`],
    ['sheet of a meter', `#/object/${await fixture.id('area/rack/port/dsmr')}`],
    ['sheet of a colour', `#/object/${await fixture.id('area/ground/colour')}`],
    ['history', `#/history/${await fixture.id('area/ground/outside')}`],
    ['messages', '#/messages'],
    ['device', '#/device'],
  ] as const;
  // A rejected command, a rule, a scheduled change and bad values are on the pages.
  await rpc(fixture, 'RequestAction', await fixture.id('area/ground/boiler/STATE'), true);
  await rpc(fixture, 'GW_SimulatePwmGone', 'simulated.pwm', true);
  // The axis of its chart needs room for long texts.
  await rpc(fixture, 'SetValue', await fixture.id('area/ground/outside'), 1234.5);
  for (const locale of LOCALES) {
    // One context, loaded again for each view: its process keeps the compiled code of the page and of axe.
    const { page, problems } = await openPage(browser, fixture.front, { locale });
    for (const [width, height] of SIZES)
      for (const scheme of SCHEMES) {
        await page.setViewportSize({ width, height });
        await page.emulateMedia({ colorScheme: scheme });
        await page.goto(fixture.front);
        await page.getByRole('heading', { level: 1 }).waitFor();
        await rpc(
          fixture,
          'WFC_SendNotification',
          Number(fixture.front.split('/').at(-2)),
          'Boiler',
          '65 °C',
          '',
          0,
        );
        for (const [name, hash] of pages) {
          await page.evaluate(`location.hash = ${JSON.stringify(hash)}`);
          await page
            .locator(hash.startsWith('#/object') ? 'dialog.sheet' : 'h1')
            .first()
            .waitFor();
          if (name === 'room') await page.locator('.tile.wide').first().waitFor();
          const at = `${name} ${width} ${scheme} ${locale}`;
          t.strictSame(await axeFindings(page), [], `axe: ${at}`);
          t.strictSame(await layoutFindings(page), [], `layout: ${at}`);
          if (locale === 'de-DE')
            t.strictSame(await englishTexts(page, NAMES, translated), [], `German: ${at}`);
        }
        t.strictSame(problems, [], `no errors: ${width} ${scheme} ${locale}`);
      }
    await page.context().close();
  }
});

t.test('pages are usable with forced colours and at 200 % text size', { skip: noBrowser }, async (t) => {
  const fixture = await startArea(t);
  const browser = await startBrowser(t);
  await rpc(fixture, 'RequestAction', await fixture.id('area/ground/boiler/STATE'), true);
  await rpc(fixture, 'GW_SimulatePwmGone', 'simulated.pwm', true);
  const pages = [
    ['room', `#/room/${await fixture.id('area/ground')}`, '.tile.bad'],
    ['home', '', '.room'],
    ['sheet of a relay', `#/object/${await fixture.id('area/ground/boiler')}`, 'dialog.sheet'],
    ['history', `#/history/${await fixture.id('area/ground/outside')}`, '.chart-place svg'],
    ['messages', '#/messages', 'h1'],
    ['device', '#/device', '[type=radio]'],
  ] as const;
  for (const scheme of SCHEMES)
    for (const forcedColors of [true, false]) {
      const { page, problems } = await openPage(browser, fixture.front, { forcedColors, scheme });
      await page.locator('.room').first().waitFor();
      if (!forcedColors) await page.evaluate("document.documentElement.style.fontSize = '200%'");
      for (const [name, hash, loaded] of pages) {
        await page.evaluate(`location.hash = ${JSON.stringify(hash)}`);
        await page.locator(loaded).first().waitFor();
        const at = `${name} ${scheme} ${forcedColors ? 'forced colours' : '200 %'}`;
        const { width = 0 } = (name === 'room' && (await page.locator('.tile').first().boundingBox())) || {};
        if (name === 'room') t.equal(width > 300, !forcedColors, `one column for large text only: ${at}`);
        t.strictSame(await axeFindings(page), [], `axe: ${at}`);
        t.strictSame(await layoutFindings(page), [], `layout: ${at}`);
      }
      t.strictSame(problems, []);
      await page.context().close();
    }
});
