import t from 'tap';
import { SimulatedBroker } from '../../../drivers/mqtt/simulated-broker.js';
import { mqttModules } from '../../../drivers/mqtt/index.js';
import { ManualClock } from '../../../src/base/clock.js';
import { silentLog, type Log } from '../../../src/base/log.js';
import { TransientProblems, CLEAR_AFTER_MS } from '../../../src/device/toolkit/transient-problems.js';
import { LOG_BURST, LOG_PER_MINUTE } from '../../../src/service/log-rate-limit.js';
import { ServiceLog } from '../../../src/service/log.js';
import { DeviceFixture } from '../../tools/devices/device-fixture.js';

const DEVICES = 20;

await t.test('a flapping link is logged once, not for each device below it', async (t) => {
  const lines: string[] = [];
  const note = (details: object, text: string) =>
    void lines.push(`${'name' in details ? String(details.name) : ''}: ${text}`);
  const log: Log = { ...silentLog, info: note, warn: note, error: note };
  const clock = new ManualClock();
  const broker = new SimulatedBroker();
  await using fixture = new DeviceFixture(mqttModules(broker), clock, log);
  const client = await fixture.add('MQTT Client', { Url: 'mqtt://broker' });
  await fixture.waitForLink(client, 'online');
  const devices = [];
  for (let n = 0; n < DEVICES; n++) {
    const topics = [{ Ident: 'X', Type: 'integer', StateTopic: `x/${n}` }];
    devices.push(await fixture.add('MQTT Device', { Topics: topics }, client));
  }
  for (const device of devices) await fixture.waitForLink(device, 'online');
  t.equal(lines.filter((line) => line.endsWith(': online')).length, DEVICES + 1, 'each once');
  for (let flap = 0; flap < 3; flap++) {
    lines.length = 0;
    broker.stop();
    await fixture.waitForLink(client, 'waiting');
    broker.start();
    for (const device of [client, ...devices]) await fixture.waitForReconnect(device, clock);
    t.ok(lines.length >= 1 && lines.length <= 2, lines.join('\n'));
    clock.advance(20_000);
  }
});

t.test('a subject that logs without end is limited, and says how many lines were omitted', (t) => {
  const clock = new ManualClock();
  const lines: string[] = [];
  const log = new ServiceLog({ write: (line) => void lines.push(line), form: 'json' }, {}, clock);
  const flood = log.root.subject('device');
  for (let n = 0; n < LOG_BURST + 1000; n++) flood.warn({}, `line ${n}`);
  t.equal(lines.length, LOG_BURST);
  log.root.subject('store').info({}, 'another subject');
  t.equal(lines.length, LOG_BURST + 1);
  flood.error({}, 'requires attention');
  t.match(JSON.parse(lines.at(-1) ?? ''), { level: 50, msg: 'requires attention' });
  for (let n = 0; n < 2 * LOG_BURST; n++) flood.error({}, `error ${n}`);
  t.equal(lines.length, 2 * LOG_BURST + 1, 'errors are limited too');
  lines.length = 0;
  clock.advance(60_000);
  for (let n = 0; n < 1000; n++) flood.info({}, `line ${n}`);
  t.equal(lines.length, LOG_PER_MINUTE + 1);
  t.match(JSON.parse(lines[0] ?? ''), { level: 40, subject: 'device', omitted: 1000 });
  log.setLevels({ default: 'debug' });
  lines.length = 0;
  for (let n = 0; n < 100; n++) flood.debug({}, `line ${n}`);
  t.equal(lines.length, 100, 'debug lines were requested');
  t.end();
});

t.test('a repeated problem is logged once until it was quiet', (t) => {
  const clock = new ManualClock();
  const lines: string[] = [];
  const log: Log = { ...silentLog, warn: (_details, text) => void lines.push(text) };
  const problems = new TransientProblems({ id: 5, clock, log, setProblem: () => undefined });
  for (let n = 0; n < 100; n++) problems.add('LIMIT', () => 'too many');
  t.same(lines, ['too many']);
  clock.advance(2 * CLEAR_AFTER_MS);
  problems.add('LIMIT', () => 'again');
  t.same(lines, ['too many', 'again']);
  problems.close();
  t.end();
});
