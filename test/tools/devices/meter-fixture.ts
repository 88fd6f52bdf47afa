import t, { type Test } from 'tap';
import { meterModules } from '../../../drivers/meter/index.js';
import { serialModules } from '../../../drivers/serial/index.js';
import { SimulatedPorts } from '../../../drivers/serial/simulated-ports.js';
import { ManualClock } from '../../../src/base/clock.js';
import { yieldToEventLoop } from '../../../src/base/event-loop.js';
import type { Instance } from '../../../src/kernel/instances.js';
import { until } from '../until.js';
import { DeviceFixture } from './device-fixture.js';

const PORT = '/dev/ttyUSB0';

/** A simulated serial line with a meter at its other end, and the modules under the supervisor. */
export class MeterFixture implements AsyncDisposable {
  readonly clock: ManualClock;
  readonly ports = new SimulatedPorts();
  /** The meter's end of the line. */
  readonly line = this.ports.plug(PORT);
  readonly fixture: DeviceFixture;
  #port: Instance | undefined;

  constructor(nowMs?: number) {
    this.clock = new ManualClock(nowMs);
    this.fixture = new DeviceFixture([...serialModules(this.ports), ...meterModules()], this.clock);
  }

  /** A meter on the port; all meters share it. */
  async add(
    module: string,
    properties: Record<string, unknown> = {},
    port: Record<string, unknown> = {},
  ): Promise<Instance> {
    this.#port ??= await this.fixture.add('Serial Port', { Port: PORT, BaudRate: '9600', ...port });
    const meter = await this.fixture.add(module, properties, this.#port);
    await this.fixture.waitForLink(meter, 'online');
    return meter;
  }

  /** Sends bytes to the gateway until the meter has a variable with the value. */
  async sendUntil(meter: Instance, bytes: Uint8Array, [ident, value]: [string, unknown]): Promise<void> {
    await until(`${ident} = ${String(value)}, now ${String(this.fixture.value(meter, ident))}`, () => {
      this.line.send(bytes);
      return this.fixture.value(meter, ident) === value;
    });
  }

  /** Advances the clock so that requests of one time get their replies before the next. */
  async pass(ms: number): Promise<void> {
    for (let left = ms; left > 0; left -= 20) {
      this.clock.advance(Math.min(left, 20));
      await yieldToEventLoop();
    }
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.fixture[Symbol.asyncDispose]();
  }
}

/** A test with a line and a meter. */
export function meterTest(
  name: string,
  run: (t: Test, meters: MeterFixture) => Promise<void>,
): Promise<unknown> {
  return t.test(name, async (t) => {
    await using meters = new MeterFixture();
    await run(t, meters);
  });
}
