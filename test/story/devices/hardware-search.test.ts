import t from 'tap';
import { message } from '../../../src/kernel/messages.js';
import { owner } from '../../tools/gateway/function-fixture.js';
import { idOf, rpc, valueAt } from '../../tools/client/json-rpc.js';
import {
  SIMULATED_CONFIG,
  startGateway,
  SAMPLE_TREE,
  type GatewayFixture,
} from '../../tools/gateway/gateway-fixture.js';
import { until } from '../../tools/until.js';

const HARDWARE = `${SAMPLE_TREE}  - { instance: Hardware, ident: hardware, module: Hardware }\n`;

interface Found {
  readonly ID: string;
  readonly Kind: string;
  readonly Name: string;
  readonly About: string;
  readonly UsedBy: string;
  readonly InstanceID: number;
  readonly Create: readonly { ModuleID: string; ModuleName: string; Properties: object }[];
}

const searched = (fixture: GatewayFixture, id: number) =>
  until('the end of the search', async () => (await rpc(fixture, 'SVC_IsSearching', id)) === false);

/** The item of this name in a search. */
async function found(fixture: GatewayFixture, name: string): Promise<Found | undefined> {
  const hardware = await idOf(fixture, 'hardware');
  await rpc(fixture, 'SVC_StartSearch', hardware);
  await searched(fixture, hardware);
  const all = (await rpc(fixture, 'GW_GetFound', hardware)) as Found[];
  return all.find(({ Name }) => Name === name);
}

t.test('a search lists chips and lines, their users, and the instances that they can become', async (t) => {
  const fixture = await startGateway(t, SIMULATED_CONFIG + HARDWARE);
  const relay = await idOf(fixture, 'ground_floor/hall_relay');
  const used = await found(fixture, 'RELAY1');
  t.match(used, { ID: 'line simulated/0', Kind: 'line', About: 'simulated/0, output', UsedBy: 'stellwerk' });
  t.equal(used?.InstanceID, relay);
  t.strictSame(used?.Create, [], 'it is an instance already');
  const free = await found(fixture, 'BUTTON2');
  t.match(free, { About: 'simulated/17, input', UsedBy: '', InstanceID: 0 });
  t.strictSame(
    free?.Create.map(({ ModuleName }) => ModuleName),
    ['GPIO Input', 'GPIO Output', 'Relay', 'Pulse', 'Blinker', 'Button', 'Counter', 'Frequency'],
  );
  t.strictSame(free?.Create[0]?.Properties, { Line: 'BUTTON2' });
  t.match(await found(fixture, 'simulated'), { Kind: 'chip', About: 'gpiochip0, 24 lines', Create: [] });
  const led = await found(fixture, 'LED1');
  t.match(led, { ID: 'led LED1', Kind: 'led', Create: [{ ModuleName: 'LED', Properties: { Led: 'LED1' } }] });
  const pwm = await found(fixture, 'PWM1');
  t.match(pwm, { Kind: 'pwm', Create: [{ ModuleName: 'PWM', Properties: { Channel: 'PWM1' } }] });
  t.ok(((await valueAt(fixture, 'hardware/FOUND')) as number) >= 25);
});

const RS485 = `${HARDWARE}  - instance: RS-485
    ident: rs485
    module: Serial Port
    properties: { Port: /dev/ttyMODBUS }
    children: [{ instance: Unit 1, ident: unit1, module: ModBus Gateway, properties: { GatewayMode: 1, DeviceID: 1 } }]
`;

t.test('serial ports of the simulated board are found, and the device at one of them', async (t) => {
  const fixture = await startGateway(t, SIMULATED_CONFIG + RS485);
  const hardware = await idOf(fixture, 'hardware');
  t.match(await found(fixture, '/dev/ttySML'), {
    ID: 'port /dev/ttySML',
    Kind: 'port',
    UsedBy: '',
    Create: [{ ModuleName: 'Serial Port', Properties: { Port: '/dev/ttySML' } }],
  });
  t.match(await found(fixture, '/dev/ttyMODBUS'), { InstanceID: await idOf(fixture, 'rs485') });
  await until(
    'the gateway of the unit',
    async () => (await valueAt(fixture, 'rs485/unit1/LINK')) === 'online',
  );
  const name = 'SunSpec inverter: SolarEdge, Fronius (int + SF), SMA, Kostal, ABB';
  const inverter = await found(fixture, name);
  t.match(inverter, { Kind: 'modbus', Create: [{ Properties: { Map: 'sunspec-inverter' } }] });
  const created = await rpc(fixture, 'GW_CreateFrom', hardware, inverter?.ID, 0);
  t.type(created, 'number');
  const maker = await rpc(fixture, 'SVC_GetObjectIDByIdent', 'MODEL', created);
  await until('its model', async () => (await rpc(fixture, 'GetValue', maker)) === 'Simulated inverter');
});

t.test('one call makes an instance of an item, which works immediately', async (t) => {
  const fixture = await startGateway(t, SIMULATED_CONFIG + HARDWARE);
  const hardware = await idOf(fixture, 'hardware');
  const floor = await idOf(fixture, 'ground_floor');
  const line = await found(fixture, 'BUTTON2');
  const input = (await rpc(fixture, 'GW_CreateFrom', hardware, line?.ID, floor)) as number;
  t.match(await rpc(fixture, 'SVC_GetObject', input), { ObjectName: 'BUTTON2', ParentID: floor });
  const order = (await rpc(fixture, 'SVC_GetChildrenIDs', floor)) as number[];
  t.ok(order.length > 1);
  t.equal(order.at(-1), input, 'after its siblings');
  t.match(await rpc(fixture, 'SVC_GetInstance', input), { ModuleInfo: { ModuleName: 'GPIO Input' } });
  const state = (await rpc(fixture, 'SVC_GetObjectIDByIdent', 'STATE', input)) as number;
  await rpc(fixture, 'GW_SimulateLine', 'BUTTON2', true);
  await until('the input to follow', async () => (await rpc(fixture, 'GetValue', state)) === true);
  t.match(await found(fixture, 'BUTTON2'), { InstanceID: input, UsedBy: 'stellwerk' });
  const relay = (await rpc(
    fixture,
    'GW_CreateFrom',
    hardware,
    'line simulated/1',
    0,
    'Relay',
    'Pump',
  )) as number;
  t.match(await rpc(fixture, 'SVC_GetObject', relay), { ObjectName: 'Pump', ParentID: 0 });
  t.match(await rpc(fixture, 'SVC_GetInstance', relay), { ModuleInfo: { ModuleName: 'Relay' } });
});

t.test('an item that cannot become an instance is rejected, and nothing is created', async (t) => {
  const fixture = await startGateway(t, SIMULATED_CONFIG + HARDWARE);
  const hardware = await idOf(fixture, 'hardware');
  await searched(fixture, hardware);
  const before = await rpc(fixture, 'SVC_GetInstanceList');
  const make = (...more: unknown[]) => rpc(fixture, 'GW_CreateFrom', hardware, ...more);
  t.equal(await make('line simulated/17', 4_000_000), 'OBJECT_MISSING');
  t.equal(await make('line simulated/17', 0, 'Serial Port'), 'NOT_SUPPORTED');
  t.equal(await make('line simulated/17', 0, 'Nonsense'), 'MODULE_MISSING');
  t.equal(await make('line simulated/0', 0), 'NOT_SUPPORTED', 'it is in use');
  t.equal(await make('chip simulated', 0), 'NOT_SUPPORTED');
  t.equal(await make('line nowhere/1', 0), 'NAME_NOT_FOUND');
  t.strictSame(await rpc(fixture, 'SVC_GetInstanceList'), before);
});

t.test('only modules with a search have one; a search reports its beginning and its end', async (t) => {
  const fixture = await startGateway(t, SIMULATED_CONFIG + HARDWARE);
  const hardware = await idOf(fixture, 'hardware');
  const relay = await idOf(fixture, 'ground_floor/hall_relay');
  t.equal(await rpc(fixture, 'SVC_SupportsSearching', hardware), true);
  t.equal(await rpc(fixture, 'SVC_SupportsSearching', relay), false);
  t.equal(await rpc(fixture, 'SVC_StartSearch', relay), 'NOT_SUPPORTED');
  t.equal(await rpc(fixture, 'SVC_IsSearching', relay), false);
  t.equal(await rpc(fixture, 'SVC_SupportsSearching', 4_000_000), 'NOT_OF_TYPE');
  await searched(fixture, hardware);
  const messages: number[] = [];
  fixture.gateway.kernel.changes.listen(({ SenderID, Message }) => {
    if (SenderID === hardware) messages.push(Message);
  });
  t.equal(await rpc(fixture, 'SVC_StopSearch', hardware), false, 'none is in progress');
  const { registry } = fixture.gateway;
  // In one iteration of the event loop, in which no search ends.
  const [started, isSearching] = ['SVC_StartSearch', 'SVC_IsSearching'].map((name) =>
    registry.call(name, [hardware], owner),
  );
  t.equal(await isSearching, true);
  t.equal(await started, true);
  await searched(fixture, hardware);
  t.strictSame(messages, [message.IM_SEARCHSTART, message.IM_SEARCHUPDATE, message.IM_SEARCHSTOP]);
});

t.test('GW_GetLines returns what the picture of the board needs', async (t) => {
  const fixture = await startGateway(t, SIMULATED_CONFIG + SAMPLE_TREE);
  await rpc(fixture, 'RequestAction', await idOf(fixture, 'ground_floor/hall_relay/STATE'), true);
  const { Board, Header, Lines } = (await rpc(fixture, 'GW_GetLines')) as {
    Board: string;
    Header: string[][];
    Lines: { Name: string; Active?: boolean }[];
  };
  t.equal(Board, 'Simulated board');
  t.strictSame(Header[0], ['RELAY1', 'SENSE1']);
  t.equal(Lines.length, 24);
  t.strictSame(
    Lines.filter(({ Name }) => Name === 'RELAY1'),
    [
      {
        Chip: 'simulated',
        Offset: 0,
        Name: 'RELAY1',
        KernelName: 'RELAY1',
        Direction: 'output',
        Used: true,
        Consumer: 'stellwerk',
        InstanceID: await idOf(fixture, 'ground_floor/hall_relay'),
        Active: true,
      },
    ],
  );
  t.notOk('Active' in (Lines.find(({ Name }) => Name === 'BUTTON8') ?? {}), 'not in use');
});
