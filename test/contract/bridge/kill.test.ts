/**
 * Gateways that are killed, power cuts, disks that are full, and a broker that comes and goes: a reading client
 * misses no value that the bridge has accepted, except for those that the bridge counts after a power cut. ROUNDS
 * sets the number of rounds.
 */
import t, { type Test } from 'tap';
import { connectAsync, type MqttClient } from 'mqtt';
import { KilledGateway } from '../../tools/bridge/killed-gateway.js';
import { Changes } from '../../tools/changes.js';
import { startMosquitto, type Broker } from '../../tools/devices/mosquitto.js';
import { hasProgram } from '../../tools/program.js';
import { fuzzSeed, Random, seedLabel } from '../../tools/random.js';
import { tempDirectory } from '../../tools/temp-directory.js';

const skip = hasProgram('mosquitto') ? false : 'mosquitto is not installed (Debian package mosquitto)';
const ROUNDS = Number(process.env['ROUNDS'] ?? 4);
const VALUES = 400;
const seed = fuzzSeed();

/** Each block of rounds has each of them. The power cut comes first: what the others accept must arrive. */
const endings = ['power cut', 'kill', 'full disk', 'broker restart'] as const;
type Ending = (typeof endings)[number];

interface Status {
  readonly online: boolean;
  readonly waiting: number;
  readonly seq: number;
  readonly dropped: Readonly<Record<string, number>>;
}

/** The client that reads what the bridge sends. */
class Reader {
  readonly #t: Test;
  readonly #changes = new Changes();
  /** By sequence number. */
  readonly received = new Map<number, number>();
  readonly #values = new Set<number>();
  #expected = new Set<number>();
  #lastHistorical = 0;
  #status: Status | undefined;

  constructor(t: Test, client: MqttClient) {
    this.#t = t;
    client.on('message', (topic, payload) => {
      this.#take(topic, payload.toString());
      this.#changes.notify();
    });
  }

  #take(topic: string, payload: string): void {
    if (topic === 'box/status') this.#status = JSON.parse(payload) as Status;
    if (!topic.endsWith('hall/COUNT')) return;
    const { value, seq } = JSON.parse(payload) as { value: number; seq?: number };
    if (seq === undefined) return;
    const known = this.received.get(seq);
    if (known !== undefined && known !== value) this.#t.fail(`${seq}: ${known} and ${value}`);
    if (known === undefined && topic.startsWith('box/history/')) {
      if (seq < this.#lastHistorical) this.#t.fail(`${seq} after ${this.#lastHistorical}`);
      this.#lastHistorical = seq;
    }
    this.received.set(seq, value);
    this.#values.add(value);
    this.#expected.delete(value);
  }

  has(value: number): boolean {
    return this.#values.has(value);
  }

  /** These values must arrive. */
  expect(values: readonly number[]): void {
    for (const value of values) if (!this.#values.has(value)) this.#expected.add(value);
  }

  /** Waits until all values that must arrive have. */
  async complete(): Promise<void> {
    await this.#changes.until(() => this.#expected.size === 0);
  }

  /** Waits for the status of a bridge that was closed. */
  async lastStatus(): Promise<Status> {
    // The will says only that it is not online.
    await this.#changes.until(() => this.#status?.online === false && this.#status.dropped !== undefined);
    return this.#status as Status;
  }
}

const options = { skip, timeout: 120_000 + 30_000 * ROUNDS };

t.test(`${ROUNDS} rounds of killed gateways (${seedLabel(seed)})`, options, async (t) => {
  const random = new Random(seed);
  const [brokerDirectory, directory] = [await tempDirectory(t), await tempDirectory(t)];
  // The session of the reading client survives the broker.
  const lines = ['persistence true', `persistence_location ${brokerDirectory}/`, 'max_queued_messages 0'];
  let broker: Broker | undefined = await startMosquitto({ directory: brokerDirectory, lines });
  const { port } = broker;
  const url = `mqtt://127.0.0.1:${port}`;
  const client = await connectAsync(url, { clientId: 'reader', clean: false, reconnectPeriod: 50 });
  const reader = new Reader(t, client);
  await client.subscribeAsync('box/#', { qos: 1 });
  const stopBroker = async () => {
    await broker?.program.end();
    broker = undefined;
  };
  const startBroker = async () =>
    (broker ??= await startMosquitto({ directory: brokerDirectory, port, lines }));
  t.teardown(async () => {
    await client.endAsync(true);
    await stopBroker();
  });

  const uncertain: number[] = [];
  let [boot, next] = [1, 1];
  const start = (count: number, rejections = 0): KilledGateway => {
    const gateway = new KilledGateway({
      directory,
      url,
      from: next,
      count,
      boot: `boot-${boot}`,
      rejections,
    });
    next += count;
    return gateway;
  };

  const play = async (ending: Ending): Promise<void> => {
    if (ending === 'full disk' || random.chance(0.5)) await stopBroker();
    const gateway = start(VALUES, ending === 'full disk' ? 1 + random.below(2) : 0);
    if (ending === 'full disk') await gateway.hasPrinted('full');
    if (broker === undefined && random.chance(0.5)) await gateway.hasPrinted('durable');
    else await gateway.hasAccepted(1 + random.below(VALUES));
    if (ending === 'broker restart') await stopBroker();
    if (ending === 'broker restart' || random.chance(0.5)) await startBroker();
    await gateway.end('SIGKILL');
    await startBroker();
    if (ending === 'power cut') {
      await gateway.losePower(random);
      boot += 1;
      uncertain.push(...gateway.accepted);
    } else reader.expect(gateway.accepted);
  };

  for (let round = 0; round < ROUNDS; round++) {
    const ending = endings[round % endings.length] ?? 'kill';
    await play(ending);
    if (round % endings.length < endings.length - 1 && round < ROUNDS - 1) continue;
    // All of the block arrives before the next power cut.
    const gateway = start(0);
    await reader.complete();
    await gateway.end(round < ROUNDS - 1 ? 'SIGKILL' : 'SIGTERM');
  }

  const { seq, dropped, waiting } = await reader.lastStatus();
  const counted = Object.values(dropped).reduce((sum, count) => sum + count, 0);
  const missing = uncertain.filter((value) => !reader.has(value)).length;
  t.comment(`${reader.received.size} values of ${next - 1}, ${missing} lost in power cuts`, dropped);
  t.ok(missing <= counted + waiting, `${missing} values of power cuts are missing, ${counted} are counted`);
  t.ok(seq - reader.received.size <= counted + waiting, 'all other sequence numbers arrived');
  t.strictSame(
    Object.keys(dropped).filter((reason) => reason !== 'powerCut' && reason !== 'damaged'),
    [],
    'no other value is dropped',
  );
});
