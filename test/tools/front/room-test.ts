import type { Page } from 'playwright-core';
import t, { type Test } from 'tap';
import { noBrowser, openPage, startBrowser, type PageOptions } from './browser.js';
import { startArea, type AreaFixture } from './sample-area.js';

/** The room of the sample area that has a tile of every kind. */
interface Room {
  readonly fixture: AreaFixture;
  readonly page: Page;
}

/** A test in the room of the sample area that has a tile of every kind; no errors may occur on the page. */
export function roomTest(
  name: string,
  options: PageOptions,
  check: (t: Test, room: Room) => Promise<void>,
): void {
  t.test(name, { skip: noBrowser }, async (t) => {
    const fixture = await startArea(t);
    const browser = await startBrowser(t);
    const address = `${fixture.front}#/room/${await fixture.id('area/ground')}`;
    const { page, problems } = await openPage(browser, address, options);
    await page.locator('.tile.wide').first().waitFor();
    // The page knows what the owner protects, and can be operated.
    await page.locator('.tile[aria-disabled=false]').first().waitFor();
    await check(t, { fixture, page });
    t.strictSame(problems, [], 'no errors on the page');
  });
}
