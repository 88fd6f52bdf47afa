import type { ChipReading } from '../../../drivers/onewire/chip.js';
import { DeviceFiles, listBuses, listDevices, measureAll } from '../../../drivers/onewire/w1-files.js';
import { Ds2406, Ds2408, Ds2413, type Switch } from '../../../drivers/onewire/switch.js';
import { Thermometer } from '../../../drivers/onewire/thermometer.js';
import type { SysfsClass } from '../../../src/device/toolkit/sysfs-class.js';
import { onNewFixture, type ContractCase } from '../gpio/suite.js';

/** A bus with devices that a test controls, of a kernel or simulated. */
export interface OneWireFixture {
  readonly attributes: SysfsClass;
  readonly bus: string;
  /** A DS18B20, a DS2406, a DS2408 and a DS2413 on the bus. */
  readonly thermometer: string;
  readonly single: string;
  readonly eight: string;
  readonly pair: string;
  /** Sets the temperature to measure, °C. */
  warm(celsius: number): Promise<void> | void;
  /** Makes the thermometer's supply break down during measurements, or not. */
  weaken(isWeak: boolean): Promise<void> | void;
  /** Makes the thermometer's replies lose bits, or not. */
  damage(isDamaged: boolean): Promise<void> | void;
  /** Pulls a pin of a switch down from outside, or releases it. */
  pull(address: string, pin: number, isDown: boolean): Promise<void> | void;
  /** The pins of a switch whose transistors conduct, in the device itself. */
  conducting(address: string): Promise<number> | number;
  /** The number of writes to a switch so far. */
  writes(address: string): Promise<number> | number;
  /** Disconnects a device from the bus, or connects it again, without notice to the kernel. */
  setSilent(address: string, isSilent: boolean): Promise<void> | void;
  /** Makes the kernel search until it lists a device, or no longer lists it. */
  searchUntil(address: string, isListed: boolean): Promise<void> | void;
  close(): Promise<void>;
}

const valueIn = (readings: readonly ChipReading[], ident: string) =>
  readings.find((one) => one.ident === ident)?.value;
const reasonIn = (readings: readonly ChipReading[], ident: string) =>
  readings.find((one) => one.ident === ident)?.problem?.reason;

/** Runs the complete contract, each case on a new fixture. */
export async function oneWireContract(
  sentence: ContractCase,
  makeFixture: () => Promise<OneWireFixture>,
): Promise<void> {
  const on = onNewFixture(sentence, makeFixture);
  const thermometerOf = (fixture: OneWireFixture) =>
    new Thermometer(new DeviceFiles(fixture.attributes, fixture.thermometer));
  const switchesOf = ({ attributes, single, pair, eight }: OneWireFixture): [string, Switch][] => [
    [single, new Ds2406(new DeviceFiles(attributes, single))],
    [pair, new Ds2413(new DeviceFiles(attributes, pair))],
    [eight, new Ds2408(new DeviceFiles(attributes, eight))],
  ];

  await on('a bus and its devices are listed', async (t, fixture) => {
    const { attributes, bus, thermometer, single, eight, pair } = fixture;
    t.ok((await listBuses(attributes)).includes(bus));
    t.strictSame([...(await listDevices(attributes, bus))].sort(), [thermometer, single, eight, pair].sort());
    await t.rejects(listDevices(attributes, 'w1_bus_master99'), { code: 'ENOENT' });
  });

  await on('a thermometer measures, including negative values and sixteenths', async (t, fixture) => {
    const chip = thermometerOf(fixture);
    for (const celsius of [21.5, 0, -10.125, -55, 125, 0.0625]) {
      await fixture.warm(celsius);
      const [messages] = await chip.read();
      // The kernel truncates to millidegrees.
      t.ok(
        Math.abs(Number(messages?.value) - celsius) < 0.001,
        `${celsius} is reported as ${String(messages?.value)}`,
      );
    }
  });

  await on('85 °C is reported if measured, but not after power-on', async (t, fixture) => {
    const chip = thermometerOf(fixture);
    await fixture.warm(85);
    t.equal(valueIn(await chip.read(), 'TEMPERATURE'), 85);
    await fixture.warm(20);
    t.equal(valueIn(await chip.read(), 'TEMPERATURE'), 20);
    await fixture.weaken(true);
    t.equal(reasonIn(await chip.read(), 'TEMPERATURE'), 'POWER_ON');
    await fixture.weaken(false);
    t.equal(valueIn(await chip.read(), 'TEMPERATURE'), 20);
  });

  await on('a corrupt reply is not a temperature', async (t, fixture) => {
    const chip = thermometerOf(fixture);
    await fixture.warm(30);
    t.equal(valueIn(await chip.read(), 'TEMPERATURE'), 30);
    await fixture.damage(true);
    t.equal(reasonIn(await chip.read(), 'TEMPERATURE'), 'NO_ANSWER');
    await fixture.damage(false);
    t.equal(valueIn(await chip.read(), 'TEMPERATURE'), 30);
  });

  await on('after a bulk measurement, thermometers return its values', async (t, fixture) => {
    const chip = thermometerOf(fixture);
    const others = [fixture.single, fixture.eight, fixture.pair];
    await fixture.warm(40);
    t.equal(await measureAll(fixture.attributes, fixture.bus), false, 'not with other devices on the bus');
    for (const other of others) await fixture.setSilent(other, true);
    for (const other of others) await fixture.searchUntil(other, false);
    t.equal(await measureAll(fixture.attributes, fixture.bus), true);
    await fixture.warm(50);
    t.equal(valueIn(await chip.read(), 'TEMPERATURE'), 40, 'of the bulk measurement');
    t.equal(valueIn(await chip.read(), 'TEMPERATURE'), 50, 'of its own measurement');
    for (const other of others) await fixture.setSilent(other, false);
    for (const other of others) await fixture.searchUntil(other, true);
  });

  await on('reading a switch writes nothing', async (t, fixture) => {
    for (const [address, chip] of switchesOf(fixture)) {
      const [on, writes] = [await fixture.conducting(address), await fixture.writes(address)];
      t.equal(valueIn(await chip.read(), 'PORT'), on);
      t.equal(await fixture.writes(address), writes);
      t.equal(await fixture.conducting(address), on);
    }
  });

  await on('a pin that is switched on conducts, and the others keep their state', async (t, fixture) => {
    for (const [address, chip] of switchesOf(fixture)) {
      await chip.setPort(0);
      t.equal(await fixture.conducting(address), 0);
      await chip.setPin(1, true);
      t.equal(await fixture.conducting(address), 2);
      await chip.setPin(0, true);
      t.equal(await fixture.conducting(address), 3);
      await chip.setPin(1, false);
      t.equal(await fixture.conducting(address), 1);
      const messages = await chip.read();
      t.strictSame(
        ['PORT', 'PIN0', 'PIN1'].map((ident) => valueIn(messages, ident)),
        [1, true, false],
      );
      await chip.toggle();
      t.equal(await fixture.conducting(address), 0);
      await t.rejects(chip.setPin(chip.pins, true), { code: 'CANNOT_CONVERT' });
      await t.rejects(chip.setPort(1 << chip.pins), { code: 'CANNOT_CONVERT' });
      t.equal(await fixture.conducting(address), 0);
    }
  });

  await on('the level of a pin is low if pulled down, by itself or from outside', async (t, fixture) => {
    for (const [address, chip] of switchesOf(fixture).slice(1)) {
      await chip.setPort(0);
      await fixture.pull(address, 1, true);
      let messages = await chip.read();
      t.strictSame([valueIn(messages, 'PIN1'), valueIn(messages, 'INPUT1')], [false, true]);
      t.strictSame([valueIn(messages, 'PIN0'), valueIn(messages, 'INPUT0')], [false, false]);
      await fixture.pull(address, 1, false);
      await chip.setPin(0, true);
      messages = await chip.read();
      t.strictSame([valueIn(messages, 'PIN1'), valueIn(messages, 'INPUT1')], [false, false]);
      t.strictSame([valueIn(messages, 'PIN0'), valueIn(messages, 'INPUT0')], [true, true]);
      await chip.setPort(0);
    }
  });

  await on('eight pins, byte sequences, and the strobe', async (t, fixture) => {
    const chip = new Ds2408(new DeviceFiles(fixture.attributes, fixture.eight));
    await chip.setPort(0xa5);
    t.equal(await fixture.conducting(fixture.eight), 0xa5);
    const before = await fixture.writes(fixture.eight);
    await chip.sendBytes(Uint8Array.of(0x00, 0xf0, 0x3c), 0xff);
    t.equal(await fixture.writes(fixture.eight), before + 3);
    t.equal(await fixture.conducting(fixture.eight), 0xc3, '0 conducts');
    await chip.sendBytes(Uint8Array.of(0xff, 0x05), 0x0f);
    t.equal(await fixture.conducting(fixture.eight), 0xca, 'the upper half stays');
    for (const isStrobe of [true, false]) {
      await chip.setStrobe(isStrobe);
      t.equal(valueIn(await chip.read(), 'STROBE'), isStrobe);
    }
    await chip.setPort(0);
  });

  await on('a removed device does not report wrong values', async (t, fixture) => {
    const thermometer = thermometerOf(fixture);
    await fixture.warm(20);
    t.equal(valueIn(await thermometer.read(), 'TEMPERATURE'), 20);
    await fixture.setSilent(fixture.thermometer, true);
    t.equal(reasonIn(await thermometer.read(), 'TEMPERATURE'), 'NO_ANSWER');
    await fixture.setSilent(fixture.thermometer, false);
    for (const [address, chip] of switchesOf(fixture)) {
      await fixture.setSilent(address, true);
      await t.rejects(chip.read(), { code: 'EIO' });
      await t.rejects(chip.setPin(0, true), { code: 'EIO' });
      await fixture.setSilent(address, false);
      t.equal(valueIn(await chip.read(), 'PIN0'), false);
    }
  });

  await on('the kernel detects removed and added devices', async (t, fixture) => {
    const { attributes, bus, pair } = fixture;
    await fixture.setSilent(pair, true);
    await fixture.searchUntil(pair, false);
    t.notOk((await listDevices(attributes, bus)).includes(pair));
    const files = new DeviceFiles(attributes, pair);
    const gone = await new Ds2413(files).read().then(
      () => undefined,
      (thrown: unknown) => files.mapError(thrown),
    );
    t.equal(gone?.code, 'DEVICE_OFFLINE');
    await fixture.setSilent(pair, false);
    await fixture.searchUntil(pair, true);
    t.ok((await listDevices(attributes, bus)).includes(pair));
    t.equal(valueIn(await new Ds2413(files).read(), 'PORT'), 0);
  });

  await on('the kernel’s rules that the driver relies on', async (t, { attributes, eight, pair, bus }) => {
    await t.rejects(attributes.write(`${pair}/state`, 'x'), { code: 'EACCES' });
    await t.rejects(attributes.readBytes(`${pair}/output`, 1), { code: 'EACCES' });
    t.equal((await attributes.readBytes(`${eight}/state`, 5)).length, 1);
    await attributes.write(`${bus}/therm_bulk_read`, 'nonsense\n');
    t.equal(await attributes.read(`${bus}/therm_bulk_read`), '0', 'an unknown text is accepted and ignored');
  });
}
