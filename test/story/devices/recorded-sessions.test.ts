import { isDeepStrictEqual } from 'node:util';
import t from 'tap';
import { rpc } from '../../tools/client/json-rpc.js';
import { startMosquitto } from '../../tools/devices/mosquitto.js';
import { SIMULATED_CONFIG, startGateway, type GatewayFixture } from '../../tools/gateway/gateway-fixture.js';
import { hasProgram } from '../../tools/program.js';
import { PlayedSession } from '../../tools/recording/played-session.js';
import { tempDirectory } from '../../tools/temp-directory.js';
import { until } from '../../tools/until.js';

const skip = hasProgram('mosquitto') ? false : 'mosquitto is not installed (Debian package mosquitto)';

const configFor = (port: number) => `${SIMULATED_CONFIG}tree:
  - instance: Broker
    ident: broker
    module: MQTT Client
    properties: { Url: "mqtt://127.0.0.1:${port}" }
    children:
      - { instance: MQTT devices, ident: discovery, module: MQTT Discovery, properties: { Adopt: all } }
`;

/** What is expected of a session. Variables are named by their idents, which discovery derives from unique ids. */
interface Story {
  /** The name of the device. */
  readonly device: string;
  /** The device is asked for its state when the instance opens. */
  readonly isAsked?: true;
  /** After the part `values`. */
  readonly values: Readonly<Record<string, unknown>>;
  /** After the part `available`. */
  readonly later: Readonly<Record<string, unknown>>;
  /** The variable that is set, and the value that the device then reports. */
  readonly command: readonly [ident: string, value: unknown];
  /** The variable that the changed announcement renames. */
  readonly renamed: readonly [ident: string, before: string, after: string];
}

const CURTAIN = 'cover_0x0017880104e45547_cover_zigbee2mqtt';
const MOTOR = 'sensor_0x0017880104e45547_motor_state_zigbee2mqtt';
const RELAY = (n: number) => `switch_dc4f220756c6_relay_${n}`;
const CEILING = 'light_a4cf12d7e310_light_0a1b2c3d_64a1419a';
const SWITCH = 'switch_a4cf12d7e310_switch_0a1b2c3d_dbfc8ea7';

const STORIES: Readonly<Record<string, Story>> = {
  zigbee2mqtt: {
    device: 'curtain',
    values: { [`${CURTAIN}__POSITION`]: 100, [`${CURTAIN}__STATE`]: 'stopped', [MOTOR]: 'stopped' },
    later: { [`${CURTAIN}__POSITION`]: 10 },
    command: [`${CURTAIN}__POSITION`, 0],
    renamed: [MOTOR, 'Motor state', 'Motor'],
  },
  tasmota: {
    device: 'CV-Ruimte',
    isAsked: true,
    values: {
      [RELAY(1)]: false,
      [RELAY(2)]: true,
      sensor_dc4f220756c6_signal: -64,
      sensor_dc4f220756c6_DS18B20_1_Temperature_dd9bfc14: 18.5,
      sensor_dc4f220756c6_DS18B20_2_Temperature_831cf661: 17.7,
    },
    later: { sensor_dc4f220756c6_DS18B20_1_Temperature_dd9bfc14: 18.9 },
    command: [RELAY(2), false],
    renamed: [RELAY(2), 'Relais1', 'Pump'],
  },
  esphome: {
    device: 'Heat Pump',
    values: {
      [SWITCH]: true,
      [CEILING]: true,
      [`${CEILING}__BRIGHTNESS`]: 128,
      [`${CEILING}__COLOR`]: 0xff_78_00,
      [`${CEILING}__EFFECT`]: 'None',
    },
    later: { [SWITCH]: true, [CEILING]: false, [`${CEILING}__COLOR_TEMPERATURE`]: 370 },
    command: [SWITCH, false],
    renamed: [SWITCH, 'Relay', 'Pump'],
  },
};

interface Entry {
  readonly type: number;
  readonly name: string;
  readonly ident: string;
  readonly parentID: number;
  readonly data: { readonly value?: unknown; readonly quality?: unknown };
}

/** The variables of the device's instance by ident; undefined if there is no instance. */
async function variablesOf(fixture: GatewayFixture, device: string) {
  const { objects } = (await rpc(fixture, 'SVC_GetSnapshot')) as { objects: Record<string, Entry> };
  const found = Object.entries(objects).find(([, { type, name }]) => type === 1 && name === device);
  if (found === undefined) return undefined;
  const parent = Number(found[0].slice(2));
  return new Map(
    Object.entries(objects)
      .filter(([, { type, parentID }]) => type === 2 && parentID === parent)
      .map(([key, entry]) => [entry.ident, { id: Number(key.slice(2)), ...entry }]),
  );
}

type Variables = NonNullable<Awaited<ReturnType<typeof variablesOf>>>;

const valuesOf = (variables: Variables, idents: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(Object.keys(idents).map((ident) => [ident, variables.get(ident)?.data.value]));

for (const [name, story] of Object.entries(STORIES))
  t.test(`a session of ${name}, from announcement to removal`, { skip }, async (t) => {
    const broker = await startMosquitto({ directory: await tempDirectory(t) });
    const session = await PlayedSession.open(name, broker.port);
    t.teardown(async () => {
      await session[Symbol.asyncDispose]();
      await broker[Symbol.asyncDispose]();
    });
    const fixture = await startGateway(t, configFor(broker.port));
    const { device, values, later, renamed } = story;
    /** Waits until the variables of the device meet a condition. */
    const met = (what: string, check: (variables: Variables) => boolean): Promise<Variables> =>
      until(what, async () => {
        const variables = await variablesOf(fixture, device);
        return variables !== undefined && check(variables) ? variables : undefined;
      });
    const have = (expected: Readonly<Record<string, unknown>>) => (variables: Variables) =>
      isDeepStrictEqual(valuesOf(variables, expected), expected);

    await session.play('announcement');
    await met('the instance', (variables) => variables.get('LINK')?.data.value === 'online');
    if (story.isAsked) await session.play('state requested');
    await session.play('values');
    const first = await met('the values', have(values));
    for (const ident of Object.keys(values)) t.equal(first.get(ident)?.data.quality, undefined, ident);
    t.equal(first.get(renamed[0])?.name, renamed[1]);

    await session.play('unavailable');
    await met('their quality', (variables) =>
      Object.keys(values).every((ident) => variables.get(ident)?.data.quality !== undefined),
    );
    await session.play('available');
    const back = await met('the later values', have(later));
    for (const ident of Object.keys(later)) t.equal(back.get(ident)?.data.quality, undefined, ident);

    const [ident, value] = story.command;
    const answered = session.play('command');
    await rpc(fixture, 'RequestAction', back.get(ident)?.id, value);
    await answered;
    const commanded = await met('the reported value', have({ [ident]: value }));

    const idsOf = (variables: Variables) => [...variables].map(([key, { id }]) => [key, id]).sort();
    await session.play('re-announcement');
    await session.play('changed announcement');
    const changed = await met('the name', (variables) => variables.get(renamed[0])?.name === renamed[2]);
    t.strictSame(idsOf(changed), idsOf(commanded), 'they are the same variables');
    t.strictSame(valuesOf(changed, { [ident]: value }), { [ident]: value }, 'with their values');

    await session.play('removal');
    const removed = await met('the removal', (variables) =>
      /was removed from the broker/.test(String(variables.get('STATUS')?.data.value)),
    );
    t.strictSame(idsOf(removed), idsOf(commanded), 'the instance stays');
    t.ok(removed.get(ident)?.data.quality !== undefined, 'and its values are not good');
  });
