import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { connectAsync, type MqttClient } from 'mqtt';
import { message } from '../../../src/kernel/messages.js';
import { hasProgram } from '../../tools/program.js';
import { startMosquitto } from '../../tools/devices/mosquitto.js';
import { call, startGateway } from '../gateway.js';
import { cpuMs, idle, RELEASED_MS, residentMiB, type Cores } from '../machine.js';
import type { Effort, Figure, Report } from '../statistics.js';

/** MQTT Discovered Device. */
const DEVICE_MODULE = '{6B1C2A5E-8F43-4D0B-9A67-2E5D1F7C3B90}';
const DEVICES = 500;
const ENTITIES = 20;
/** Announcements that are published without waiting. */
const AT_A_TIME = 500;
const ALL = (DEVICES * ENTITIES).toLocaleString('en-US');

/** The components of a device, which repeat. */
const COMPONENTS: readonly (readonly [component: string, settings: object])[] = [
  ['switch', {}],
  ['sensor', { unit_of_measurement: 'W', device_class: 'power' }],
  ['sensor', { unit_of_measurement: '°C', device_class: 'temperature' }],
  ['binary_sensor', { device_class: 'occupancy', payload_on: true, payload_off: false }],
  ['number', { min: 0, max: 100, unit_of_measurement: 's' }],
  ['select', { options: ['off', 'previous', 'on'] }],
  ['light', { schema: 'json', supported_color_modes: ['color_temp', 'xy'] }],
  ['sensor', { unit_of_measurement: 'lqi', entity_category: 'diagnostic' }],
];

const announcements = Array.from(
  { length: DEVICES * ENTITIES },
  (_, at): [topic: string, payload: string] => {
    const [device, entity] = [Math.floor(at / ENTITIES), at % ENTITIES];
    const [component = '', settings = {}] = COMPONENTS[entity % COMPONENTS.length] ?? [];
    const payload = {
      name: `Entity ${entity}`,
      unique_id: `d${device}e${entity}`,
      state_topic: `bench/${device}`,
      value_template: `{{ value_json.v${entity} }}`,
      command_topic: `bench/${device}/set`,
      availability: [{ topic: 'bench/state', value_template: '{{ value_json.state }}' }],
      device: { identifiers: [`bench_${device}`], name: `Device ${device}`, model: 'B' },
      ...settings,
    };
    return [`homeassistant/${component}/d${device}/e${entity}/config`, JSON.stringify(payload)];
  },
);

/** Devices that announce themselves become instances; a storm of the same announcements changes nothing. */
export async function discoveryFigures(_effort: Effort, cores: Cores, directory: string): Promise<Report> {
  if (!hasProgram('mosquitto')) throw new Error('mosquitto is not installed');
  const place = join(directory, 'discovery');
  mkdirSync(place);
  await using broker = await startMosquitto({
    directory: place,
    lines: ['max_queued_messages 0', 'max_queued_bytes 0'],
  });
  const outside = await connectAsync(`mqtt://127.0.0.1:${broker.port}`);
  try {
    return await measured({ outside, cores, place, brokerPort: broker.port });
  } finally {
    await outside.endAsync(true);
  }
}

interface Bench {
  readonly outside: MqttClient;
  readonly cores: Cores;
  readonly place: string;
  readonly brokerPort: number;
}

async function measured({ outside, cores, place, brokerPort }: Bench): Promise<Report> {
  const discovery = { instance: 'D', ident: 'd', module: 'MQTT Discovery', properties: { Adopt: 'all' } };
  const properties = { Url: `mqtt://127.0.0.1:${brokerPort}` };
  const tree = [{ instance: 'C', ident: 'c', module: 'MQTT Client', properties, children: [discovery] }];
  await using gateway = await startGateway({ directory: place, core: cores.server, config: { tree } });
  const { port, pid } = gateway;
  await idle(pid);
  const emptyMiB = residentMiB(pid);
  const announce = async () => {
    for (let at = 0; at < announcements.length; at += AT_A_TIME) {
      const some = announcements.slice(at, at + AT_A_TIME);
      await Promise.all(
        some.map(([topic, payload]) => outside.publishAsync(topic, payload, { retain: true })),
      );
    }
    await outside.publishAsync('bench/state', '{"state":"online"}', { retain: true, qos: 1 });
  };
  const [startMs, startCpu] = [performance.now(), cpuMs(pid)];
  await announce();
  const instances = async () =>
    (await call(port, 'SVC_GetInstanceListByModuleID', DEVICE_MODULE)) as number[];
  for (;;) {
    await sleep(100);
    if ((await instances()).length === DEVICES) break;
    if (performance.now() - startMs > 300_000) throw new Error('the devices did not become instances');
  }
  const [tookMs, tookCpu] = [performance.now() - startMs, cpuMs(pid) - startCpu];
  await idle(pid);
  await sleep(RELEASED_MS);
  const fullMiB = residentMiB(pid);
  const counter = await call(port, 'SVC_GetSnapshotChanges', 0);
  const stormCpu = cpuMs(pid);
  await announce();
  await idle(pid);
  const stormS = (cpuMs(pid) - stormCpu) / 1000;
  const figures: Figure[] = [
    {
      name: `discovery of ${DEVICES} devices with ${ALL} entities`,
      value: tookMs / 1000,
      unit: 's',
      goal: { is: 'below', value: 10 },
      ours: `${(tookCpu / 1000).toFixed(1)} s of processor time`,
      baseline: '',
    },
    {
      name: 'their memory, per entity',
      value: ((fullMiB - emptyMiB) * 1024) / (DEVICES * ENTITIES),
      unit: 'KiB',
      goal: { is: 'below', value: 30 },
      ours: `${fullMiB.toFixed(0)} MiB`,
      baseline: `${emptyMiB.toFixed(0)} MiB without devices`,
    },
    {
      name: `a storm of ${ALL} announcements that were known`,
      value: stormS,
      unit: 's',
      goal: { is: 'below', value: 3 },
      ours: 'processor time',
      baseline: '',
    },
  ];
  const [{ TimeStamp = 0 } = {}] = counter as { TimeStamp?: number }[];
  const changes = (await call(port, 'SVC_GetSnapshotChanges', TimeStamp)) as { Message: number }[];
  const isChanged = changes.some(({ Message }) => Message === message.IM_CHANGESETTINGS);
  return { figures, wrong: isChanged ? ['the storm changed an instance'] : [] };
}
