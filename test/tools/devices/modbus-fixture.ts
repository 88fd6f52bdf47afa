import t, { type Test } from 'tap';
import { modbusModules } from '../../../drivers/modbus/index.js';
import { SimulatedPorts } from '../../../drivers/serial/simulated-ports.js';
import { serialModules } from '../../../drivers/serial/index.js';
import { ManualClock } from '../../../src/base/clock.js';
import { yieldToEventLoop } from '../../../src/base/event-loop.js';
import type { ModuleDefinition } from '../../../src/device/module.js';
import type { Instance } from '../../../src/kernel/instances.js';
import { FakeModbusBus } from './fake-modbus-units.js';
import { until } from '../until.js';
import { DeviceFixture } from './device-fixture.js';
import { registerMaps } from './register-maps.js';

/** The path of the port. */
export const MODBUS_PORT = '/dev/ttyUSB0';

/** A line with units on it, and the modules under the supervisor, with a manual clock. */
export class ModbusFixture implements AsyncDisposable {
  readonly clock = new ManualClock();
  readonly ports = new SimulatedPorts();
  readonly far = this.ports.plug(MODBUS_PORT);
  readonly line = new FakeModbusBus(this.far, this.clock);
  readonly fixture: DeviceFixture;
  readonly modules: readonly ModuleDefinition[];
  #port: Instance | undefined;

  /** With the register maps of the package, and those of a user in a directory. */
  constructor(userMaps?: string) {
    this.modules = [...serialModules(this.ports), ...modbusModules(registerMaps(userMaps))];
    this.fixture = new DeviceFixture(this.modules, this.clock);
  }

  async port(properties: Record<string, unknown> = {}): Promise<Instance> {
    this.#port ??= await this.fixture.add('Serial Port', {
      Port: MODBUS_PORT,
      BaudRate: '9600',
      ...properties,
    });
    await this.fixture.waitForLink(this.#port, 'online');
    return this.#port;
  }

  async gateway(DeviceID: number, properties: Record<string, unknown> = {}): Promise<Instance> {
    const own = { GatewayMode: 1, DeviceID, TimeoutMs: 200, ...properties };
    const gateway = await this.fixture.add('ModBus Gateway', own, await this.port());
    await this.online(gateway);
    return gateway;
  }

  /** A register whose raw value is read every second. */
  async register(
    gateway: Instance,
    ReadAddress: number,
    more: Record<string, unknown> = {},
  ): Promise<Instance> {
    const own = { DataType: 2, ReadFunctionCode: 3, ReadAddress, Poller: 1000, ...more };
    const address = await this.fixture.add('ModBus Address', own, gateway);
    await this.online(address);
    return address;
  }

  /** Advances the clock so that requests of one time get their replies before the next. */
  async pass(ms: number): Promise<void> {
    const stepMs = ms < 10_000 ? 2 : 10;
    for (let left = ms; left > 0; left -= stepMs) {
      this.clock.advance(stepMs);
      await yieldToEventLoop();
    }
  }

  /** Advances the clock until a condition is met, for at most a simulated quarter of an hour. */
  async waitFor(what: string, probe: () => boolean): Promise<void> {
    for (let ms = 0; !probe(); ms += 20) {
      if (ms > 900_000) throw new Error(`Not within a quarter of an hour: ${what}`);
      await this.pass(20);
    }
  }

  waitForValue(address: Instance, value: unknown): Promise<void> {
    return this.waitFor(
      `${String(value)}, now ${this.fixture.status(address)}`,
      () => this.value(address) === value,
    );
  }

  waitForQuality(address: Instance, quality: string): Promise<void> {
    return this.waitFor(`${quality}`, () => this.quality(address) === quality);
  }

  value = (address: Instance) => this.fixture.value(address, 'Value');
  quality = (address: Instance) => this.fixture.quality(address, 'Value');

  /** The outcome of a call, while the clock advances. */
  async outcome(call: Promise<unknown>): Promise<unknown> {
    let outcome: unknown;
    call.then(
      (result) => (outcome = { result }),
      (thrown: Error) => (outcome = thrown),
    );
    await this.waitFor('an outcome', () => outcome !== undefined);
    return outcome;
  }

  /** Waits until the instance is online; its code is loaded from the disk, in real time. */
  async online(instance: Instance): Promise<void> {
    await until(`online: ${this.fixture.status(instance)}`, async () => {
      await this.pass(20);
      return this.fixture.value(instance, 'LINK') === 'online';
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.fixture[Symbol.asyncDispose]();
  }
}

/** Runs a test in a new fixture, and checks that no timer and no port is left. */
export const modbusTest = (
  what: string,
  run: (t: Test, modbus: ModbusFixture) => Promise<void>,
  userMaps?: string,
) =>
  t.test(what, async (t) => {
    const one = new ModbusFixture(userMaps);
    await run(t, one);
    await one[Symbol.asyncDispose]();
    one.line.close();
    t.equal(one.clock.pendingTimers, 0, 'no timer is left');
    t.equal(one.ports.openCount, 0);
  });
