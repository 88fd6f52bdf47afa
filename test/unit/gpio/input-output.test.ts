import t, { type Test } from 'tap';
import { Backends, boardFunctions, gpioModules } from '../../../drivers/gpio/index.js';
import type { GpioBackend } from '../../../drivers/gpio/backends/line.js';
import { findLine } from '../../../drivers/gpio/backends/find-line.js';
import { openSimulated } from '../../../drivers/gpio/backends/simulated.js';
import { hasUapiV2 } from '../../../drivers/gpio/backends/backends.js';
import { SimulatedBoard } from '../../../drivers/gpio/backends/simulated-board.js';
import { ManualClock } from '../../../src/base/clock.js';
import { silentLog } from '../../../src/base/log.js';
import type { Caller } from '../../../src/device/declare.js';
import { Devices } from '../../../src/device/devices.js';
import { ModuleRegistry } from '../../../src/device/module-registry.js';
import { BACKOFF_MAX_MS } from '../../../src/device/backoff.js';
import { PROBE_INTERVAL_MS } from '../../../src/device/supervisor.js';
import type { Instance } from '../../../src/kernel/instances.js';
import { Kernel } from '../../../src/kernel/kernel.js';
import { simulatedBoard as board } from '../../tools/devices/board-fixture.js';

const owner: Caller = { role: 'owner', user: 'test', remote: 'local' };

/** Instances on the simulated board, with a manual clock. */
function gateway(t: Test) {
  const kernel = new Kernel({ counter: 0, random: Math.random });
  const clock = new ManualClock();
  const backends = new Backends(board, clock);
  const simulatedBoard = backends.simulatedBoard as SimulatedBoard;
  const modules = new ModuleRegistry(gpioModules(backends));
  const devices = new Devices({ kernel, modules, clock, log: silentLog });
  devices.start();
  t.teardown(() => devices.close());
  const value = (instance: Instance, ident: string) => {
    const child = instance.children?.byIdent(ident);
    return child?.is(2) ? child.data.value : undefined;
  };
  const turn = () => new Promise((resolve) => setImmediate(resolve));
  /** Waits, one iteration of the event loop at a time, until a variable has a value. */
  const becomes = async (instance: Instance, ident: string, command: unknown) => {
    for (let turns = 0; turns < 1000 && value(instance, ident) !== command; turns++) await turn();
    t.equal(value(instance, ident), command, `${instance.name} ${ident} is ${String(command)}`);
  };
  const make = async (module: 'GPIO Output' | 'GPIO Input', properties: Record<string, unknown>) => {
    const instance = devices.create(module, { name: String(properties['Line']) }, properties);
    await becomes(instance, 'LINK', 'online');
    return instance;
  };
  const simulateLine = boardFunctions(backends).find(({ name }) => name === 'GW_SimulateLine');
  const press = (line: string, active: boolean) => simulateLine?.run(owner, ...([line, active] as never[]));
  return { kernel, clock, devices, simulatedBoard, value, becomes, make, press, turn };
}

await t.test('a relay follows its variable, and an input wired to it changes', async (t) => {
  const { devices, make, becomes, value } = gateway(t);
  const relay = await make('GPIO Output', { Line: 'RELAY1', Boot: 'inactive' });
  const sense = await make('GPIO Input', { Line: 'SENSE1' });
  t.strictSame([value(relay, 'STATE'), value(sense, 'STATE')], [false, false]);
  await devices.write(relay.id, 'STATE', true);
  t.equal(value(relay, 'STATE'), true);
  await becomes(sense, 'STATE', true);
  t.equal(value(sense, 'COUNT'), 1);
  await devices.write(relay.id, 'STATE', false);
  await becomes(sense, 'STATE', false);
  t.equal(value(sense, 'COUNT'), 1, 'only changes to active count');
  await t.rejects(devices.write(sense.id, 'STATE', true), { code: 'READ_ONLY' });
});

await t.test('an output has its Boot value, and keeps its level when its instance closes', async (t) => {
  const { devices, simulatedBoard, make, becomes, value } = gateway(t);
  simulatedBoard.drive('BUTTON1', true);
  const keep = await make('GPIO Output', { Line: 'BUTTON1' });
  t.equal(value(keep, 'STATE'), true, 'hold is the default and keeps the present level');
  const active = await make('GPIO Output', { Line: 'RELAY2', Boot: 'active', ActiveLow: true });
  t.equal(simulatedBoard.level('RELAY2'), false);
  t.equal(value(active, 'STATE'), true);
  devices.setProperty(active.id, 'Boot', 'hold');
  devices.setProperty(active.id, 'ActiveLow', false);
  await devices.applyChanges(active.id);
  await becomes(active, 'LINK', 'online');
  t.strictSame([value(active, 'STATE'), simulatedBoard.level('RELAY2')], [false, false], 'the level stayed');
  await devices.write(active.id, 'STATE', true);
  await devices.close();
  t.equal(simulatedBoard.level('RELAY2'), true, 'closing drives nothing');
});

await t.test('Boot applies once: a reopened output keeps its level', async (t) => {
  const { devices, simulatedBoard, make, becomes, value, turn } = gateway(t);
  const relay = await make('GPIO Output', { Line: 'RELAY1', Boot: 'inactive' });
  const sense = await make('GPIO Input', { Line: 'SENSE1' });
  await devices.write(relay.id, 'STATE', true);
  await becomes(sense, 'STATE', true);
  await devices.applyChanges(relay.id);
  await becomes(relay, 'LINK', 'online');
  t.strictSame([value(relay, 'STATE'), simulatedBoard.level('RELAY1')], [true, true]);
  await turn();
  t.strictSame([value(sense, 'STATE'), value(sense, 'COUNT')], [true, 1], 'the wired input saw no edge');
  devices.setProperty(relay.id, 'Line', 'RELAY2');
  devices.setProperty(relay.id, 'Boot', 'active');
  await devices.applyChanges(relay.id);
  await becomes(relay, 'LINK', 'online');
  t.equal(
    simulatedBoard.level('RELAY2'),
    true,
    'a line that is requested for the first time has its Boot value',
  );
});

await t.test(
  'the initial value of an input is not an edge; its count continues after reopening',
  async (t) => {
    const { devices, kernel, make, press, becomes, value } = gateway(t);
    press('BUTTON1', true);
    const button = await make('GPIO Input', { Line: 'BUTTON1' });
    t.strictSame([value(button, 'STATE'), value(button, 'COUNT'), value(button, 'LOST')], [true, 0, 0]);
    for (const active of [false, true, false, true]) press('BUTTON1', active);
    await becomes(button, 'COUNT', 2);
    press('BUTTON1', false);
    await becomes(button, 'STATE', false);
    const count = button.children?.byIdent('COUNT');
    const id = count?.id;
    devices.setProperty(button.id, 'Line', 'BUTTON2');
    devices.setProperty(button.id, 'ActiveLow', true);
    devices.setProperty(button.id, 'Bias', 'pull-up');
    await devices.applyChanges(button.id);
    await becomes(button, 'LINK', 'online');
    t.strictSame([value(button, 'STATE'), value(button, 'COUNT')], [false, 2]);
    press('BUTTON2', true);
    await becomes(button, 'COUNT', 3);
    t.equal(button.children?.byIdent('COUNT')?.id, id, 'another line, the same variable');
    t.ok(kernel.tree.get(id ?? 0));
  },
);

await t.test('an overflow is counted in LOST and shown as a problem until it is over', async (t) => {
  const { clock, devices, simulatedBoard, make, becomes, value, turn } = gateway(t);
  const input = await make('GPIO Input', { Line: 'BUTTON3' });
  for (let n = 1; n <= 2001; n++) simulatedBoard.drive('BUTTON3', n % 2 === 1);
  await becomes(input, 'LOST', 2001 - 1024);
  await becomes(input, 'COUNT', 512);
  await becomes(input, 'STATE', true);
  t.match(devices.problems(input.id), [{ code: 'OVERFLOW', text: /977 changes were lost/ }]);
  t.match(value(input, 'STATUS'), /faster than it can be read/);
  clock.advance(PROBE_INTERVAL_MS);
  await turn();
  t.equal(devices.problems(input.id).length, 1, 'too early to clear it');
  clock.advance(PROBE_INTERVAL_MS);
  await becomes(input, 'LOST', 977);
  for (let turns = 0; turns < 100 && devices.problems(input.id).length > 0; turns++) await turn();
  t.strictSame(devices.problems(input.id), []);
});

await t.test('a debounced input counts a bouncing contact once', async (t) => {
  const { clock, simulatedBoard, make, becomes, value, turn } = gateway(t);
  const input = await make('GPIO Input', { Line: 'BUTTON1', DebounceUs: 5000 });
  for (const level of [true, false, true, false, true]) {
    simulatedBoard.drive('BUTTON1', level);
    clock.advance(1);
  }
  await turn();
  t.equal(value(input, 'COUNT'), 0);
  clock.advance(4);
  await becomes(input, 'COUNT', 1);
  simulatedBoard.drive('BUTTON1', false);
  clock.advance(2);
  simulatedBoard.drive('BUTTON1', true);
  clock.advance(10);
  await turn();
  t.strictSame([value(input, 'STATE'), value(input, 'COUNT')], [true, 1], 'too short to count');
});

await t.test(
  'a line in use, a wrong name, an unplugged chip: the instance shows it and recovers',
  async (t) => {
    const { clock, devices, simulatedBoard, make, becomes, value } = gateway(t);
    const relay = await make('GPIO Output', { Line: 'RELAY1', Boot: 'active' });
    const second = devices.create('GPIO Output', { name: 'second' }, { Line: 'RELAY1' });
    await becomes(second, 'LINK', 'waiting');
    t.match(value(second, 'STATUS'), /RELAY1 is in use by another instance/);
    const whose = new RegExp(`^The device is offline: RELAY1 is in use by RELAY1 \\(#${relay.id}\\)$`);
    await t.rejects(devices.write(second.id, 'STATE', false), { code: 'DEVICE_OFFLINE', message: whose });
    devices.setProperty(second.id, 'Line', 'RELAI2');
    await devices.applyChanges(second.id);
    await becomes(second, 'LINK', 'waiting');
    t.match(value(second, 'STATUS'), /no GPIO chip here has a line named RELAI2/);
    const none = devices.create('GPIO Input', { name: 'none' });
    t.match(value(none, 'STATUS'), /Line is empty/);

    simulatedBoard.unplug('simulated');
    await t.rejects(devices.write(relay.id, 'STATE', false), { code: 'DEVICE_OFFLINE' });
    await becomes(relay, 'LINK', 'waiting');
    t.match(value(relay, 'STATUS'), /simulated is gone/);
    t.equal(value(relay, 'STATE'), true, 'the variable keeps its last reported value');
    simulatedBoard.plug('simulated');
    clock.advance(BACKOFF_MAX_MS);
    await becomes(relay, 'LINK', 'online');
    await devices.write(relay.id, 'STATE', false);
    t.equal(simulatedBoard.level('RELAY1'), false);
  },
);

await t.test('GW_SimulateLine drives undriven lines, on the simulated board only', async (t) => {
  const { make, press, becomes } = gateway(t);
  const button = await make('GPIO Input', { Line: 'BUTTON1', ActiveLow: true, Bias: 'pull-up' });
  t.equal(press('BUTTON1', true), true);
  await becomes(button, 'STATE', true);
  press('BUTTON1', false);
  await becomes(button, 'STATE', false);
  t.throws(() => press('RELAY1', true), { code: 'NOT_ALLOWED' });
  t.throws(() => press('SENSE1', true), { code: 'NOT_ALLOWED' });
  t.throws(() => press('BUTTON9', true), { code: 'NAME_NOT_FOUND' });
  const onRealBoard = boardFunctions(new Backends({ gpio: [] }, new ManualClock()));
  t.strictSame(
    onRealBoard.map(({ name }) => name),
    ['GW_GetLines'],
  );
});

await t.test('the character device is used since Linux 5.10', async (t) => {
  for (const release of ['5.10.0-8-arm64', '5.15.32-v8+', '6.1.0', '6.12.25+rpt-rpi-2712', '10.0'])
    t.ok(hasUapiV2(release), release);
  for (const release of ['5.9.16', '4.19.0-27', '', 'unknown']) t.notOk(hasUapiV2(release), release);
});

await t.test('Backend simulated is rejected on a real board', async (t) => {
  const backends = new Backends({ gpio: [] }, new ManualClock());
  await t.rejects(backends.get('simulated'), { code: 'DEVICE_CONFIGURATION' });
  await t.rejects(backends.get('simulated'), { code: 'DEVICE_CONFIGURATION' });
});

await t.test('a line is found by board name, kernel name or offset, and never ambiguously', async (t) => {
  const clock = new ManualClock();
  const chips = [
    { label: 'main', lines: ['GPIO2', 'DOOR', '', '7'] },
    { label: 'expander', lines: ['DOOR', 'LAMP'] },
  ];
  const backend = openSimulated(new SimulatedBoard({ chips }, clock), clock);
  const twins: GpioBackend = {
    ...bound(backend),
    chips: async () => [
      { name: 'gpiochip0', label: 'twin', lines: 1 },
      { name: 'gpiochip1', label: 'twin', lines: 1 },
    ],
  };
  const names = [{ chip: 'main', lines: { BELL: 2, LAMP: 0 } }];
  const find = async (chip: string, line: string, via = backend) => {
    const place = await findLine(via, names, { chip, line });
    return `${place.chip.label} ${place.offset} ${place.name}`;
  };
  t.equal(await find('', 'BELL'), 'main 2 BELL');
  t.equal(await find('', 'LAMP'), 'main 0 LAMP', 'the board’s name takes precedence over the kernel’s');
  t.equal(await find('expander', 'LAMP'), 'expander 1 LAMP');
  t.equal(await find('main', 'DOOR'), 'main 1 DOOR');
  t.equal(await find('main', '7'), 'main 3 7', 'a name takes precedence over an offset');
  t.equal(await find('main', '2'), 'main 2 main/2');
  await t.rejects(find('', 'DOOR'), { code: 'DEVICE_CONFIGURATION', message: /2 lines are named DOOR/ });
  await t.rejects(find('', '2'), { code: 'DEVICE_CONFIGURATION', message: /an offset needs its Chip/ });
  await t.rejects(find('main', '4'), { code: 'DEVICE_CONFIGURATION', message: /lines 0 to 3/ });
  await t.rejects(find('main', 'toString'), { code: 'DEVICE_CONFIGURATION', message: /no line named/ });
  await t.rejects(find('', 'NOPE'), { code: 'DEVICE_OFFLINE' });
  await t.rejects(find('away', 'NOPE'), {
    code: 'DEVICE_OFFLINE',
    message: /available chips: main, expander/,
  });
  await t.rejects(find('twin', '0', twins), {
    code: 'DEVICE_CONFIGURATION',
    message: /gpiochip0, gpiochip1/,
  });
  t.equal(await find('gpiochip1', '0', twins), 'twin 0 twin/0');
});

/** A copy of a backend, so that a test can replace some of its functions. */
function bound(backend: GpioBackend): GpioBackend {
  return {
    name: backend.name,
    minDebounceUs: backend.minDebounceUs,
    requestedLines: () => backend.requestedLines(),
    chips: () => backend.chips(),
    lines: async () => [{ offset: 0, name: '', isUsed: false, consumer: '', direction: 'input' }],
    requestOutput: (place, command) => backend.requestOutput(place, command),
    requestInput: (place, command, listener) => backend.requestInput(place, command, listener),
  };
}
