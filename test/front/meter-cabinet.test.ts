import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { ROOT } from '../law/sources.js';
import { idOf } from '../tools/client/json-rpc.js';
import { noBrowser, openPage, startBrowser } from '../tools/front/browser.js';
import { pageConfiguration } from '../tools/gateway/cookbook-gateway.js';
import { startGateway } from '../tools/gateway/gateway-fixture.js';
import { CABINET_TILES } from '../tools/gateway/meter-cabinet.js';
import { until } from '../tools/until.js';

/** The caption of each tile, in the order of CABINET_TILES. */
const CAPTIONS = [
  'Grid meter · Energy import',
  'Grid meter · Energy export',
  'Grid meter · Active power',
  'Heat meter · Energy',
  'Heat meter · Metered volume',
  'Heat meter · Active power',
  'Heat meter · Flow',
  'Inverter · Active power',
  'Inverter · Energy yield',
  'Living room · Temperature',
  'Living room · Humidity',
  'Boiler room',
  'Rain water',
];

/** The lines of a tile: its name, and the value in the last one. */
function captionAndValue(text: string): [string, string] {
  const lines = text.split('\n');
  return [lines.slice(0, -1).join(' · '), lines.at(-1) ?? ''];
}

t.test('one page shows every value of the meter cabinet', { skip: noBrowser }, async (t) => {
  const said = readFileSync(join(ROOT, 'docs/use/cookbook/meter-cabinet.md'), 'utf8');
  const gateway = await startGateway(t, pageConfiguration(said));
  const browser = await startBrowser(t);
  const address = `http://127.0.0.1:${gateway.gateway.port('web')}/wfc/${await idOf(gateway, 'front')}/`;
  const { page, problems } = await openPage(browser, address);
  await page.getByLabel('Password').fill('tulip');
  await page.keyboard.press('Enter');
  await page.locator('.tile').first().waitFor();
  const shown = async () => new Map((await page.locator('.tile').allInnerTexts()).map(captionAndValue));
  const isEmpty = (value: string) => value.startsWith('—');
  await until('every tile has a value', async () => ![...(await shown()).values()].some(isEmpty));
  const tiles = await shown();
  t.strictSame([...tiles.keys()].toSorted(), CAPTIONS.toSorted(), 'a tile for each value, and no other');
  for (const [index, [path, text]] of CABINET_TILES.entries())
    t.match(tiles.get(CAPTIONS[index] ?? ''), text, path);
  t.strictSame(problems, [], 'no errors on the page');
});
