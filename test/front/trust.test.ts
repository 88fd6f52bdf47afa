import t from 'tap';
import { axeFindings, layoutFindings, noBrowser, openPage, startBrowser } from '../tools/front/browser.js';
import { startArea } from '../tools/front/sample-area.js';

t.test('the page /tls can be used in each size, theme and language', { skip: noBrowser }, async (t) => {
  const fixture = await startArea(t);
  const browser = await startBrowser(t);
  const address = new URL('/tls', fixture.front).href;
  for (const [width, scheme, locale, title] of [
    [320, 'dark', 'de-DE', 'Diesem Gateway vertrauen'],
    [390, 'light', 'de-DE', 'Diesem Gateway vertrauen'],
    [820, 'dark', 'en-GB', 'Trust this gateway'],
    [1280, 'light', 'en-GB', 'Trust this gateway'],
  ] as const) {
    const { page, problems } = await openPage(browser, address, { width, scheme, locale });
    await page.getByRole('heading', { name: title }).waitFor();
    await page.evaluate("for (const one of document.querySelectorAll('details')) one.open = true");
    t.strictSame([await axeFindings(page), await layoutFindings(page), problems], [[], [], []], `${width}`);
    await page.context().close();
  }
});
