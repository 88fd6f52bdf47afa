import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Aedes } from 'aedes';
import { connectAsync, type MqttClient } from 'mqtt';
import type { BrokerConnector, ConnectOptions } from '../../../drivers/mqtt/broker.js';
import { NetworkConnector } from '../../../drivers/mqtt/network-connection.js';
import { SimulatedBroker, type PublishedMessage } from '../../../drivers/mqtt/simulated-broker.js';
import { startMosquitto, type Broker } from '../../tools/devices/mosquitto.js';
import { startTestServer } from '../../tools/broker/test-server.js';
import { reservePort } from '../../tools/reserve-port.js';
import { TcpProxy } from '../../tools/client/tcp-proxy.js';
import { until } from '../../tools/until.js';

/** A broker with another client, and a proxy in front of it. */
export interface TestBroker extends AsyncDisposable {
  readonly brokers: BrokerConnector;
  readonly url: string;
  readonly version: 4 | 5;
  /** Another client publishes. */
  publish(topic: string, payload: string | Buffer, retain?: boolean): Promise<void>;
  /** All messages at the broker since the broker was created. */
  heard(): PublishedMessage[];
  /** Stops the broker, which keeps retained messages, and starts it again. */
  stop(): Promise<void>;
  start(): Promise<void>;
  /** Closes the connections without DISCONNECT. */
  cut(): void;
  /** The broker stays connected but acknowledges no publish, until `thaw`. */
  freeze(): void;
  thaw(): void;
}

export const OPTIONS: Omit<ConnectOptions, 'url' | 'version'> = {
  clientId: 'stellwerk',
  userName: '',
  password: '',
  keepAliveS: 30,
  cleanSession: true,
  caFile: '',
  certificateFile: '',
  keyFile: '',
};

export async function fakeTestBroker(version: 4 | 5): Promise<TestBroker> {
  const broker = new SimulatedBroker();
  // Like a real connection, it keeps the process alive.
  const life = setInterval(() => undefined, 60_000);
  return {
    brokers: broker,
    url: 'mqtt://broker',
    version,
    publish: async (topic, payload, retain) => broker.publish(topic, payload, retain),
    heard: () => broker.published,
    stop: async () => broker.stop(),
    start: async () => broker.start(),
    cut: () => {
      broker.stop();
      broker.start();
    },
    freeze: () => void (broker.isMute = true),
    thaw: () => void (broker.isMute = false),
    [Symbol.asyncDispose]: async () => clearInterval(life),
  };
}

/** Another client of a real broker: receives everything, and can publish. */
class Outsider {
  readonly heard: PublishedMessage[] = [];
  readonly #client: MqttClient;

  private constructor(client: MqttClient) {
    this.#client = client;
    client.on('message', (topic, payload, { retain }) =>
      this.heard.push({ topic, payload: payload.toString(), retain }),
    );
  }

  static async join(port: number): Promise<Outsider> {
    const client = await connectAsync(`mqtt://127.0.0.1:${port}`, { reconnectPeriod: 50 });
    const outsider = new Outsider(client);
    await client.subscribeAsync('#', { qos: 2 });
    return outsider;
  }

  async publish(topic: string, payload: string | Buffer, retain = false): Promise<void> {
    await this.#client.publishAsync(topic, payload, { qos: 1, retain });
  }

  async back(): Promise<void> {
    await until('the other client', () => this.#client.connected);
  }

  async leave(): Promise<void> {
    await this.#client.endAsync(true);
  }
}

/** A real broker that listens on a port. */
interface ListeningBroker {
  readonly port: number;
  readonly version: 4 | 5;
  /** Stops it, and starts it again on its port. */
  stop(): Promise<unknown>;
  start(): Promise<void>;
  /** Called before the other client publishes. */
  onPublish?(topic: string, payload: string | Buffer, retain: boolean): void;
  /** Called after it was stopped for the last time. */
  release?(): Promise<void>;
}

/** A real broker behind a proxy, with another client. */
async function behindProxy(broker: ListeningBroker): Promise<TestBroker> {
  const proxy = await TcpProxy.start(broker.port);
  const outsider = await Outsider.join(broker.port);
  return {
    brokers: new NetworkConnector(),
    url: `mqtt://127.0.0.1:${proxy.port}`,
    version: broker.version,
    async publish(topic, payload, retain = false) {
      broker.onPublish?.(topic, payload, retain);
      await outsider.publish(topic, payload, retain);
    },
    heard: () => outsider.heard,
    async stop() {
      await broker.stop();
    },
    async start() {
      await broker.start();
      await outsider.back();
    },
    cut: () => proxy.cut(),
    freeze: () => proxy.freeze(),
    thaw: () => proxy.thaw(),
    async [Symbol.asyncDispose]() {
      await outsider.leave();
      await proxy[Symbol.asyncDispose]();
      await broker.stop();
      await broker.release?.();
    },
  };
}

const removed = (directory: string) => rm(directory, { recursive: true, force: true });

/** Debian's mosquitto, behind a proxy. */
export async function mosquittoTestBroker(version: 4 | 5): Promise<TestBroker> {
  const directory = await mkdtemp(join(tmpdir(), 'stellwerk-'));
  // Its queue for the other client must have room for a complete burst.
  const lines = ['persistence true', `persistence_location ${directory}/`, 'max_queued_messages 0'];
  let broker: Broker = await startMosquitto({ directory, lines });
  const { port } = broker;
  return behindProxy({
    port,
    version,
    stop: () => broker.program.end(),
    async start() {
      broker = await startMosquitto({ directory, port, lines });
    },
    release: () => removed(directory),
  });
}

/** The broker aedes, which supports MQTT 3.1.1 only, behind a proxy. */
export async function aedesTestBroker(): Promise<TestBroker> {
  const retained = new Map<string, string | Buffer>();
  const sockets = new Set<Socket>();
  const port = await reservePort();
  let stopping: () => Promise<void>;
  const start = async () => {
    const aedes = await Aedes.createBroker();
    for (const [topic, payload] of retained) await publishInside(aedes, topic, payload);
    const server: Server = createServer((socket) => {
      sockets.add(socket.on('close', () => sockets.delete(socket)));
      aedes.handle(socket);
    });
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    stopping = async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise<void>((resolve) => aedes.close(() => resolve()));
      await new Promise((resolve) => server.close(resolve));
    };
  };
  await start();
  return behindProxy({
    port,
    version: 4,
    stop: () => stopping(),
    start,
    onPublish: (topic, payload, retain) => retain && retained.set(topic, payload),
  });
}

/** The broker of the module MQTT Server, which supports MQTT 3.1.1 only, behind a proxy. */
export async function serverTestBroker(): Promise<TestBroker> {
  const directory = await mkdtemp(join(tmpdir(), 'stellwerk-'));
  const port = await reservePort();
  const start = () => startTestServer(directory, port);
  let broker = await start();
  return behindProxy({
    port,
    version: 4,
    stop: () => broker.close(),
    async start() {
      broker = await start();
    },
    release: () => removed(directory),
  });
}

function publishInside(aedes: Aedes, topic: string, payload: string | Buffer): Promise<void> {
  return new Promise((resolve, reject) =>
    aedes.publish({ cmd: 'publish', topic, payload, qos: 0, retain: true, dup: false }, (error) =>
      error ? reject(error) : resolve(),
    ),
  );
}
