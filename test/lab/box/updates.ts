/**
 * Updates of the image on an emulated board: `node dist/test/lab/box/updates.js`, after up.js. The steps follow
 * one another on one card.
 */
import t from 'tap';
import { tempDirectory } from '../../tools/temp-directory.js';
import { FlashedBox, installUpdate, writeCard } from './flashed-box.js';
import { VERSION } from './paths.js';

const STATE = '/usr/lib/stellwerk-box/fw_printenv';
/** RAUC starts several programs. */
const INSPECTION_LIMIT_MS = 600_000;
const started = performance.now();
const seconds = () => `${Math.round((performance.now() - started) / 1000)} s`;

await using box = await FlashedBox.switchOn(await writeCard(await tempDirectory(t)));
await box.up();
t.equal(await box.verdict(), 'healthy');

await t.test('an update of a foreign signer and a damaged one change nothing', async (t) => {
  const before = await box.agent.run(STATE);
  const foreign = await installUpdate(box.agent, 'foreign');
  t.equal(foreign.code, 1);
  t.match(foreign.err, /signature|certificate/i);
  t.equal(await box.agent.run(STATE), before);
  const damaged = await installUpdate(box.agent, 'damaged');
  t.equal(damaged.code, 1);
  t.notMatch(damaged.err, /D-Bus/);
  t.comment(damaged.err);
  const { code, out } = await box.agent.try(
    'stellwerk update check /run/stick/good.raucb',
    INSPECTION_LIMIT_MS,
  );
  t.equal(code, 0);
  t.match(out, `${VERSION.good} can be installed`);
  t.match(await box.agent.run('stellwerk update status'), /slot A .* runs, used at the next start/);
});

await t.test('a good update is confirmed in the other slot', async (t) => {
  t.comment(`installing after ${seconds()}`);
  const { code, out } = await installUpdate(box.agent, 'good');
  t.equal(code, 0);
  t.match(out, `${VERSION.good} is installed. Restart the box`);
  t.comment(`installed after ${seconds()}`);
  t.strictSame(await box.restart(), ['B']);
  await box.up();
  t.equal(await box.verdict(), 'healthy');
  t.comment(`confirmed after ${seconds()}`);
  t.match(
    await box.agent.run('stellwerk update status'),
    `version ${VERSION.good}\nslot A  -\nslot B  ${VERSION.good}  runs`,
  );
  t.match(await box.agent.run(STATE), 'BOOT_ORDER=B A');
});

await t.test('an update whose gateway does not start is rolled back, and is not repeated', async (t) => {
  t.equal((await installUpdate(box.agent, 'broken')).code, 0);
  t.comment(`installed after ${seconds()}`);
  // Five crashes use up all attempts.
  t.strictSame(await box.restart(2), ['A', 'B']);
  await box.up();
  t.equal(await box.verdict(), 'healthy');
  t.comment(`rolled back after ${seconds()}`);
  t.match(await box.agent.run('stellwerk update status'), `${VERSION.broken} was rolled back`);
  const { code, err } = await installUpdate(box.agent, 'broken');
  t.equal(code, 1);
  t.match(err, 'was rolled back');
  await box.powerOff();
});
