import type { Test } from 'tap';
import { sensorModules } from '../../../drivers/sensor/index.js';
import { SimulatedSensors } from '../../../drivers/sensor/simulated-sensors.js';
import { ManualClock } from '../../../src/base/clock.js';
import type { Instance } from '../../../src/kernel/instances.js';
import { until } from '../until.js';
import { DeviceFixture } from './device-fixture.js';

/** A gateway's sensors on a machine with these chips. Its clock advances while a test waits. */
export class SensorFixture extends DeviceFixture {
  readonly clock: ManualClock;
  readonly sensors: SimulatedSensors;

  constructor(t: Test, ids: readonly string[], clock = new ManualClock()) {
    const sensors = new SimulatedSensors(clock, ids);
    super(sensorModules({ simulated: {} }, clock, Promise.resolve(sensors)), clock);
    this.clock = clock;
    this.sensors = sensors;
    t.teardown(() => this.devices.close());
  }

  async sensor(Device: string, properties: Record<string, unknown> = {}): Promise<Instance> {
    const sensor = await this.add('Sensor', { Device, EveryS: 1, ...properties });
    await this.waitForLink(sensor, 'online');
    return sensor;
  }

  /** Advances the clock until a variable has this value or quality. */
  async waitForVariable(
    instance: Instance,
    ident: string,
    { value, quality = 'good' }: { readonly value?: unknown; readonly quality?: string },
  ): Promise<void> {
    await until(`${ident} ${quality} ${String(value)}`, () => {
      this.clock.advance(50);
      return (
        this.quality(instance, ident) === quality &&
        (value === undefined || this.value(instance, ident) === value)
      );
    });
  }
}
