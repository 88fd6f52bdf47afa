import type { Test } from 'tap';
import { serialModules } from '../../../drivers/serial/index.js';
import { until } from '../../tools/until.js';
import { DeviceFixture } from '../../tools/devices/device-fixture.js';
import type { TestPort } from './test-ports.js';
import { enableLinearPatterns } from '../../tools/linear-patterns.js';

enableLinearPatterns();

const DEVICE = {
  Rules: [
    { Pattern: '^T=(-?[0-9.]+)$', Ident: 'TEMPERATURE', Type: 'float', Profile: '~Temperature' },
    { Pattern: '^RELAY (ON|OFF)$', Ident: 'RELAY', Type: 'boolean' },
  ],
  Commands: [
    { Ident: 'RELAY', Type: 'boolean', Send: 'RELAY {value}\\r\\n', On: 'ON', Off: 'OFF' },
    { Ident: 'LEVEL', Type: 'integer', Send: 'LEVEL {value}\\r\\n' },
  ],
};

/** The two modules under the real supervisor, with given ports. */
export async function serialModulesContract(
  t: Test,
  name: string,
  make: () => Promise<TestPort>,
): Promise<void> {
  const on = (what: string, run: (t: Test, testPort: TestPort, fixture: DeviceFixture) => Promise<void>) =>
    t.test(`${name}: ${what}`, async (t) => {
      await using testPort = await make();
      await using fixture = new DeviceFixture(serialModules(testPort.ports));
      await run(t, testPort, fixture);
    });

  await on('lines become variables, and writes become commands', async (t, testPort, fixture) => {
    const port = await fixture.add('Serial Port', { Port: testPort.where });
    const device = await fixture.add('Serial Device', DEVICE, port);
    await fixture.waitForLink(device, 'online');
    testPort.say('T=21.5\r\nnoise\nRELAY ON\n');
    await fixture.waitForValue(device, 'TEMPERATURE', 21.5);
    await fixture.waitForValue(device, 'RELAY', true);
    await fixture.devices.write(device.id, 'RELAY', false);
    await until('the command', () => testPort.heard().toString() === 'RELAY OFF\r\n');
    t.equal(fixture.value(device, 'RELAY'), true, 'a command does not change the variable');
    testPort.say('RELAY OFF\n');
    await fixture.waitForValue(device, 'RELAY', false);
    await fixture.devices.write(device.id, 'LEVEL', 7);
    t.equal(fixture.value(device, 'LEVEL'), 7, 'a variable without a rule has the sent value');
    await t.rejects(fixture.devices.write(device.id, 'TEMPERATURE', 1), { code: 'READ_ONLY' });
    t.match(fixture.devices.knownDevices(device.id)[0], { Frame: 'RELAY OFF', Matched: true });
  });

  await on(
    'an unplugged adapter is reported, reopened, and gets no stale command',
    async (t, testPort, fixture) => {
      const port = await fixture.add('Serial Port', { Port: testPort.where });
      const device = await fixture.add('Serial Device', DEVICE, port);
      await fixture.waitForLink(device, 'online');
      testPort.say('T=20\n');
      await fixture.waitForValue(device, 'TEMPERATURE', 20);
      const { id } = device;
      await testPort.unplug();
      await fixture.waitForLink(port, 'waiting');
      await fixture.waitForLink(device, 'waiting');
      await until('what to do', () => /plug it in/.test(fixture.status(port)));
      t.match(fixture.status(device), /waiting for/);
      await t.rejects(fixture.devices.write(id, 'RELAY', true), { code: 'DEVICE_OFFLINE' });
      t.equal(fixture.value(device, 'TEMPERATURE'), 20, 'the last value stays');
      await testPort.plug();
      await fixture.waitForLink(device, 'online');
      testPort.say('T=22\n');
      await fixture.waitForValue(device, 'TEMPERATURE', 22);
      t.equal(testPort.heard().toString(), '', 'the failed command was not sent later');
      t.equal(device.id, id);
      t.same(fixture.devices.problems(port.id), []);
    },
  );

  await on('a port can be disabled and moved', async (t, testPort, fixture) => {
    const port = await fixture.add('Serial Port', { Port: testPort.where });
    await fixture.waitForLink(port, 'online');
    await fixture.change(port, { Open: false });
    t.equal(fixture.value(port, 'LINK'), 'closed');
    t.match(fixture.status(port), /switched off/);
    t.equal(testPort.ports.openCount, 0);
    await fixture.change(port, { Open: true, BaudRate: '19200' });
    await fixture.waitForLink(port, 'online');
    await fixture.change(port, { Port: '/dev/ttyNONE9' });
    await until('the reason', () => /ttyNONE9 does not exist/.test(fixture.status(port)));
    await fixture.change(port, { Port: '' });
    t.match(fixture.status(port), /Port is empty/);
  });

  await on('the functions of a serial port', async (t, testPort, fixture) => {
    const port = await fixture.add('Serial Port', { Port: testPort.where });
    await t.rejects(fixture.call('SPRT_SendText', port.id + 1, 'x'));
    await fixture.waitForLink(port, 'online');
    t.equal(await fixture.call('SPRT_SendText', port.id, 'ÿ\0\x80A'), true);
    await until('its bytes', () => testPort.heard().equals(Buffer.from([0xff, 0, 0x80, 0x41])));
    await t.rejects(fixture.call('SPRT_SendText', port.id, '€'), { code: 'CANNOT_CONVERT' });
    if (testPort.lines === undefined) {
      await t.rejects(fixture.call('SPRT_SetRTS', port.id, true), { code: 'DEVICE_REFUSED' });
    } else {
      await fixture.call('SPRT_SetRTS', port.id, false);
      await fixture.call('SPRT_SetDTR', port.id, false);
      await fixture.call('SPRT_SetBreak', port.id, true);
      t.same(testPort.lines(), { brk: true, dtr: false, rts: false });
    }
    const device = await fixture.add('Serial Device', {}, port);
    await t.rejects(fixture.call('SPRT_SendText', device.id, 'x'), { code: 'WRONG_MODULE' });
  });
}
