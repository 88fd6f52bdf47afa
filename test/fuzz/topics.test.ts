import t from 'tap';
import { SimulatedBroker } from '../../drivers/mqtt/simulated-broker.js';
import { validateFilter, matchesFilter, validateTopic } from '../../drivers/mqtt/topic-filter.js';
import { mqttModules } from '../../drivers/mqtt/index.js';
import { Fault } from '../../src/base/fault.js';
import { yieldToEventLoop } from '../../src/base/event-loop.js';
import type { Instance } from '../../src/kernel/instances.js';
import { Random, fuzzSeed, seedLabel } from '../tools/random.js';
import { until } from '../tools/until.js';
import { DeviceFixture } from '../tools/devices/device-fixture.js';
import { randomJson } from './inputs/json.js';
import { randomPayload, randomTopic } from './inputs/topics.js';

/** Bounds the suite: about 3 s. */
const PAIRS = 3_000;
const DEVICES = 150;
const MESSAGES = 100;

const seed = fuzzSeed();
const types = ['boolean', 'integer', 'float', 'string'] as const;
const typeOf = { boolean: 'boolean', integer: 'number', float: 'number', string: 'string' } as const;

/** Topic matching by MQTT 3.1.1 §4.7, implemented differently from the driver. */
function fits(filter: string, topic: string): boolean {
  if (topic.startsWith('$') && /^[+#]/.test(filter)) return false;
  const pattern = filter
    .split('/')
    .map((level) =>
      level === '+'
        ? '[^/]*'
        : level === '#'
          ? '.*'
          : level.replace(/[^\w]/gu, (c) => `\\u{${c.codePointAt(0)?.toString(16)}}`),
    )
    .join('/')
    .replace(/\/\.\*$/, '(?:/.*)?');
  return new RegExp(`^${pattern}$`, 'su').test(topic);
}

await t.test(`a filter is rejected, or matches as specified (${seedLabel(seed)})`, (t) => {
  const random = new Random(seed);
  let fitting = 0;
  for (let n = 0; n < PAIRS; n++) {
    const [filter, topic] = [randomTopic(random), randomTopic(random)];
    if (validateFilter(filter) !== undefined || validateTopic(topic) !== undefined || filter.length > 1_000)
      continue;
    const expected = fits(filter, topic);
    if (expected) fitting++;
    if (matchesFilter(filter, topic) !== expected) t.fail(`${filter} and ${topic}: ${!expected}`);
  }
  t.ok(fitting > 0, `${fitting} fit`);
  t.end();
});

await t.test(
  `whatever a broker sends, a device reports values of its type or nothing (${seedLabel(seed)})`,
  async (t) => {
    const random = new Random(seed + 1);
    const broker = new SimulatedBroker();
    await using fixture = new DeviceFixture(mqttModules(broker));
    const client = await fixture.add('MQTT Client', { Url: 'mqtt://127.0.0.1:1883' });
    await fixture.waitForLink(client, 'online');
    let opened = 0;
    let reported = 0;
    for (let n = 0; n < DEVICES; n++) {
      const fields = Array.from({ length: 1 + random.below(3) }, (_, at) => anyFields(random, at));
      const device = await fixture
        .add('MQTT Device', { Topics: fields }, client)
        .catch((thrown: unknown) => thrown);
      if (device instanceof Fault) continue;
      if (device instanceof Error) throw device;
      const instance = device as Instance;
      const link = await until('it to open, or to report why not', () => {
        const now = fixture.value(instance, 'LINK');
        return now === 'online' || fixture.devices.problems(instance.id).length > 0 ? String(now) : undefined;
      });
      if (link === 'online') opened++;
      await yieldToEventLoop();
      const watched = fields.map(({ Ident }) => fixture.watch(instance, String(Ident)));
      for (let m = 0; m < MESSAGES; m++) {
        const required = random.chance(0.7)
          ? fields.map(({ StateTopic }) => StateTopic)
          : [randomTopic(random)];
        broker.publish(String(random.pick(required)), randomPayload(random), random.chance(0.1));
      }
      await yieldToEventLoop();
      for (const [at, { Type }] of fields.entries()) {
        const value = watched[at]?.at(-1);
        if (value === undefined) continue;
        reported++;
        if (typeof value !== typeOf[Type]) t.fail(`${Type}: ${value}`);
        if (typeof value === 'number' && !Number.isFinite(value)) t.fail(`${value}`);
        if (Type === 'integer' && !Number.isSafeInteger(value)) t.fail(`integer ${value}`);
      }
      await fixture.devices.disconnect(instance.id);
    }
    t.ok(opened > 0 && reported > 0, `${opened} of ${DEVICES} devices opened, ${reported} values`);
    t.equal(broker.openCount, 1, 'and the connection is open');
  },
);

/** One entry of `Topics`, with mostly valid fields. */
function anyFields(random: Random, at: number): Record<string, unknown> & { Type: (typeof types)[number] } {
  const odd = () => JSON.parse(randomJson(random, 2).replace(/\d{17,}|1e400/g, '7')) as unknown;
  const fields: Record<string, unknown> = { Ident: `V${at}`, StateTopic: `plug/${at}/state` };
  if (random.chance(0.2)) fields['StateTopic'] = randomTopic(random);
  if (random.chance(0.4))
    fields['JsonPath'] = random.pick([
      'state',
      'a.b[0]',
      '$.a["b"]',
      'constructor',
      '__proto__',
      '[0]',
      '..',
      'a[',
    ]);
  if (random.chance(0.2)) Object.assign(fields, { On: 'ON', Off: 'OFF' });
  if (random.chance(0.2))
    Object.assign(fields, { Scale: random.pick([0.1, -1, 1e300, 0]), Offset: random.pick([0, 1e308]) });
  if (random.chance(0.1)) fields['CommandTopic'] = randomTopic(random);
  if (random.chance(0.1)) fields[random.pick(['QoS', 'Retain', 'Ident', 'Profile', 'Counter', 'X'])] = odd();
  return { ...fields, Type: random.pick(types) };
}
