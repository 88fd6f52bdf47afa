import { OWNER } from '../../tools/gateway/api-fixture.js';
import type { Gateway } from '../../../src/composition/gateway.js';
import type { Caller } from '../../../src/device/declare.js';
import { objectType } from '../../../src/kernel/object.js';

export const OWNER_CALLER: Caller = { role: 'owner', user: OWNER.username, remote: '127.0.0.1' };

/** An entry of `tree`. */
export interface Entry {
  [key: string]: unknown;
  ident: string;
  properties?: Record<string, unknown>;
  children?: Entry[];
}

/** A `gateway.yaml` as an object: JSON is YAML. */
export interface Configuration {
  [key: string]: unknown;
  tree: Entry[];
}

const instance = (module: string, ident: string, properties: Record<string, unknown> = {}): Entry => ({
  instance: `The ${ident}`,
  ident,
  module,
  properties,
});
const holding = (entry: Entry, children: Entry[]): Entry => ({ ...entry, children });

const RULES = {
  Rules: [
    { Pattern: '^T=(-?[0-9.]+)$', Ident: 'TEMPERATURE', Type: 'float', Profile: '~Temperature' },
    { Pattern: '^R=(ON|OFF)$', Ident: 'RELAY', Type: 'boolean', Profile: 'Mine' },
  ],
  Commands: [{ Ident: 'LEVEL', Type: 'integer', Send: 'LEVEL {value}' }],
};
const TOPICS = [
  { Ident: 'POWER', Type: 'float', StateTopic: 'plug/power', Profile: '~Watt', StaleAfterS: 600 },
  { Ident: 'STATE', Type: 'boolean', StateTopic: 'plug/state', CommandTopic: 'plug/set' },
  { Ident: 'TEXT', Type: 'string', StateTopic: 'plug/text' },
];

/** Every kind of module and object on the simulated board. */
export function sampleConfiguration(): Configuration {
  const modbus = (name: string) => [
    holding(instance('ModBus Gateway', `${name}_unit`, { GatewayMode: 1, DeviceID: 1 }), [
      instance('ModBus Address', 'volt', { DataType: 7, ReadFunctionCode: 4, Profile: '~Volt' }),
      instance('ModBus Address', 'coil', { DataType: 0, ReadFunctionCode: 1, WriteFunctionCode: 5 }),
    ]),
  ];
  return {
    board: 'simulated',
    remoteAccess: { username: OWNER.username, password: OWNER.password },
    api: { port: 0 },
    profiles: { Mine: { type: 'boolean', associations: [{ value: true, name: 'Yes' }] } },
    tree: [
      {
        category: 'Lines',
        ident: 'lines',
        children: [
          instance('GPIO Output', 'output', { Line: 'RELAY1', Boot: 'inactive' }),
          instance('GPIO Input', 'sense', { Line: 'SENSE1' }),
          instance('Button', 'button', { Line: 'BUTTON1', Toggles: 'lines/relay' }),
          instance('Relay', 'relay', { Line: 'RELAY2', MinOnS: 1, Boot: 'last' }),
          instance('Relay', 'opens', { Line: 'RELAY3', Interlock: 'gate', DeadTimeMs: 500 }),
          instance('Relay', 'closes', { Line: 'RELAY4', Interlock: 'gate', DeadTimeMs: 500 }),
          instance('Shutter', 'shutter', { Up: 'RELAY5', Down: 'RELAY6', RunUpS: 30, RunDownS: 29 }),
          instance('Pulse', 'pulse', { Line: 'RELAY7', PulseMs: 200 }),
          instance('Blinker', 'blinker', { Line: 'RELAY8', OnMs: 200, OffMs: 800 }),
          instance('Counter', 'counter', { Line: 'BUTTON2', Measures: 'electricity', PulsesPerUnit: 1000 }),
          instance('Level Group', 'levels', { Lines: ['BUTTON3', 'BUTTON4'], Code: 'binary' }),
          instance('Encoder', 'encoder', { LineA: 'BUTTON5', LineB: 'BUTTON6' }),
          instance('Frequency', 'frequency', { Line: 'BUTTON7' }),
          instance('LED', 'led', { Led: 'LED1' }),
          instance('PWM', 'pwm', { Channel: 'PWM1', FrequencyHz: 2000 }),
        ],
      },
      holding(instance('1-Wire Bus', 'wires', { Bus: 'w1_bus_master1' }), [
        instance('1-Wire Device', 'warm', { Address: '28-000000000001', EveryS: 10 }),
        instance('1-Wire Device', 'valves', { Address: '29-000000000002' }),
      ]),
      holding(instance('Serial Port', 'port', { Port: '/dev/nothing' }), modbus('serial')),
      holding(instance('Client Socket', 'client', { Host: '127.0.0.1', Port: 1 }), [
        instance('Serial Device', 'behind', RULES),
      ]),
      instance('Server Socket', 'server', { Port: 0 }),
      instance('UDP Socket', 'udp', { BindIP: '127.0.0.1', BindPort: 0 }),
      holding(instance('Virtual I/O', 'wire'), [instance('Serial Device', 'meter', RULES)]),
      holding(instance('MQTT Client', 'broker', { Url: 'mqtt://127.0.0.1:1', Password: 'hidden' }), [
        instance('MQTT Device', 'plug', { Topics: TOPICS }),
      ]),
      {
        category: 'Values',
        ident: 'values',
        children: [
          { variable: 'Setpoint', ident: 'setpoint', type: 'float', value: 21.5, profile: '~Temperature' },
          { variable: 'Mode', ident: 'mode', type: 'integer', value: 2, archive: true },
          { variable: 'Note', ident: 'note', type: 'string', value: 'kept' },
          { variable: 'Away', ident: 'away', type: 'boolean', profile: 'Mine' },
          { link: 'The lamp', ident: 'lamp', target: 'lines/relay' },
          {
            event: 'At night',
            ident: 'night',
            // On a day that no run of the tests meets.
            cyclic: { at: '03:00', date: '2099-01-01' },
            action: { name: 'Set a variable', target: 'values/mode', value: 1 },
          },
          {
            event: 'By away',
            ident: 'by_away',
            trigger: { variable: 'values/away', on: 'value', value: true },
            script: 'print("away")',
          },
        ],
      },
    ],
    configurators: [
      { title: 'House', ident: 'wf', base: 'values', password: 'petunia' },
      { title: 'Lines', ident: 'wf_lines', base: 'lines', passwordRequired: false },
    ],
  };
}

/** Calls as the owner; the result, or the code of the fault. */
export async function callAsOwner(gateway: Gateway, name: string, ...params: unknown[]): Promise<unknown> {
  try {
    return await gateway.registry.call(name, params, OWNER_CALLER);
  } catch (thrown) {
    return (thrown as { code?: unknown }).code ?? thrown;
  }
}

/** Objects that only calls create: scripts, media, objects without an ident, an option, records. */
export async function populate(gateway: Gateway): Promise<void> {
  const did = async (name: string, ...params: unknown[]) => {
    const result = await gateway.registry.call(name, params, OWNER_CALLER);
    return result as number;
  };
  for (const text of ["print('a')", 'broken (', "SetValue(12345, true); print('c')"]) {
    const script = await did('SVC_CreateScript', 0);
    await did('SVC_SetScriptContent', script, text);
  }
  const media = await did('SVC_CreateMedia', 1);
  await did('SVC_SetMediaFile', media, 'media/picture.png', false);
  await did('SVC_SetMediaContent', media, Buffer.from('a picture').toString('base64'));
  const category = await did('SVC_CreateCategory');
  for (const type of [0, 1, 2, 3]) {
    const id = await did('SVC_CreateVariable', type);
    await did('SVC_SetParent', id, category);
    await did('SVC_SetVariableCustomProfile', id, ['~Switch', '~Intensity.100', '~Volt', '~String'][type]);
    await did('SetValue', id, [true, 7, 0.5, 'text'][type]);
    const link = await did('SVC_CreateLink');
    await did('SVC_SetLinkTargetID', link, id);
    const event = await did('SVC_CreateEvent', 0);
    await did('SVC_SetParent', event, id);
    await did('SVC_SetEventTrigger', event, 1, id);
  }
  await did('SVC_CreateEvent', 2);
  await did('SVC_SetOption', 'BackupCount', 3);
  const [archive] = [...gateway.kernel.tree.objectsOfType(objectType.instance)].filter(
    ({ data }) => data.moduleName === 'Archive Control',
  );
  const [mode] = [...gateway.kernel.tree.objectsOfType(objectType.variable)].filter(
    ({ ident }) => ident === 'mode',
  );
  const records = [1, 2, 3, 4].map((n) => ({ TimeStamp: 1_700_000_000 + n * 60, Value: n }));
  await did('AC_AddLoggedValues', archive?.id, mode?.id, records);
  await gateway.backup();
}
