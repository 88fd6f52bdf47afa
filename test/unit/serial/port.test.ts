import t from 'tap';
import { SimulatedPorts } from '../../../drivers/serial/simulated-ports.js';
import { serialModules } from '../../../drivers/serial/index.js';
import { ManualClock } from '../../../src/base/clock.js';
import { passTime, DeviceFixture } from '../../tools/devices/device-fixture.js';

await t.test('a port that another instance has: the failure names that instance', async (t) => {
  const clock = new ManualClock();
  const world = new SimulatedPorts();
  world.plug('/dev/ttyUSB0');
  await using desk = new DeviceFixture(serialModules(world), clock);
  const first = await desk.add('Serial Port', { Port: '/dev/ttyUSB0' });
  await desk.waitForLink(first, 'online');
  const second = await desk.add('Serial Port', { Port: '/dev/ttyUSB0' });
  await desk.waitForLink(second, 'waiting');
  t.match(desk.status(second), /\/dev\/ttyUSB0 is in use by another instance$/, 'fronts see STATUS');
  const [problem] = [...desk.devices.allProblems()].filter(({ id }) => id === second.id);
  t.equal(
    problem?.text,
    `The device is offline: /dev/ttyUSB0 is in use by ${first.displayName} (#${first.id})`,
  );
  desk.devices.setProperty(first.id, 'Open', false);
  await desk.devices.applyChanges(first.id);
  await passTime(clock, 10_000);
  await desk.waitForLink(second, 'online');
});
