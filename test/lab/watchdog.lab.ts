/**
 * The gateway hangs, and is stopped cleanly: what systemd does under the installed unit, without a change at
 * the pins of the box.
 */
import t from 'tap';
import { until } from '../tools/until.js';
import { Box, PATIENCE_MS } from './machine/box.js';

/**
 * The unit's WatchdogSec, then the end of the hanging process, then a start, each slowed down by emulation.
 */
const RESTART_LIMIT_MS = 240_000;
const LAMP_PIN = 0;
const BUTTON_PIN = 1;
/** Boot applies to the machine's boot. The gateway starts slowly here: no restart may switch the lamp off. */
const CONFIG = `
- instance: Lamp
  ident: lamp
  module: GPIO Output
  properties: { Chip: 9030000.pl061, Line: "${LAMP_PIN}", Boot: inactive, HoldForS: 900 }
- instance: Button
  ident: button
  module: GPIO Input
  properties: { Chip: 9030000.pl061, Line: "${BUTTON_PIN}" }
- { variable: Setpoint, ident: setpoint, type: float, value: 20 }
`;

await using box = await Box.taken(t, CONFIG);
const { agent } = box.machine;
const pins = await box.machine.pins();
const moves: boolean[] = [];
pins.watch((pin, high) => {
  if (pin === LAMP_PIN) moves.push(high);
});

/** A property of the service in systemd. */
const service = (name: string): Promise<string> =>
  agent.run(`systemctl show stellwerk --property=${name} --value`);

async function press(times: number): Promise<void> {
  for (let count = (await box.value('button/COUNT')) as number; times > 0; times--) {
    await pins.drive(BUTTON_PIN, true);
    await box.becomes('button/COUNT', ++count);
    await pins.drive(BUTTON_PIN, false);
    await box.becomes('button/STATE', false);
  }
}

/** The newest change counter of the gateway. */
async function counter(): Promise<number> {
  const [newest] = (await box.call('SVC_GetSnapshotChanges', 0)) as { TimeStamp: number }[];
  return newest?.TimeStamp ?? NaN;
}

/**
 * Waits until count and setpoint are stored: in the runtime directory, a second after the change at the
 * latest, or on the disk.
 */
async function kept(): Promise<void> {
  await agent.put(
    '/root/kept.cjs',
    `const { DatabaseSync } = require('node:sqlite');
    const values = ['/run/stellwerk/values.db', '/var/lib/stellwerk/stellwerk.db'].flatMap((path) => {
      const db = new DatabaseSync(path, { readOnly: true });
      return db.prepare('SELECT value FROM last_values').all().map(({ value }) => value);
    });
    console.log(JSON.stringify(values));
    process.exitCode = [3, 21.5].every((value) => values.includes(value)) ? 0 : 1;`,
  );
  let last: unknown;
  const check = async () => {
    const result = await agent.try('/opt/stellwerk/current/bin/node /root/kept.cjs');
    last = result;
    return result.code === 0;
  };
  await until('the values are stored', check, PATIENCE_MS).catch((cause: unknown) => {
    throw new Error(`${String(cause)}; the last result: ${JSON.stringify(last)}`, { cause });
  });
}

await t.test('the gateway hangs: the watchdog restarts it, and nothing is lost', async (t) => {
  await box.call('RequestAction', await box.id('lamp/STATE'), true);
  await press(3);
  await box.call('SetValue', await box.id('setpoint'), 21.5);
  await kept();
  const before = {
    pid: await service('MainPID'),
    restarts: await service('NRestarts'),
    counter: await counter(),
  };
  t.strictSame(moves, [true]);

  await agent.run(`kill -STOP ${before.pid}`);
  const isRestarted = async () => (await service('NRestarts')) !== before.restarts;
  await until('a restart', isRestarted, RESTART_LIMIT_MS);
  await box.answers(RESTART_LIMIT_MS);
  t.match(await agent.run('journalctl -u stellwerk --no-pager -o cat'), "Failed with result 'watchdog'");
  t.not(await service('MainPID'), before.pid);
  t.ok((await counter()) > before.counter, 'the counter continued');
  t.equal(await box.value('setpoint'), 21.5);
  await box.becomes('lamp/LINK', 'online');
  await box.becomes('button/LINK', 'online');
  t.equal(await box.value('lamp/STATE'), true);
  t.equal(await box.value('button/COUNT'), 3);
  t.strictSame(moves, [true], 'the lamp did not flicker');
  await press(1);
  await box.call('RequestAction', await box.id('lamp/STATE'), false);
  await until('the lamp is off', () => pins.level(LAMP_PIN) === false, PATIENCE_MS);
});

await t.test('it is stopped and started: a clean exit, and the outputs stay as they are', async (t) => {
  await box.call('RequestAction', await box.id('lamp/STATE'), true);
  const before = await counter();
  const seen = moves.length;
  await agent.run('systemctl stop stellwerk', RESTART_LIMIT_MS);
  t.equal(await service('Result'), 'success');
  t.equal(await service('ExecMainStatus'), '0');
  await agent.run('systemctl start stellwerk', RESTART_LIMIT_MS);
  await box.answers();
  await box.becomes('lamp/LINK', 'online');
  t.equal(await box.value('lamp/STATE'), true);
  t.equal(await box.value('button/COUNT'), 4);
  t.ok((await counter()) > before, 'the counter continued');
  t.equal(moves.length, seen, 'the lamp did not change');
});

await t.test('the power button: the machine shuts down cleanly, and the lamp is on until then', async (t) => {
  const seen = moves.length;
  await box.machine.qmp.execute('system_powerdown');
  await box.machine.off();
  t.equal(moves.length, seen);
});
