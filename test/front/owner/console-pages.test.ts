import type { Browser, Page } from 'playwright-core';
import t, { type Test } from 'tap';
import {
  axeFindings,
  noBrowser,
  openPage,
  startBrowser,
  type PageOptions,
  type WatchedPage,
} from '../../tools/front/browser.js';
import { signIn, visitConsole, visitInstances } from '../../tools/front/console-pages.js';
import { DEVICES, DEVICE_TREE, NAMES } from '../../tools/front/device-tree.js';
import { translatedTexts } from '../../tools/front/english-tables.js';
import { englishTexts, layoutFindings } from '../../tools/front/layout-findings.js';
import { startArea, type AreaFixture } from '../../tools/front/sample-area.js';

/** Each size, in both themes and languages; phones and tablets are touched. */
const VIEWS = [
  { width: 320, height: 640, isTouched: true, scheme: 'light', locale: 'de-DE' },
  { width: 390, height: 844, isTouched: true, scheme: 'dark', locale: 'en-GB' },
  { width: 820, height: 1180, isTouched: true, scheme: 'dark', locale: 'de-DE' },
  { width: 1280, height: 800, isTouched: false, scheme: 'light', locale: 'en-GB' },
] as const;

/** The other ones. Axe finds nothing else there; the layout depends on the width and on the lengths of words. */
const OTHER_VIEWS = [
  { width: 390, height: 844, isTouched: true, scheme: 'light', locale: 'de-DE' },
  { width: 820, height: 1180, isTouched: true, scheme: 'light', locale: 'en-GB' },
  { width: 1280, height: 800, isTouched: false, scheme: 'dark', locale: 'de-DE' },
] as const;

/** Controls for a mouse may be smaller. */
async function findingsOf(page: Page, isTouched: boolean): Promise<string[]> {
  const findings = await layoutFindings(page);
  return isTouched ? findings : findings.filter((one) => !one.startsWith('small'));
}

async function openConsole(fixture: AreaFixture, browser: Browser, view: PageOptions): Promise<WatchedPage> {
  const opened = await openPage(browser, `${new URL(fixture.front).origin}/console/`, view);
  await opened.page.locator('[name=username]').waitFor();
  return opened;
}

for (const view of VIEWS)
  t.test(`every page of the console fits ${view.width} pixels`, { skip: noBrowser }, async (t: Test) => {
    const fixture = await startArea(t);
    const browser = await startBrowser(t);
    const { page, problems } = await openConsole(fixture, browser, view);
    const check = async (where: string) => {
      t.strictSame(await axeFindings(page), [], `axe: ${where}`);
      t.strictSame(await findingsOf(page, view.isTouched), [], `layout: ${where}`);
    };
    await check('sign in');
    await signIn(page);
    await visitConsole(page, fixture, check);
    // Axe copies the styles of shadow roots into style elements, which the policy reports.
    t.strictSame(
      problems.filter((one) => !one.includes('style-src')),
      [],
      'no errors on the page',
    );
  });

t.test('no text is cut, overlaps another one or is in English', { skip: noBrowser }, async (t) => {
  const fixture = await startArea(t, { tree: DEVICE_TREE });
  const browser = await startBrowser(t);
  const translated = translatedTexts();
  const instances = await Promise.all(DEVICES.map(async (path) => [path, await fixture.id(path)] as const));
  for (const view of OTHER_VIEWS) {
    const { page } = await openConsole(fixture, browser, view);
    await signIn(page);
    const check = async (where: string) => {
      const at = `${where} ${view.width} ${view.locale}`;
      t.strictSame(await findingsOf(page, view.isTouched), [], `layout: ${at}`);
      if (view.locale === 'de-DE')
        t.strictSame(await englishTexts(page, NAMES, translated), [], `German: ${at}`);
    };
    // German words are the longer ones.
    if (view.locale === 'de-DE') await visitInstances(page, instances, check);
    await visitConsole(page, fixture, check);
    await page.context().close();
  }
});

t.test('the console is usable with forced colours and at 200 % text size', { skip: noBrowser }, async (t) => {
  const fixture = await startArea(t);
  const browser = await startBrowser(t);
  const { page } = await openPage(browser, `${new URL(fixture.front).origin}/console/`, {
    width: 1280,
    height: 800,
    forcedColors: true,
  });
  await signIn(page);
  await page.evaluate("document.documentElement.style.fontSize = '200%'");
  await visitConsole(page, fixture, async (where) => {
    t.equal(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), true, where);
  });
});
