import t from 'tap';
import { searchLines } from '../../../drivers/gpio/line-inventory.js';
import { type GpioBoard, Backends } from '../../../drivers/gpio/backends/backends.js';
import { ledModules } from '../../../drivers/led/index.js';
import { pwmModules } from '../../../drivers/pwm/index.js';
import { ManualClock } from '../../../src/base/clock.js';
import { fault } from '../../../src/base/fault.js';
import type { HardwareFinder } from '../../../src/device/hardware-search.js';
import { hardwareModule } from '../../../src/modules/hardware-search.js';
import { until } from '../../tools/until.js';
import { DeviceFixture } from '../../tools/devices/device-fixture.js';
import { FunctionFixture, owner } from '../../tools/gateway/function-fixture.js';

/** Two chips of a simulated machine; one has lines that the board does not name. */
const board: GpioBoard = {
  gpio: [
    { chip: 'header', lines: { DOOR: 0, LAMP: 2 } },
    { chip: 'expander', lines: { DOOR: 0 } },
  ],
  simulated: { wires: [] },
};

t.test(
  'a line has a name by which it is found again, and unnamed lines of the board are not offered',
  async (t) => {
    const found = await searchLines(new Backends(board, new ManualClock()));
    const shown = found.map(({ id, makes: [first] }) => [id, first?.properties]);
    t.strictSame(shown, [
      ['chip header', undefined],
      ['chip expander', undefined],
      ['line header/0', { Chip: 'header', Line: '0' }],
      ['line header/1', undefined],
      ['line header/2', { Line: 'LAMP' }],
      ['line expander/0', { Chip: 'expander', Line: '0' }],
    ]);
  },
);

t.test('a line in use by another program is listed with the consumer, and not offered', async (t) => {
  const backends = new Backends(board, new ManualClock());
  const line = backends.simulatedBoard?.lineNamed('LAMP');
  if (line === undefined) throw new Error('no LAMP');
  backends.simulatedBoard?.request(line, { consumer: 'spi0 CS1' });
  const lamp = (await searchLines(backends)).find(({ name }) => name === 'LAMP');
  t.match(lamp, { usedBy: 'spi0 CS1', instance: 0, makes: [] });
});

/** A fixture with one instance of Hardware that uses these finders. */
async function searching(finders: readonly HardwareFinder[]) {
  const fixture = new DeviceFixture([hardwareModule(finders)]);
  const instance = await fixture.add('Hardware', {});
  await fixture.waitForLink(instance, 'online');
  const { search } = fixture.devices.openInstance(instance.id, hardwareModule([]));
  if (search === undefined) throw new Error('it does not search');
  return { fixture, instance, search };
}

const chip = { kind: 'chip', about: '', usedBy: '', instance: 0, makes: [] } as const;

t.test('a driver whose search fails is reported, and does not affect the results of others', async (t) => {
  const { fixture, instance, search } = await searching([
    async () => [{ ...chip, id: 'chip a', name: 'a' }],
    () => Promise.reject(fault('DEVICE_OFFLINE', 'no permission')),
  ]);
  await until('the end of the search', () => !search.isSearching);
  t.strictSame(
    search.found().map(({ id }) => id),
    ['chip a'],
  );
  t.match(fixture.devices.problems(instance.id), [{ code: 'SEARCH', text: /no permission/ }]);
  await fixture.devices.close();
});

t.test('a cancelled search keeps the results of the previous one, even if results arrive late', async (t) => {
  const replies = [[{ ...chip, id: 'chip a', name: 'a' }]];
  const late = Promise.withResolvers<readonly []>();
  const { fixture, search } = await searching([async () => replies.pop() ?? late.promise]);
  await until('the end of the search', () => !search.isSearching);
  t.equal(search.start(), true);
  t.equal(search.start(), false, 'one at a time');
  t.equal(search.stop(), true);
  t.equal(search.stop(), false);
  late.resolve([]);
  await late.promise;
  t.strictSame(
    search.found().map(({ id }) => id),
    ['chip a'],
  );
  await fixture.devices.close();
});

t.test('a search requested during another one runs once more before the end', async (t) => {
  const before = Promise.withResolvers<(typeof gone)[]>();
  const gone = { ...chip, id: 'chip a', name: 'a' };
  const came = { ...gone, id: 'chip b' };
  const looks = [Promise.resolve([]), before.promise];
  const { fixture, search } = await searching([() => looks.shift() ?? Promise.resolve([came])]);
  await until('the end of the first search', () => !search.isSearching);
  t.equal(search.start(), true);
  t.equal(search.start(), false);
  before.resolve([gone]);
  await until('the end of the search', () => !search.isSearching);
  t.strictSame(search.found(), [came]);
  await fixture.devices.close();
});

t.test('an instance is recognised by each name of its hardware', async (t) => {
  const item = (n: number) => ({
    ...chip,
    id: `lamp ${n}`,
    name: `lamp ${n}`,
    makes: [{ module: 'Lamp', properties: { Place: `stable ${n}` }, aliases: { Place: [`other ${n}`] } }],
  });
  const fixture = new FunctionFixture([], '/nowhere', [hardwareModule([async () => [0, 1, 2].map(item)])]);
  const lamps = [0, 1].map((n) => fixture.devices.create('Lamp', {}, { Place: `other ${n}` }).id);
  const { id } = fixture.devices.create('Hardware', {}, {});
  await fixture.devices.applyChanges(id);
  const call = async (method: string) => fixture.registry.call(method, [id], owner);
  const found = async () => (await call('GW_GetFound')) as readonly { readonly InstanceID: number }[];
  // It searches when it is opened.
  const count = async () => (await found().catch(() => [])).length;
  await until('the items', async () => (await count()) === 3);
  t.strictSame(
    (await found()).map(({ InstanceID }) => InstanceID),
    [...lamps, 0],
  );
  await fixture.devices.close();
});

t.test('LEDs and PWM channels have the names of the board, otherwise stable ones', async (t) => {
  const clock = new ManualClock();
  const led = { leds: [{ name: 'FRONT', path: '/sys/class/leds/green:front' }], simulated: {} };
  const pwm = { pwm: [{ chip: 'soc.pwm', channels: { FAN: 1 } }], simulated: {} };
  const found = await Promise.all(
    [...ledModules(led, clock), ...pwmModules(pwm, clock)].map((module) => module.findHardware?.()),
  );
  t.strictSame(
    found.flatMap((some) => some?.map(({ id, name, makes: [first] }) => [id, name, first?.properties])),
    [
      ['led green:front', 'FRONT', { Led: 'FRONT' }],
      ['pwm soc.pwm/0', 'soc.pwm/0', { Chip: 'soc.pwm', Channel: '0' }],
      ['pwm soc.pwm/1', 'FAN', { Channel: 'FAN' }],
    ],
  );
});
