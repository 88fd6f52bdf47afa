import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { parseDiscoveryTopic } from '../../../drivers/mqtt/discovery/announcement.js';
import { readTasmota } from '../../../drivers/mqtt/discovery/native/tasmota.js';
import { DeviceRegistry } from '../../../drivers/mqtt/discovery/device-registry.js';
import { PACKAGE_ROOT } from '../../../src/base/package-root.js';
import { AnnouncedEntityFixture } from '../../tools/devices/announced-entity.js';
import { enableLinearPatterns } from '../../tools/linear-patterns.js';

enableLinearPatterns();

/** What a project publishes for one device or entity. */
interface Recorded {
  readonly id: string;
  readonly discovery: readonly (readonly [topic: string, payload: string])[];
  readonly states: readonly (readonly [topic: string, payload: string])[];
}

const linesOf = <T>(name: string): T[] =>
  readFileSync(join(PACKAGE_ROOT, 'test/fixtures/mqtt', name), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as T);

/** The entities that are left when all payloads have been taken in order, and the payloads that are none. */
function discover({ discovery }: Recorded): { entities: AnnouncedEntityFixture[]; rejected: string[] } {
  const registry = new DeviceRegistry();
  const rejected: string[] = [];
  const tasmota = { config: '', sensors: '' };
  for (const [topic, payload] of discovery) {
    const parts = parseDiscoveryTopic('homeassistant', topic);
    try {
      if (parts !== undefined) registry.announce(topic, parts, payload);
      else if (topic.endsWith('/sensors')) tasmota.sensors = payload;
      else tasmota.config = payload;
    } catch (thrown) {
      rejected.push(`${topic}: ${String(thrown)}`);
    }
  }
  const native = tasmota.config === '' ? [] : readTasmota(tasmota).entities;
  const announced = [...registry.ids()].flatMap((id) => registry.record(id)?.entities ?? []);
  const entities = [...announced, ...native].map((one) => new AnnouncedEntityFixture(one));
  return { entities, rejected };
}

t.test('all payloads of Zigbee2MQTT become entities with variables', async (t) => {
  const recorded = linesOf<Recorded>('zigbee2mqtt.jsonl');
  t.equal(recorded.length, 286);
  const found = recorded.map(discover);
  const missing = found.filter(
    ({ entities, rejected }) => rejected.length > 0 || entities[0]?.variables.length === 0,
  );
  t.strictSame(missing, []);
  t.strictSame(
    found.flatMap(({ entities }) => entities).flatMap(({ problems }) => problems),
    [],
  );
});

t.test('those of twelve other projects, too', async (t) => {
  const recorded = linesOf<Recorded>('announcements.jsonl');
  t.equal(recorded.length, 172);
  const found = recorded.map((one) => ({ ...one, ...discover(one) }));
  t.strictSame(
    found.flatMap(({ rejected }) => rejected),
    [],
  );
  const without = found.filter(({ entities }) => !entities.some(({ variables }) => variables.length > 0));
  // evcc announces nothing; the recording of the Shelly has states only.
  t.strictSame(
    without.map(({ id }) => id),
    ['evcc/native', 'shelly/native/bthome'],
  );
  const problems = found.flatMap(({ id, entities }) =>
    entities.flatMap((one) => one.problems.map((what) => `${id}: ${what}`)),
  );
  t.strictSame(problems, [
    'shelly/shellyplusrgbwpm/event/shellyplusrgbwpm-a8032abe54dc-input-0: it has no event types',
  ]);
});

t.test('recorded states are the expected values', async (t) => {
  const recorded = linesOf<Recorded>('announcements.jsonl');
  const values = recorded.flatMap((one) =>
    discover(one).entities.flatMap((entity) => {
      for (const [topic, payload] of one.states) entity.take(topic, payload);
      const isRead = Object.keys(entity.values).length > 0;
      // It depends on the time of the day.
      return isRead && entity.model.name !== 'Last restart'
        ? [[one.id, entity.model.name, entity.values]]
        : [];
    }),
  );
  const expected = linesOf<unknown>('expected-values.jsonl');
  t.ok(expected.length > 90, 'there are expected values');
  for (const [at, one] of expected.entries()) t.strictSame(values[at], one);
  t.equal(values.length, expected.length);
});
