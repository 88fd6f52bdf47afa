import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { InvalidAnnouncement, parseDiscoveryTopic } from '../../drivers/mqtt/discovery/announcement.js';
import { buildDevice, declareDevice, declareImages } from '../../drivers/mqtt/discovery/device-model.js';
import { packRecord, unpackRecord, type DeviceRecord } from '../../drivers/mqtt/discovery/device-record.js';
import { DeviceRegistry } from '../../drivers/mqtt/discovery/device-registry.js';
import { readShelly } from '../../drivers/mqtt/discovery/native/shelly.js';
import { readTasmota } from '../../drivers/mqtt/discovery/native/tasmota.js';
import { mqttModules } from '../../drivers/mqtt/index.js';
import { SimulatedBroker } from '../../drivers/mqtt/simulated-broker.js';
import { makeEnvironment, payloadVariables, Template } from '../../drivers/mqtt/templates/template.js';
import { TemplateError } from '../../drivers/mqtt/templates/value.js';
import { Fault } from '../../src/base/fault.js';
import { yieldToEventLoop } from '../../src/base/event-loop.js';
import { PACKAGE_ROOT } from '../../src/base/package-root.js';
import type { Value } from '../../src/device/module.js';
import { isOfType } from '../../src/kernel/convert.js';
import { imageTypeOf } from '../../src/kernel/image-type.js';
import { objectType } from '../../src/kernel/object.js';
import { AnnouncedEntityFixture } from '../tools/devices/announced-entity.js';
import { DeviceFixture } from '../tools/devices/device-fixture.js';
import { enableLinearPatterns } from '../tools/linear-patterns.js';
import { Random, fuzzSeed, seedLabel } from '../tools/random.js';
import { until } from '../tools/until.js';
import { corrupt, randomJson, randomText } from './inputs/json.js';

enableLinearPatterns();

/** Bounds the suite: about 5 s. Nightly, with a million payloads and templates: ROUNDS=350. */
const ROUNDS = Number(process.env['ROUNDS'] ?? 1);
const PAYLOADS = 3_000;
const TEMPLATES = 3_000;
const MESSAGES = 400;
/** The most characters of an output (docs/reference/limits.md). */
const OUTPUT_LIMIT = 262_144;
const IMAGE_BASE64 = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex').toString('base64');
const options = { timeout: 240_000 * ROUNDS };

const seed = fuzzSeed();
const recorded = ['zigbee2mqtt.jsonl', 'announcements.jsonl'].flatMap((name) =>
  readFileSync(join(PACKAGE_ROOT, 'test/fixtures/mqtt', name), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { discovery: [string, string][]; states: [string, string][] }),
);
const payloads = recorded
  .flatMap(({ discovery }) => discovery)
  .filter(([topic]) => topic.startsWith('homeassistant'));
const states = recorded.flatMap((one) => one.states).map(([, payload]) => payload);
/** Keys and templates of all payloads, to be put where they do not belong. */
const words = payloads.flatMap(([, text]) => text.match(/"(?:[^"\\]|\\.)*"/g) ?? []);

/** A payload that differs from a recorded one in some places. */
function mutated(random: Random, text: string): string {
  if (random.chance(0.1)) return corrupt(random, text).toString();
  let parts = text.split(/(?<=[,:{}[\]])/);
  for (let n = 1 + random.below(4); n > 0; n -= 1) {
    const at = random.below(parts.length);
    const value = random.chance(0.5) ? random.pick(words) : randomJson(random, 2);
    const end = /[,:{}[\]]$/.exec(parts[at] ?? '')?.[0] ?? '';
    parts = parts.with(at, `${value}${end}`);
  }
  return parts.join('');
}

/** Reads messages and sends commands; whatever is wrong is a fault or an error of a template. */
function exercise(random: Random, { entities }: DeviceRecord): number {
  let read = 0;
  for (const announced of entities) {
    const entity = new AnnouncedEntityFixture(announced);
    for (const { sources, part, command, type } of entity.model.variables) {
      for (const { topic, decodeImage } of sources) {
        const payload = random.chance(0.5)
          ? random.pick(states)
          : random.chance(0.5)
            ? randomText(random)
            : randomJson(random);
        const bytes = corrupt(random, random.chance(0.5) ? IMAGE_BASE64 : payload);
        if ((decodeImage?.(bytes)?.length ?? 0) > bytes.length) throw new Error('an image has grown');
        read += Object.keys(entity.take(topic.replaceAll(/[+#]/g, 'x'), payload)).length;
      }
      if (command === undefined) continue;
      const value: Value = [true, random.below(500), random.below(5000) / 10, randomText(random)][type] ?? '';
      try {
        entity.send(part, value);
      } catch (thrown) {
        if (!(thrown instanceof Fault) && !(thrown instanceof TemplateError)) throw thrown;
      }
    }
  }
  return read;
}

t.test(`hostile announcements are rejected, or become entities (${seedLabel(seed)})`, options, async (t) => {
  for (let round = 0; round < ROUNDS; round += 1) await announce(t, new Random(seed + round));
});

/** Announcements for one registry. */
async function announce(t: Test, random: Random): Promise<void> {
  const registry = new DeviceRegistry();
  let [taken, read] = [0, 0];
  for (let n = 0; n < PAYLOADS; n += 1) {
    const [topic, text] = random.pick(payloads);
    const parts = parseDiscoveryTopic('homeassistant', topic);
    if (parts === undefined) continue;
    try {
      registry.announce(topic, parts, random.chance(0.05) ? '' : mutated(random, text));
      taken += 1;
    } catch (thrown) {
      if (!(thrown instanceof InvalidAnnouncement)) throw thrown;
    }
    for (const id of registry.takeChanged()) {
      const record = registry.record(id);
      if (record === undefined) continue;
      const packed = packRecord(record);
      const unpacked = unpackRecord(packed);
      if (unpacked === undefined || packRecord(unpacked) !== packed) t.fail(`the record changes: ${packed}`);
      const model = buildDevice(record);
      for (const { ident, name } of [...declareDevice(model), ...declareImages(model, record.name)])
        if (!/^[A-Za-z0-9_]+$/.test(ident) || name === '')
          t.fail(`an ident or name is invalid: ${ident} ${name}`);
      if (random.chance(0.3)) read += exercise(random, record);
      if (n % 50 === 0) await yieldToEventLoop();
    }
  }
  t.ok(taken > PAYLOADS / 10, `${taken} were taken`);
  t.ok(read > 100, `${read} values were read`);
  t.equal(({} as Record<string, unknown>)['settings'], undefined, 'no prototype was changed');
}

interface TemplateCases {
  readonly payloads: readonly { readonly value?: unknown }[];
  readonly templates: readonly { readonly template: string }[];
}

/** A template that differs from a recorded one in some places, or is made of parts of several. */
function mutatedTemplate(random: Random, parts: readonly string[][]): string {
  let tokens = random.pick(parts);
  for (let n = 1 + random.below(4); n > 0; n -= 1) {
    const other = random.pick(random.pick(parts)) ?? '';
    const at = random.below(tokens.length + 1);
    const removed = random.below(3);
    const put = random.chance(0.1) ? [randomText(random)] : random.chance(0.7) ? [other] : [];
    tokens = [...tokens.slice(0, at), ...put, ...tokens.slice(at + removed)];
  }
  return tokens.join('');
}

t.test(`hostile templates are stopped, or have an output (${seedLabel(seed)})`, options, async (t) => {
  const random = new Random(seed + 3);
  const [payloadLine = '', templateLine = ''] = readFileSync(
    join(PACKAGE_ROOT, 'test/fixtures/mqtt/template-cases.jsonl'),
    'utf8',
  ).split('\n');
  const { payloads: inputs, templates } = {
    payloads: JSON.parse(payloadLine),
    templates: JSON.parse(templateLine),
  } as TemplateCases;
  const parts = templates.map(({ template }) => template.match(/\w+|\s+|[^\w\s]+/g) ?? []);
  const environment = makeEnvironment({ nowMs: () => 1_800_000_000_000, offsetMinutes: () => 60 });
  let [rendered, slowestMs] = [0, 0];
  for (let n = 0; n < TEMPLATES * ROUNDS; n += 1) {
    const text = mutatedTemplate(random, parts);
    const { value } = random.pick(inputs);
    const startMs = performance.now();
    try {
      const output = new Template(text, environment).render(
        payloadVariables(typeof value === 'string' ? value : randomJson(random)),
      );
      if (typeof output !== 'string' || output.length > OUTPUT_LIMIT) t.fail(`an output of ${text}`);
      rendered += 1;
    } catch (thrown) {
      if (!(thrown instanceof TemplateError)) throw new Error(`the template ${text}`, { cause: thrown });
    }
    slowestMs = Math.max(slowestMs, performance.now() - startMs);
    if (n % 500 === 0) await yieldToEventLoop();
  }
  t.ok(rendered > (TEMPLATES * ROUNDS) / 20, `${rendered} had an output`);
  t.comment(`the slowest took ${slowestMs.toFixed(1)} ms`);
  t.equal(({} as Record<string, unknown>)['value'], undefined, 'no prototype was changed');
});

t.test(`hostile announcements in other formats (${seedLabel(seed)})`, async (t) => {
  const random = new Random(seed + 1);
  const tasmota = recorded
    .flatMap(({ discovery }) => discovery)
    .filter(([topic]) => topic.startsWith('tasmota'));
  const status = JSON.stringify({
    result: {
      sys: { mac: 'A8032ABE54DC' },
      'switch:0': { output: true, apower: 1 },
      'rgbw:0': { output: true, brightness: 2, rgb: [1, 2, 3] },
      'cover:0': { state: 'open', current_pos: 3 },
    },
  });
  let count = 0;
  for (let n = 0; n < PAYLOADS / 3; n += 1) {
    const [config = '', sensors = ''] = tasmota.map(([, text]) => mutated(random, text));
    for (const read of [
      () => readTasmota({ config, sensors }),
      () => readShelly('shelly1-a8032abe54dc', mutated(random, status)),
    ])
      try {
        count += read()?.entities.length ?? 0;
      } catch (thrown) {
        if (!(thrown instanceof InvalidAnnouncement)) throw thrown;
      }
  }
  t.ok(count > 0, `${count} entities`);
});

t.test(`a gateway survives hostile announcements and states (${seedLabel(seed)})`, async (t) => {
  const random = new Random(seed + 2);
  const broker = new SimulatedBroker();
  await using fixture = new DeviceFixture(mqttModules(broker));
  const client = await fixture.add('MQTT Client', { Url: 'mqtt://broker' });
  const discovery = await fixture.add('MQTT Discovery', { Adopt: 'all' }, client);
  await fixture.waitForLink(discovery, 'online');
  for (let n = 0; n < MESSAGES; n += 1) {
    const [topic, text] = random.pick(payloads);
    broker.publish(topic, mutated(random, text), true);
  }
  broker.publish(
    'homeassistant/sensor/good/config',
    '{"name":"Good","stat_t":"good","unit_of_meas":"W","uniq_id":"good"}',
  );
  const variables = () => [...fixture.kernel.tree.objectsOfType(objectType.variable)];
  await until('the valid device', () => variables().some(({ ident }) => ident === 'sensor_good'));
  const instances = [...fixture.kernel.tree.objectsOfType(objectType.instance)];
  for (const instance of instances) await fixture.waitForLink(instance, 'online');
  const topics = new Set(
    instances.flatMap(
      ({ data }) =>
        String(data.properties['Announcement'] ?? '').match(/(?<="state_topic":")[^"+#\\]+/g) ?? [],
    ),
  );
  for (const topic of topics)
    broker.publish(topic, random.chance(0.5) ? random.pick(states) : randomJson(random));
  const camera = { topic: 'camera', image_encoding: 'b64', unique_id: 'camera' };
  broker.publish('homeassistant/camera/camera/config', JSON.stringify(camera));
  const images = () => [...fixture.kernel.tree.objectsOfType(objectType.media)];
  await until('an image', () => {
    broker.publish('camera', IMAGE_BASE64);
    return images().some(({ ident, data }) => ident === 'camera_camera__IMAGE' && data.available);
  });
  for (let n = 0; n < MESSAGES; n += 1) broker.publish('camera', corrupt(random, IMAGE_BASE64));
  for (const image of images()) {
    const content = fixture.kernel.media.reportedContent(image);
    if (content !== undefined && imageTypeOf(content) === undefined) t.fail(`${image.ident} is no image`);
  }
  broker.publish('good', '42.5');
  await until('its value', () =>
    variables().some(({ ident, data }) => ident === 'sensor_good' && data.value === 42.5),
  );
  for (const { data, ident } of variables())
    if (!isOfType(data.type, data.value)) t.fail(`${ident} has ${data.value}`);
  t.equal(fixture.value(discovery, 'LINK'), 'online');
});
