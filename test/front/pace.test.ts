/**
 * How fast the page follows, as the brief limits it (§11, checks 2, 4 and 6), without a time in a test: the
 * page's clock stands still, so that nothing that waits for a timer happens, and is then advanced by one
 * frame. The times themselves are figures of `make front-bench` (`reactions`).
 */
import type { Page } from 'playwright-core';
import t, { type Test } from 'tap';
import { rpc } from '../tools/client/json-rpc.js';
import { noBrowser, openPage, startBrowser, stopClock } from '../tools/front/browser.js';
import { startArea, type AreaFixture } from '../tools/front/sample-area.js';
import { until } from '../tools/until.js';

/** Longer than a frame of 60 Hz, ms. */
const FRAME_MS = 20;

interface StoppedPage {
  readonly fixture: AreaFixture;
  readonly page: Page;
  /** Texts that the page sent and received. */
  readonly sent: readonly string[];
  readonly received: readonly string[];
}

/** A page of the sample area whose clock stands still. */
async function openStopped(
  t: Test,
  hash: (fixture: AreaFixture) => Promise<string>,
  prepare: (fixture: AreaFixture) => Promise<unknown> = () => Promise.resolve(),
): Promise<StoppedPage> {
  const fixture = await startArea(t);
  await prepare(fixture);
  const browser = await startBrowser(t);
  const { page } = await openPage(browser, new URL('/', fixture.front).href);
  await page.clock.install();
  const sent: string[] = [];
  const received: string[] = [];
  page.on('websocket', (socket) => {
    socket.on('framesent', ({ payload }) => sent.push(String(payload)));
    socket.on('framereceived', ({ payload }) => received.push(String(payload)));
  });
  await page.goto(fixture.front + (await hash(fixture)));
  await page.locator('.tile.wide').first().waitFor();
  await stopClock(page);
  return { fixture, page, sent, received };
}

t.test('what the gateway reports is shown with the next frame', { skip: noBrowser }, async (t) => {
  const { fixture, page, received } = await openStopped(
    t,
    async ({ id }) => `#/room/${await id('area/ground')}`,
  );
  const state = await fixture.id('area/ground/hall_relay/STATE');
  /** Makes the gateway report something about the relay, and lets the page paint one frame. */
  const paintAfter = async (...call: readonly [string, ...unknown[]]) => {
    const before = received.length;
    await rpc(fixture, ...call);
    await until('the report', () => received.slice(before).some((text) => text.includes(`${state}`)));
    // A task of its own, after the one in which the page received the report.
    await page.evaluate('0');
    await page.clock.runFor(FRAME_MS);
  };
  const relay = page.getByRole('switch', { name: /Hall relay/ });
  await paintAfter('RequestAction', state, true);
  await page.locator('[role=switch][aria-checked=true]', { hasText: 'Hall relay' }).waitFor();
  await paintAfter('GW_SimulateChipGone', 'simulated', true);
  await page.locator('.tile.bad', { hasText: 'Hall relay' }).waitFor();
  t.match(await relay.textContent(), /— · Unreachable/);
  t.equal(await relay.getAttribute('aria-checked'), 'false', 'no state that nobody knows');
  await paintAfter('GW_SimulateChipGone', 'simulated', false);
  await page.locator('.tile.live', { hasText: 'Hall relay' }).waitFor();
});

const FOUR_A_SECOND_MS = 250;
/** How long the slider is dragged, in the page's time. */
const DRAGGED_MS = 2000;
const STEP_MS = 50;

t.test(
  'a dragged slider sends four times a second, and shows what is reported in the end',
  { skip: noBrowser },
  async (t) => {
    const { page, sent } = await openStopped(
      t,
      () => Promise.resolve(''),
      async (fixture) => {
        // The device does less than what is requested.
        const clamp = 'SetValue(VARIABLE, Math.min(VALUE, 24));';
        await rpc(fixture, 'SVC_SetScriptContent', await fixture.id('area/ground/setter'), clamp);
        const wf = await fixture.id('wf');
        const tile = JSON.stringify({ object: 'ground/setpoint', live: true });
        await rpc(fixture, 'WFC_AddItem', wf, 'page', 'stellwerk.page', '{"title":"Page"}', '');
        await rpc(fixture, 'WFC_AddItem', wf, 'tile', 'stellwerk.tile', tile, 'page');
      },
    );
    const slider = page.getByRole('slider', { name: 'Setpoint' });
    const box = await slider.boundingBox();
    if (box === null) throw new Error('the slider is not shown');
    const commands = () => sent.filter((text) => text.includes('WFC_ExecuteKeyed'));
    const at = (share: number) => [box.x + box.width * share, box.y + box.height / 2] as const;
    await page.mouse.move(...at(0.4));
    await page.mouse.down();
    for (let ms = 0; ms < DRAGGED_MS; ms += STEP_MS) {
      await page.mouse.move(...at(0.4 + (0.5 * ms) / DRAGGED_MS));
      await page.clock.runFor(STEP_MS);
    }
    const whileDragged = commands().length;
    const most = DRAGGED_MS / FOUR_A_SECOND_MS + 1;
    t.ok(whileDragged > 2 && whileDragged <= most, `${whileDragged} commands in ${DRAGGED_MS} ms`);
    t.ok(Number(await slider.inputValue()) > 25, 'the thumb follows the pointer');
    await page.mouse.up();
    t.ok(commands().length <= most + 1, 'and one more when it is released');
    await page.clock.resume();
    await page.locator('.tile', { hasText: /Setpoint.*24\.0 °C/ }).waitFor();
    await until('what is reported', async () => (await slider.inputValue()) === '24');
  },
);
