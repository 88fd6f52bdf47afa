import { mqttModules } from '../../../drivers/mqtt/index.js';
import { SimulatedBroker } from '../../../drivers/mqtt/simulated-broker.js';
import { ManualClock } from '../../../src/base/clock.js';
import type { Instance } from '../../../src/kernel/instances.js';
import { objectType } from '../../../src/kernel/object.js';
import { until } from '../until.js';
import { DeviceFixture } from './device-fixture.js';

/** A gateway that adopts what the simulated broker's clients announce. */
export class DiscoveryFixture implements AsyncDisposable {
  readonly clock = new ManualClock();
  readonly broker = new SimulatedBroker();
  readonly fixture = new DeviceFixture(mqttModules(this.broker), this.clock);

  static async start(properties: Record<string, unknown> = { Adopt: 'all' }): Promise<DiscoveryFixture> {
    const all = new DiscoveryFixture();
    const client = await all.fixture.add('MQTT Client', { Url: 'mqtt://broker' });
    const discovery = await all.fixture.add('MQTT Discovery', properties, client);
    await all.fixture.waitForLink(discovery, 'online');
    return all;
  }

  announce(component: string, id: string, settings: object): void {
    const device = { ids: ['d'], name: 'Device' };
    const payload = { unique_id: id, device, ...settings };
    this.broker.publish(`homeassistant/${component}/${id}/config`, JSON.stringify(payload), true);
  }

  instances(): Instance[] {
    const all = [...this.fixture.kernel.tree.objectsOfType(objectType.instance)];
    return all.filter(({ data }) => data.moduleName === 'MQTT Discovered Device');
  }

  /** The instance of the only device, when it is online with this number of entities. */
  async device(entities = 1): Promise<Instance> {
    await until('the device', () => {
      this.clock.advance(500);
      const [device] = this.instances();
      const count = String(device?.data.properties['Announcement']).split('"place"').length - 1;
      return device !== undefined && count === entities && this.fixture.value(device, 'LINK') === 'online';
    });
    return this.instances()[0] as Instance;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.fixture[Symbol.asyncDispose]();
  }
}
