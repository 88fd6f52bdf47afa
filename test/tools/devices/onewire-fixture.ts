import type { Test } from 'tap';
import { SimulatedOneWire } from '../../../drivers/onewire/simulated-bus.js';
import { oneWireModules } from '../../../drivers/onewire/index.js';
import { ManualClock } from '../../../src/base/clock.js';
import type { Instance } from '../../../src/kernel/instances.js';
import { until } from '../until.js';
import { DeviceFixture } from './device-fixture.js';

/** The first bus of a machine. */
export const BUS = 'w1_bus_master1';

/** A gateway's 1-Wire instances on a machine with these buses. Its clock advances while a test waits. */
export class OneWireFixture extends DeviceFixture {
  readonly clock: ManualClock;
  readonly wire: SimulatedOneWire;
  /** The writes to the switches, in order: the pins that conduct afterwards. */
  readonly writes: [address: string, on: number][] = [];

  constructor(t: Test, buses: readonly (readonly string[])[], clock = new ManualClock()) {
    const wire = new SimulatedOneWire(clock, buses);
    super(oneWireModules({ simulated: {} }, clock, Promise.resolve(wire)), clock);
    this.clock = clock;
    this.wire = wire;
    wire.onSwitchWrite = (address, on) => this.writes.push([address, on]);
    t.teardown(() => this.devices.close());
  }

  async bus(name = BUS): Promise<Instance> {
    const bus = await this.add('1-Wire Bus', { Bus: name });
    await this.waitForLink(bus, 'online');
    return bus;
  }

  async device(bus: Instance, Address: string, EveryS = 3): Promise<Instance> {
    const device = await this.add('1-Wire Device', { Address, EveryS }, bus);
    await this.waitForLink(device, 'online');
    return device;
  }

  /** Advances the clock until a variable has this value. */
  async waitForVariable(
    instance: Instance,
    ident: string,
    expected: { value?: unknown; quality?: string },
  ): Promise<void> {
    const { value, quality = 'good' } = expected;
    await until(`${ident} ${quality} ${String(value)}`, () => {
      this.clock.advance(50);
      return (
        this.quality(instance, ident) === quality &&
        (value === undefined || this.value(instance, ident) === value)
      );
    });
  }

  /** Waits for a promise while the clock advances. */
  async during<T>(reply: Promise<T>): Promise<T> {
    let isThere = false;
    const end = () => void (isThere = true);
    reply.then(end, end);
    await until('a reply', () => {
      this.clock.advance(50);
      return isThere;
    });
    return reply;
  }
}
