import t, { type Test } from 'tap';
import { axeFindings, layoutFindings, noBrowser, openPage, startBrowser } from '../../tools/front/browser.js';
import { signIn, visitConsole } from '../../tools/front/console-pages.js';
import { startArea } from '../../tools/front/sample-area.js';

/** Each size, theme and language; phones and tablets are touched. */
const VIEWS = [
  { width: 320, height: 640, isTouched: true, scheme: 'light', locale: 'de-DE' },
  { width: 390, height: 844, isTouched: true, scheme: 'dark', locale: 'en-GB' },
  { width: 820, height: 1180, isTouched: true, scheme: 'dark', locale: 'de-DE' },
  { width: 1280, height: 800, isTouched: false, scheme: 'light', locale: 'en-GB' },
] as const;

for (const { isTouched, ...view } of VIEWS)
  t.test(`every page of the console fits ${view.width} pixels`, { skip: noBrowser }, async (t: Test) => {
    const fixture = await startArea(t);
    const browser = await startBrowser(t);
    const address = `${new URL(fixture.front).origin}/console/`;
    const { page, problems } = await openPage(browser, address, { ...view, isTouched });
    await page.locator('[name=username]').waitFor();
    const check = async (where: string) => {
      t.strictSame(await axeFindings(page), [], `axe: ${where}`);
      const findings = await layoutFindings(page);
      t.strictSame(
        isTouched ? findings : findings.filter((one) => !one.startsWith('small')),
        [],
        `layout: ${where}`,
      );
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
