import t from 'tap';
import { SimulatedLeds } from '../../../drivers/led/simulated-leds.js';
import { ledModules } from '../../../drivers/led/index.js';
import { SimulatedBroker } from '../../../drivers/mqtt/simulated-broker.js';
import { mqttModules } from '../../../drivers/mqtt/index.js';
import { SimulatedPwm } from '../../../drivers/pwm/simulated-pwm.js';
import { pwmModules } from '../../../drivers/pwm/index.js';
import { SimulatedPorts } from '../../../drivers/serial/simulated-ports.js';
import { serialModules } from '../../../drivers/serial/index.js';
import { ManualClock } from '../../../src/base/clock.js';
import {
  Debug,
  DEBUGGED_OBJECTS_LIMIT,
  DEBUG_MESSAGES_PER_SECOND,
  DEBUG_DATA_LIMIT,
  type DebugFile,
} from '../../../src/device/debug.js';
import { Area } from '../../../src/kernel/area.js';
import { Kernel } from '../../../src/kernel/kernel.js';
import { message } from '../../../src/kernel/messages.js';
import { FunctionFixture } from '../../tools/gateway/function-fixture.js';
import { until } from '../../tools/until.js';
import { DeviceFixture } from '../../tools/devices/device-fixture.js';

/** Sender and data of the debug messages from now on. */
function debugged({ changes }: Kernel): (readonly [number, ...unknown[]])[] {
  const seen: (readonly [number, ...unknown[]])[] = [];
  changes.listen(({ SenderID, Message, Data }) => {
    if (Message === message.KL_DEBUG) seen.push([SenderID, ...Data]);
  });
  return seen;
}

t.test('what an instance does is published while somebody follows it, and not before or after', async (t) => {
  await using fixture = new FunctionFixture();
  const id = await fixture.lamp();
  const other = await fixture.lamp();
  const seen = debugged(fixture.kernel);
  const write = (lamp: number, level: number) => fixture.call('HW_WriteValueInteger', lamp, 'LEVEL', level);
  await write(id, 1);
  t.strictSame(seen, []);
  const { debug } = fixture.ports;
  t.equal(debug.isOn, false);
  t.equal(await fixture.call('SVC_EnableDebug', id, 60), true);
  await write(id, 2);
  await write(other, 2);
  const nowMs = fixture.clock.nowMs();
  t.strictSame(seen.splice(0), [
    [id, 'write LEVEL', '2', 0, nowMs],
    [id, 'report LEVEL', '2', 0, nowMs],
  ]);
  fixture.clock.advance(59_999);
  await fixture.call('SVC_EnableDebug', id, 10);
  fixture.clock.advance(9999);
  await write(id, 3);
  t.equal(seen.splice(0).length, 2, 'it continues after a renewal');
  fixture.clock.advance(1);
  await write(id, 4);
  t.strictSame(seen.splice(0), [], 'its time is over');
  await fixture.call('SVC_EnableDebug', id, 60);
  await fixture.call('SVC_EnableDebug', id, 10);
  fixture.clock.advance(59_999);
  await write(id, 5);
  t.equal(seen.splice(0).length, 2, 'a shorter request of somebody else does not shorten it');
  fixture.clock.advance(1);
  t.equal(debug.isOn, false);
  await fixture.call('SVC_EnableDebug', id, 86_400);
  t.equal(await fixture.call('SVC_DisableDebug', id), true);
  t.equal(await fixture.call('SVC_DisableDebug', id), true, 'twice is allowed');
  await write(id, 5);
  t.strictSame(seen, []);
  for (const duration of [0, -1, 86_401])
    await t.rejects(
      fixture.call('SVC_EnableDebug', id, duration),
      { code: 'PARAMETER_BOUNDS' },
      `${duration}`,
    );
  for (const [method, ...params] of [
    ['SVC_EnableDebug', 1],
    ['SVC_DisableDebug'],
    ['SVC_EnableDebugFile'],
    ['SVC_DisableDebugFile'],
    ['SVC_SendDebug', 'a', 'b', 0],
  ] as const)
    await t.rejects(fixture.call(method, 1_000_000, ...params), { code: 'OBJECT_MISSING' }, method);
  t.ok(fixture.audit.some(({ method }) => method === 'SVC_EnableDebug'));
});

t.test('a script publishes debug messages, as text or as bytes', async (t) => {
  await using fixture = new FunctionFixture();
  const id = (await fixture.call('SVC_CreateCategory')) as number;
  const seen = debugged(fixture.kernel);
  const send = (...params: unknown[]) => fixture.call('SVC_SendDebug', id, ...params);
  t.equal(await send('unheard', 'x', 0), true);
  await fixture.call('SVC_EnableDebug', id, 5);
  await send('got', 'ä "x"', 0);
  await send('raw', 'A\u0000\u00ff', 1);
  await send('long', 'y'.repeat(DEBUG_DATA_LIMIT + 1), 0);
  await send('many', '\u0001'.repeat(DEBUG_DATA_LIMIT + 5), 1);
  t.strictSame(
    seen.map(([sender, what, data, format]) => [sender, what, data, format]),
    [
      [id, 'got', 'ä "x"', 0],
      [id, 'raw', '4100ff', 1],
      [id, `long (${DEBUG_DATA_LIMIT} of ${DEBUG_DATA_LIMIT + 1})`, 'y'.repeat(DEBUG_DATA_LIMIT), 0],
      [id, `many (${DEBUG_DATA_LIMIT} of ${DEBUG_DATA_LIMIT + 5})`, '01'.repeat(DEBUG_DATA_LIMIT), 1],
    ],
  );
  await t.rejects(send('raw', '€', 1), { code: 'CANNOT_CONVERT' });
  await t.rejects(send('raw', 'x', 2), { code: 'PARAMETER_BOUNDS' });
  await t.rejects(send('w'.repeat(257), 'x', 0), { code: 'TEXT_TOO_LONG' });
  await t.rejects(
    fixture.call('SVC_EnableDebugFile', id),
    { code: 'NOT_SUPPORTED' },
    'there is no directory here',
  );
  t.equal(seen.length, 4);
});

t.test('a user with access to a part of the tree gets no debug messages', async (t) => {
  await using fixture = new FunctionFixture();
  const id = await fixture.lamp();
  const area = new Area(fixture.kernel.tree, id);
  const { counter } = fixture.kernel.changes;
  await fixture.call('SVC_EnableDebug', id, 5);
  await fixture.call('HW_WriteValueInteger', id, 'LEVEL', 7);
  const messages = fixture.kernel.changes.since(counter);
  t.ok(messages.some(({ Message, SenderID }) => Message === message.KL_DEBUG && SenderID === id));
  const admitted = messages.filter((change) => area.admits(change)).map(({ Message }) => Message);
  t.ok(admitted.includes(message.VM_UPDATE));
  t.notOk(admitted.includes(message.KL_DEBUG));
});

t.test('a flood is limited, and the omitted messages are counted', async (t) => {
  const clock = new ManualClock();
  const kernel = new Kernel({ counter: 0, random: Math.random });
  await using debug = new Debug({ kernel, clock });
  const seen = debugged(kernel);
  debug.enable(1, 60);
  for (let n = 0; n < DEBUG_MESSAGES_PER_SECOND + 7; n++) debug.send(1, { what: 'edge', data: `${n}` });
  t.equal(seen.length, DEBUG_MESSAGES_PER_SECOND);
  clock.advance(1000);
  debug.send(1, { what: 'edge', data: 'later' });
  t.match(seen.slice(DEBUG_MESSAGES_PER_SECOND), [
    [1, 'omitted', '7 messages of one second', 0],
    [1, 'edge', 'later', 0],
  ]);
  for (let id = 2; id <= DEBUGGED_OBJECTS_LIMIT; id++) debug.enable(id, 60);
  t.throws(() => debug.enable(DEBUGGED_OBJECTS_LIMIT + 1, 60), { code: 'BUSY' });
  await debug.close();
  t.equal(clock.pendingTimers, 0);
});

t.test('serial bytes are published in both directions', async (t) => {
  const ports = new SimulatedPorts();
  const far = ports.plug('/dev/ttyUSB0');
  await using fixture = new DeviceFixture(serialModules(ports));
  const port = await fixture.add('Serial Port', { Port: '/dev/ttyUSB0' });
  await fixture.waitForLink(port, 'online');
  const seen = debugged(fixture.kernel);
  fixture.debug.enable(port.id, 60);
  await fixture.call('SPRT_SendText', port.id, 'on\u00ff');
  far.send(Buffer.from([0, 1, 254]));
  await until('both are published', () => seen.length === 2);
  t.match(seen, [
    [port.id, 'sent', '6f6eff', 1],
    [port.id, 'received', '0001fe', 1],
  ]);
  await fixture.debug.close();
});

t.test(
  'writes to the files of an LED and of a PWM channel are published, including rejected ones',
  async (t) => {
    const clock = new ManualClock();
    const leds = new SimulatedLeds(clock, [{ name: 'led0' }]);
    const pwm = new SimulatedPwm(clock, [{ id: 'fe20c000.pwm', channels: 1 }]);
    const modules = [
      ...ledModules({ leds: [] }, clock, Promise.resolve(leds)),
      ...pwmModules({}, clock, Promise.resolve(pwm)),
    ];
    await using fixture = new DeviceFixture(modules, clock);
    const led = await fixture.add('LED', { Led: 'led0' });
    const channel = await fixture.add('PWM', { Channel: '0', FrequencyHz: 1000 });
    for (const one of [led, channel]) {
      await fixture.waitForLink(one, 'online');
      fixture.debug.enable(one.id, 60);
    }
    const seen = debugged(fixture.kernel);
    const files = () => seen.splice(0).filter(([, what]) => /^(written|rejected)/.test(String(what)));
    await fixture.devices.write(led.id, 'STATE', true);
    await t.rejects(fixture.devices.write(led.id, 'TRIGGER', 'tea'), { code: 'DEVICE_REFUSED' });
    t.match(files(), [
      [led.id, 'written led0/trigger', 'none', 0],
      [led.id, 'written led0/brightness', '255', 0],
      [led.id, 'rejected (EINVAL) led0/trigger', 'tea', 0],
    ]);
    await fixture.devices.write(channel.id, 'LEVEL', 0.5);
    t.match(files(), [
      [channel.id, 'written pwmchip0/pwm0/period', '1000000', 0],
      [channel.id, 'written pwmchip0/pwm0/duty_cycle', '500000', 0],
      [channel.id, 'written pwmchip0/pwm0/enable', '1', 0],
    ]);
  },
);

t.test('MQTT messages are published in both directions, without the password', async (t) => {
  const broker = new SimulatedBroker();
  await using fixture = new DeviceFixture(mqttModules(broker));
  const client = await fixture.add('MQTT Client', {
    Url: 'mqtt://broker',
    UserName: 'anna',
    Password: 'hunter2',
    Subscriptions: ['in/#'],
  });
  const seen = debugged(fixture.kernel);
  fixture.debug.enable(client.id, 60);
  await fixture.waitForLink(client, 'online');
  await fixture.call('GW_Publish', client.id, 'out/x', 'hi hunter2', 0, false);
  await until('it is subscribed', () => {
    broker.publish('in/y', '{"p":"hunter2"}');
    return seen.some(([, what]) => what === 'received in/y');
  });
  const data = (what: string) =>
    Buffer.from(String(seen.find((one) => one[1] === what)?.[2]), 'hex').toString();
  t.equal(data('sent out/x'), 'hi ***');
  t.equal(data('received in/y'), '{"p":"***"}');
  t.notMatch(JSON.stringify(seen), new RegExp(`hunter2|${Buffer.from('hunter2').toString('hex')}`));
  await fixture.debug.close();
});

t.test('a file that is opened after the end of its debug session is closed', async (t) => {
  const opened = Promise.withResolvers<DebugFile>();
  let isClosed = false;
  await using debug = new Debug({
    kernel: new Kernel({ counter: 0, random: Math.random }),
    clock: new ManualClock(),
    openFile: () => opened.promise,
  });
  const enabling = debug.enableFile(1);
  await debug.close();
  opened.resolve({ write: () => t.fail('written to'), close: async () => void (isClosed = true) });
  await enabling;
  debug.send(1, { what: 'x', data: 'y' });
  t.equal(isClosed, true);
});
