import t from 'tap';
import { SimulatedPorts } from '../../../drivers/serial/simulated-ports.js';
import { serialModules } from '../../../drivers/serial/index.js';
import { ManualClock } from '../../../src/base/clock.js';
import { passTime, DeviceFixture } from '../../tools/devices/device-fixture.js';

await t.test('the error of a port in use names the instance that has it', async (t) => {
  const clock = new ManualClock();
  const ports = new SimulatedPorts();
  ports.plug('/dev/ttyUSB0');
  await using fixture = new DeviceFixture(serialModules(ports), clock);
  const first = await fixture.add('Serial Port', { Port: '/dev/ttyUSB0' });
  await fixture.waitForLink(first, 'online');
  const second = await fixture.add('Serial Port', { Port: '/dev/ttyUSB0' });
  await fixture.waitForLink(second, 'waiting');
  t.match(fixture.status(second), /\/dev\/ttyUSB0 is in use by another instance$/, 'web fronts see STATUS');
  const [problem] = [...fixture.devices.allProblems()].filter(({ id }) => id === second.id);
  t.equal(
    String(problem?.text),
    `The device is offline: /dev/ttyUSB0 is in use by ${first.displayName} (#${first.id})`,
  );
  fixture.devices.setProperty(first.id, 'Open', false);
  await fixture.devices.applyChanges(first.id);
  await passTime(clock, 10_000);
  await fixture.waitForLink(second, 'online');
});
