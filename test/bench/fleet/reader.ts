import { connectAsync, type MqttClient } from 'mqtt';
import { decodePayload, encodePayload } from '../../../drivers/bridge/sparkplug/payload.js';
import { Changes } from '../../tools/changes.js';
import { nameOf } from './protocol.js';

/** What the reading client knows of one gateway. */
class ReadGateway {
  births = 0;
  deaths = 0;
  /** The values of its counter. */
  readonly counts = new Set<number>();
  relay: boolean | undefined;
  /** Aliases of the metrics COUNT and STATE. */
  countAlias: number | undefined;
  relayAlias: number | undefined;
  seq: number | undefined;
}

/** The one client that reads what all gateways send. Its session survives the broker. */
export class FleetReader {
  readonly #client: MqttClient;
  readonly #changes = new Changes();
  readonly gateways: readonly ReadGateway[];
  messages = 0;
  /** Sparkplug messages whose sequence number did not follow the one before, without a birth between them. */
  gaps = 0;

  private constructor(client: MqttClient, count: number) {
    this.#client = client;
    this.gateways = Array.from({ length: count }, () => new ReadGateway());
    client.on('message', (topic, payload) => {
      this.messages += 1;
      const [first = '', ...rest] = topic.split('/');
      if (first === 'fleet') this.#takeJson(rest, payload);
      else this.#takeSparkplug(rest, payload);
      this.#changes.notify();
    });
  }

  static async open(port: number, count: number): Promise<FleetReader> {
    const client = await connectAsync(`mqtt://127.0.0.1:${port}`, {
      clientId: 'fleet-reader',
      clean: false,
      reconnectPeriod: 100,
    });
    const reader = new FleetReader(client, count);
    await client.subscribeAsync(['fleet/#', 'spBv1.0/fleet/#'], { qos: 1 });
    return reader;
  }

  #takeJson([name = '', kind = '', ...path]: readonly string[], payload: Buffer): void {
    const gateway = this.gateways[Number(name.slice(3))];
    if (gateway === undefined || kind === 'set') return;
    const message = JSON.parse(payload.toString()) as { value?: unknown; online?: boolean; dropped?: object };
    if (kind === 'status') {
      if (message.online === false) gateway.deaths += 1;
      else gateway.births += 1;
    }
    const at = path.join('/');
    if (at === 'hall/COUNT') gateway.counts.add(Number(message.value));
    if (at === 'hall/relay/STATE') gateway.relay = message.value === true;
  }

  #takeSparkplug([, kind = '', name = '', device]: readonly string[], payload: Buffer): void {
    const gateway = this.gateways[Number(name.slice(3))];
    const decoded = decodePayload(payload);
    if (gateway === undefined || decoded === undefined || kind.endsWith('CMD')) return;
    if (kind === 'NDEATH') {
      gateway.deaths += 1;
      gateway.seq = undefined;
      return;
    }
    const { seq } = decoded;
    if (kind === 'NBIRTH') gateway.births += 1;
    else if (gateway.seq !== undefined && seq !== (gateway.seq + 1) % 256) this.gaps += 1;
    gateway.seq = seq;
    for (const { name: metric, alias, value } of decoded.metrics) {
      if (metric === 'COUNT') gateway.countAlias = alias;
      if (device === 'hall.relay' && metric === 'STATE') gateway.relayAlias = alias;
      if (value?.kind === 'long' && alias === gateway.countAlias) gateway.counts.add(Number(value.value));
      if (value?.kind === 'boolean' && alias !== undefined && alias === gateway.relayAlias)
        gateway.relay = value.value;
    }
  }

  /** Commands a gateway to switch its relay. */
  async switch(index: number, on: boolean): Promise<void> {
    const name = nameOf(index);
    if (index % 2 === 0)
      await this.#client.publishAsync(`fleet/${name}/set/hall/relay/STATE`, String(on), { qos: 1 });
    else {
      const metric = { name: 'STATE', dataType: 11, value: { kind: 'boolean', value: on } } as const;
      const payload = encodePayload({ timestamp: Date.now(), metrics: [metric] });
      await this.#client.publishAsync(`spBv1.0/fleet/DCMD/${name}/hall.relay`, payload, { qos: 1 });
    }
  }

  /** Waits until this is true of all these gateways. */
  async until(probe: (gateway: ReadGateway, index: number) => boolean): Promise<void> {
    await this.#changes.until(() => this.gateways.every(probe));
  }

  async close(): Promise<void> {
    await this.#client.endAsync(true);
  }
}
