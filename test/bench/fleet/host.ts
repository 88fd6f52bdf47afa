/**
 * Several complete gateways in one process, for the fleet rehearsal: `node host.js DIRECTORY FIRST COUNT PORT`. Each
 * has a relay, some variables and a bridge to the broker at PORT: even ones an MQTT Bridge, odd ones a Sparkplug Edge
 * Node. Commands come from the parent process.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Gateway } from '../../../src/composition/gateway.js';
import { objectType, type TreeObject } from '../../../src/kernel/object.js';
import type { Variable } from '../../../src/kernel/variables.js';
import { ServiceLog } from '../../../src/service/log.js';
import { nameOf, type HostReport, type HostRequest } from './protocol.js';

const [directory = '', first = '0', count = '0', port = '0'] = process.argv.slice(2);
const SENSORS = 20;

function configuration(index: number): object {
  const name = nameOf(index);
  const forwarding = {
    Url: `mqtt://127.0.0.1:${port}`,
    Paths: [{ Path: 'hall', Priority: 'normal' }],
    Commands: true,
    ResendRate: 500,
  };
  const bridge =
    index % 2 === 0
      ? { module: 'MQTT Bridge', properties: { ...forwarding, Topic: `fleet/${name}` } }
      : { module: 'Sparkplug Edge Node', properties: { ...forwarding, GroupID: 'fleet', EdgeNodeID: name } };
  const sensors = Array.from({ length: SENSORS }, (_, n) => ({
    variable: `Sensor ${n}`,
    ident: `S${n}`,
    type: 'float',
    value: n,
  }));
  const relay = {
    instance: 'Relay',
    ident: 'relay',
    module: 'GPIO Output',
    properties: { Line: 'RELAY1', Boot: 'inactive' },
  };
  const counter = { variable: 'Count', ident: 'COUNT', type: 'integer', value: 0 };
  const hall = { category: 'Hall', ident: 'hall', children: [counter, ...sensors, relay] };
  return {
    board: 'simulated',
    remoteAccess: { username: 'fleet@stellwerk.example', password: 'measure twice' },
    api: { host: '127.0.0.1', port: 0 },
    tree: [hall, { instance: 'Bridge', ident: 'bridge', ...bridge }],
  };
}

/** One gateway, which can be stopped and started again. */
class FleetGateway {
  readonly index: number;
  readonly #directory: string;
  #gateway: Gateway | undefined;
  /** The last value of its counter, over restarts. */
  count = 0;

  constructor(index: number) {
    this.index = index;
    this.#directory = join(directory, nameOf(index));
    mkdirSync(this.#directory, { recursive: true });
    writeFileSync(join(this.#directory, 'gateway.yaml'), JSON.stringify(configuration(index)), {
      mode: 0o600,
    });
  }

  async start(): Promise<void> {
    this.#gateway = await Gateway.start({
      configFile: join(this.#directory, 'gateway.yaml'),
      directory: join(this.#directory, 'data'),
      log: new ServiceLog({ write: () => undefined, form: 'json' }),
    });
  }

  async stop(): Promise<void> {
    const gateway = this.#gateway;
    // What changes from now on is not forwarded.
    this.#gateway = undefined;
    await gateway?.close();
  }

  #variable(...path: string[]): Variable | undefined {
    const kernel = this.#gateway?.kernel;
    let at: TreeObject | undefined = kernel?.tree.root;
    for (const ident of path) at = at?.children?.byIdent(ident);
    return at?.is(objectType.variable) === true ? at : undefined;
  }

  #value(ident: string): unknown {
    return this.#variable('bridge', ident)?.data.value;
  }

  /** The next number of the counter, while the bridge is open. */
  change(): void {
    const variable = this.#variable('hall', 'COUNT');
    if (variable === undefined || this.#value('LINK') !== 'online') return;
    this.count += 1;
    this.#gateway?.kernel.variables.update(variable, this.count, Date.now());
  }

  /** Whether its bridge is connected, and what it counts. */
  figures() {
    return {
      index: this.index,
      count: this.count,
      isConnected: this.#value('CONNECTED') === true,
      dropped: Number(this.#value('DROPPED') ?? 0),
    };
  }
}

const gateways = Array.from({ length: Number(count) }, (_, n) => new FleetGateway(Number(first) + n));
const emptyMiB = process.memoryUsage.rss() / 2 ** 20;
let pace: NodeJS.Timeout | undefined;

async function perform({ what, value }: HostRequest): Promise<void> {
  switch (what) {
    case 'start':
      for (const gateway of gateways) await gateway.start();
      return;
    case 'restart': {
      const gateway = gateways.find(({ index }) => index === value);
      await gateway?.stop();
      return gateway?.start();
    }
    case 'burst':
      for (let n = 0; n < value; n++) {
        for (const gateway of gateways) gateway.change();
        await new Promise((resolve) => setImmediate(resolve));
      }
      return;
    case 'pace':
      clearInterval(pace);
      if (value > 0) pace = setInterval(() => gateways.forEach((gateway) => gateway.change()), 1000 / value);
      return;
    case 'figures':
      return;
    case 'end':
      clearInterval(pace);
      for (const gateway of gateways) await gateway.stop();
      process.disconnect();
  }
}

// The rehearsal was ended.
process.on('disconnect', () => process.exit());
process.on('message', (request: HostRequest) => {
  perform(request).then(
    () => {
      const report: HostReport = {
        id: request.id,
        gateways: gateways.map((gateway) => gateway.figures()),
        emptyMiB,
        residentMiB: process.memoryUsage.rss() / 2 ** 20,
      };
      if (process.connected) process.send?.(report);
    },
    (thrown: unknown) => {
      console.error(thrown);
      process.exit(1);
    },
  );
});
