import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { connectAsync, type MqttClient } from 'mqtt';
import { mqttBridge } from '../../../drivers/bridge/json/mqtt-bridge.js';
import { encodeValue } from '../../../drivers/bridge/json/json-payload.js';
import type { Entry } from '../../../drivers/bridge/queue/entry.js';
import { FrameWriter } from '../../../drivers/bridge/queue/frame-codec.js';
import { NetworkConnector } from '../../../drivers/mqtt/network-connection.js';
import { variableType, type ModuleDefinition } from '../../../src/device/module.js';
import { BridgeFixture, environmentIn } from '../../tools/bridge/bridge-fixture.js';
import { Changes } from '../../tools/changes.js';
import { startMosquitto } from '../../tools/devices/mosquitto.js';
import { hasProgram } from '../../tools/program.js';
import type { Cores } from '../machine.js';
import { interleaved, ratioOf, type Effort, type Figure, type Report, type Round } from '../statistics.js';

/** Values that are changed together; a bridge has at most 200 in flight. */
const BURST = 500;

/** Values of variables at a broker, with an acknowledgement each. */
export async function bridgeFigures(effort: Effort, _cores: Cores, directory: string): Promise<Report> {
  if (!hasProgram('mosquitto')) throw new Error('mosquitto is not installed');
  const own = join(directory, 'bridge');
  mkdirSync(own);
  const lines = ['max_queued_messages 0', 'set_tcp_nodelay true'];
  await using broker = await startMosquitto({ directory: own, lines });
  const url = `mqtt://127.0.0.1:${broker.port}`;
  const reader = await Reader.open(url);
  const module = mqttBridge(new NetworkConnector(), environmentIn(own)) as unknown as ModuleDefinition;
  await using fixture = new BridgeFixture([module]);
  const bridge = await fixture.add('MQTT Bridge', {
    Url: url,
    Topic: 'bridge',
    Paths: [{ Path: 'hall', Priority: 'normal' }],
  });
  await fixture.waitForValue(bridge, 'CONNECTED', true);
  const bare = await connectAsync(url);

  let value = 0;
  const ours = () =>
    round(effort, async () => {
      const goal = value + BURST;
      while (value < goal) fixture.set('COUNT', ++value);
      await reader.has('bridge', value);
    });
  const baseline = () =>
    round(effort, async () => {
      const goal = value + BURST;
      while (value < goal)
        bare.publish('bare/value/hall/COUNT', payloadOf(++value), { qos: 1, retain: true });
      await reader.has('bare', value);
    });
  const throughput = await interleaved(effort.rounds, [ours, baseline]);
  await Promise.all([bare.endAsync(), reader.close()]);
  return {
    figures: [
      ratioOf('values to a broker, to a bare bridge', throughput, { is: 'at least', value: 0.4 }),
      bytesFigure(),
    ],
    wrong: [],
  };
}

async function round({ seconds }: Effort, burst: () => Promise<void>): Promise<Round> {
  const [startMs, cpu] = [performance.now(), process.cpuUsage()];
  let sent = 0;
  for (; performance.now() - startMs < seconds * 1000; sent += BURST) await burst();
  const { user, system } = process.cpuUsage(cpu);
  return { cpuUs: (user + system) / sent, perSecond: (sent * 1000) / (performance.now() - startMs) };
}

/** Both sides pay for the one client that reads. */
class Reader {
  readonly #client: MqttClient;
  readonly #changes = new Changes();
  readonly #last = new Map<string, number>();

  private constructor(client: MqttClient) {
    this.#client = client;
    client.on('message', (topic, payload) => {
      if (!topic.endsWith('/hall/COUNT')) return;
      const { value } = JSON.parse(payload.toString()) as { value: number };
      this.#last.set(topic.split('/')[0] ?? '', value);
      this.#changes.notify();
    });
  }

  static async open(url: string): Promise<Reader> {
    const client = await connectAsync(url);
    await client.subscribeAsync(['bridge/value/#', 'bare/value/#'], { qos: 1 });
    return new Reader(client);
  }

  async has(side: string, value: number): Promise<void> {
    await this.#changes.until(() => (this.#last.get(side) ?? 0) >= value);
  }

  async close(): Promise<void> {
    await this.#client.endAsync();
  }
}

const entryOf = (value: number, path = 'hall/COUNT'): Entry => ({
  seq: value,
  path,
  type: variableType.float,
  value: value + 0.5,
  quality: 0,
  reason: '',
  atMs: 1_700_000_000_000 + value * 600,
});

const payloadOf = (value: number): Buffer => encodeValue({ ...entryOf(value), value }, value);

/** What a value takes in the files of the queue: 100 variables that change once a minute, written each minute. */
function bytesFigure(): Figure {
  const writer = new FrameWriter();
  let [bytes, json, seq] = [0, 0, 0];
  for (let frame = 0; frame < 100; frame++) {
    const entries = Array.from({ length: 100 }, (_, n) => entryOf(++seq, `hall/room/V${n}`));
    bytes += writer.encode(entries).length;
    json += entries.reduce((sum, entry) => sum + encodeValue(entry, entry.seq).length + entry.path.length, 0);
  }
  return {
    name: 'bytes of a value in the queue of a bridge',
    value: bytes / seq,
    unit: 'B',
    goal: { is: 'at most', value: 16 },
    ours: `${(bytes / seq).toFixed(1)} B`,
    baseline: `${(json / seq).toFixed(1)} B as JSON`,
  };
}
