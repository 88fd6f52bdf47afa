/**
 * Updates of the image on an emulated board: `node dist/test/lab/box/updates.js`, after up.js. The steps follow
 * one another on one card. Outputs are observed from outside, at the board's pins.
 */
import t from 'tap';
import { tempDirectory } from '../../tools/temp-directory.js';
import { until } from '../../tools/until.js';
import { FlashedBox, installUpdate, writeCard } from './flashed-box.js';
import { VERSION } from './paths.js';

const STATE = '/usr/lib/stellwerk-box/fw_printenv';
/** RAUC starts several programs. */
const INSPECTION_LIMIT_MS = 600_000;
const started = performance.now();
const seconds = () => `${Math.round((performance.now() - started) / 1000)} s`;

/** One is switched on by a command, and must not be switched on again by a start; one runs without a gateway. */
const OUTPUTS = `tree:
  - { instance: Pump, ident: pump, module: GPIO Output, properties: { Chip: 9030000.pl061, Line: "1", Boot: inactive } }
  - { instance: Fan, ident: fan, module: GPIO Output, properties: { Chip: 9030000.pl061, Line: "2", Boot: active, OnStop: active, OnDeath: active } }
`;
const [PUMP, FAN] = [1, 2] as const;
const PASSWORD = 'a long password';
/** A call of the gateway is a start of Node in the guest. */
const CALL_LIMIT_MS = 300_000;

const card = await writeCard(await tempDirectory(t), `password=${PASSWORD}\n`);
await using box = await FlashedBox.switchOn(card, { isConnected: true });
using pins = await box.pins();
const moves = new Map<number, boolean[]>([
  [PUMP, []],
  [FAN, []],
]);
pins.watch((pin, high) => moves.get(pin)?.push(high));

await t.test('a command switches a pump on, and a fan runs from the start', async (t) => {
  await box.up();
  t.equal(await box.verdict(), 'healthy');
  await box.agent.put('/run/outputs.yaml', OUTPUTS);
  await box.agent.run('cat /run/outputs.yaml >>/etc/stellwerk/gateway.yaml && systemctl reload stellwerk');
  const command = 'stellwerk call RequestAction pump/STATE true --password-file -';
  await box.agent.run(`echo '${PASSWORD}' | ${command}`, CALL_LIMIT_MS);
  await until('the pump', () => pins.level(PUMP) === true);
  t.equal(pins.level(FAN), true);
});

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
  t.strictSame(moves.get(PUMP), [true], 'an installation moves no output');
  t.strictSame(moves.get(FAN), [true]);
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
  t.strictSame(moves.get(PUMP), [true, false], 'no start has switched the pump on');
  t.equal(pins.level(FAN), true, 'the fan runs');
  await box.powerOff();
});
