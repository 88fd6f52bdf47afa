/**
 * A rehearsal of a fleet: `make fleet`. 50 complete gateways in several processes, one mosquitto and one reading
 * client on this machine: births, values, commands to all, a restart of the broker, a rolling restart of the
 * gateways, and a partition of half of them. Prints a table, and writes it to build/fleet.md. Fails if a value is
 * neither received nor counted. GATEWAYS and PROCESSES replace the numbers.
 */
import { fork, type ChildProcess } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startMosquitto, type Broker } from '../../tools/devices/mosquitto.js';
import { until } from '../../tools/until.js';
import { Partition } from './partition.js';
import type { GatewayReport, HostReport, HostRequest } from './protocol.js';
import { FleetReader } from './reader.js';

const GATEWAYS = Number(process.env['GATEWAYS'] ?? 50);
const PROCESSES = Number(process.env['PROCESSES'] ?? 5);
const EACH = Math.ceil(GATEWAYS / PROCESSES);
/** Changes per second and gateway in the steady phases. */
const PACE = 4;
const STEADY_S = 10;
const BURST = 200;
/** The gateways wait at most a minute between two attempts. */
const RECOVERY_MS = 300_000;

/** A process with gateways. */
class Host {
  readonly #child: ChildProcess;
  readonly #waiting = new Map<number, (report: HostReport) => void>();
  #requests = 0;

  constructor(directory: string, first: number, port: number) {
    const count = Math.min(EACH, GATEWAYS - first);
    const args = [directory, first, count, port].map(String);
    this.#child = fork(join(import.meta.dirname, 'host.js'), args);
    this.#child.on('message', (report: HostReport) => this.#waiting.get(report.id)?.(report));
    this.#child.once('exit', (code) => {
      if (code !== 0) throw new Error(`a process with gateways ended with ${String(code)}`);
    });
  }

  async request(what: HostRequest['what'], value = 0): Promise<HostReport> {
    const id = ++this.#requests;
    const { promise, resolve } = Promise.withResolvers<HostReport>();
    this.#waiting.set(id, resolve);
    this.#child.send({ id, what, value } satisfies HostRequest);
    const report = await promise;
    this.#waiting.delete(id);
    return report;
  }

  end(): void {
    if (this.#child.exitCode === null)
      this.#child.send({ id: 0, what: 'end', value: 0 } satisfies HostRequest);
  }
}

const rows: [string, string][] = [];
const row = (name: string, value: string): void => {
  rows.push([name, value]);
  console.log(`${name.padEnd(60)} ${value}`);
};
const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;

const directory = mkdtempSync(join(tmpdir(), 'stellwerk-fleet-'));
const brokerDirectory = join(directory, 'broker');
mkdirSync(brokerDirectory);
const lines = ['persistence true', `persistence_location ${brokerDirectory}/`, 'max_queued_messages 0'];
let broker: Broker = await startMosquitto({ directory: brokerDirectory, lines });
const { port } = broker;
const partition = await Partition.open(port);
const reader = await FleetReader.open(port, GATEWAYS);
const firstBehind = Math.ceil(GATEWAYS / 2 / EACH) * EACH;
// The second half of the processes is behind the way that is cut.
const hosts = Array.from({ length: Math.ceil(GATEWAYS / EACH) }, (_, n) => {
  const isBehind = n * EACH >= firstBehind;
  return new Host(directory, n * EACH, isBehind ? partition.port : port);
});

const all = async (what: HostRequest['what'], value = 0): Promise<HostReport[]> =>
  Promise.all(hosts.map((host) => host.request(what, value)));
const reports = async (): Promise<GatewayReport[]> =>
  (await all('figures')).flatMap(({ gateways }) => gateways);

/** Waits until each value that the gateways have set so far is received or counted. Returns how long it took. */
async function received(): Promise<number> {
  const startMs = performance.now();
  await until(
    'all values',
    async () => (await reports()).every((report) => uncounted(report) <= 0),
    RECOVERY_MS,
  );
  return performance.now() - startMs;
}

function uncounted({ index, count, dropped }: GatewayReport): number {
  return count - (reader.gateways[index]?.counts.size ?? 0) - dropped;
}

/** The time that `act` takes, ms. */
async function timed(act: () => Promise<unknown>): Promise<number> {
  const startMs = performance.now();
  await act();
  return performance.now() - startMs;
}

async function rehearse(): Promise<void> {
  row('gateways, processes', `${GATEWAYS}, ${hosts.length}`);
  row(
    'start of all, until each is born',
    seconds(
      await timed(async () => {
        await all('start');
        await reader.until(({ births }) => births > 0);
      }),
    ),
  );
  const memory = await all('figures');
  const usedMiB = memory.reduce((sum, { residentMiB, emptyMiB }) => sum + residentMiB - emptyMiB, 0);
  row('memory of a process before its first gateway', `${(memory[0]?.emptyMiB ?? 0).toFixed(0)} MiB`);
  row('memory per further gateway in it', `${(usedMiB / GATEWAYS).toFixed(1)} MiB`);

  const before = reader.messages;
  const steadyMs = await timed(async () => {
    await all('pace', PACE);
    await sleep(STEADY_S * 1000);
    await all('pace', 0);
    await received();
  });
  row(
    `steady, ${PACE} values per second and gateway`,
    `${Math.round(((reader.messages - before) * 1000) / steadyMs)} messages/s`,
  );
  const burstMs = await timed(async () => {
    await all('burst', BURST);
    await received();
  });
  row(
    `burst of ${BURST} values at each gateway`,
    `${Math.round((GATEWAYS * BURST * 1000) / burstMs)} values/s, ${seconds(burstMs)}`,
  );

  const commandMs = await timed(async () => {
    for (let index = 0; index < GATEWAYS; index++) await reader.switch(index, true);
    await reader.until(({ relay }) => relay === true);
  });
  row('commands to all, until each relay has reported', seconds(commandMs));

  await all('pace', PACE);
  await broker.program.end();
  await until('gateways that noticed', async () =>
    (await reports()).every(({ isConnected }) => !isConnected),
  );
  broker = await startMosquitto({ directory: brokerDirectory, port, lines });
  const reconnectedMs = await timed(() =>
    until('connections', async () => (await reports()).every(({ isConnected }) => isConnected), RECOVERY_MS),
  );
  await all('pace', 0);
  row('restart of the broker, until all are connected', seconds(reconnectedMs));
  row('… until nothing waits', seconds(reconnectedMs + (await received())));

  await all('pace', PACE);
  const rollingMs = await timed(async () => {
    for (let n = 0; n < EACH; n++)
      await Promise.all(hosts.map((host, at) => host.request('restart', at * EACH + n)));
  });
  await all('pace', 0);
  row(
    'rolling restart, one per process at a time',
    `${seconds(rollingMs)}, ${seconds(rollingMs / EACH)} each`,
  );
  row('… until nothing waits', seconds(await received()));

  await all('pace', PACE);
  const births = reader.gateways.map((gateway) => gateway.births);
  partition.cut();
  await until('half of them', async () =>
    (await reports()).every(({ index, isConnected }) => isConnected === index < firstBehind),
  );
  partition.heal();
  const healedMs = await timed(() =>
    reader.until((gateway, index) => index < firstBehind || gateway.births > (births[index] ?? 0)),
  );
  await all('pace', 0);
  row('partition of half, until they are born again', seconds(healedMs));
  row('… until nothing waits', seconds(healedMs + (await received())));
}

try {
  await rehearse();
  const last = await reports();
  const sum = (of: (report: GatewayReport) => number): number =>
    last.reduce((total, report) => total + of(report), 0);
  const missing = sum((report) => Math.max(0, uncounted(report)));
  row(
    'values, dropped, uncounted',
    `${sum(({ count }) => count)}, ${sum(({ dropped }) => dropped)}, ${missing}`,
  );
  row('gaps in the sequence numbers of Sparkplug', String(reader.gaps));
  row('messages read', String(reader.messages));
  const table = rows.map(([name, value]) => `| ${name} | ${value} |`).join('\n');
  const [processor] = cpus();
  writeFileSync(
    join('build', 'fleet.md'),
    `${cpus().length} cores, ${processor?.model ?? ''}\n\n| | |\n| --- | --- |\n${table}\n`,
  );
  if (missing > 0 || reader.gaps > 0) process.exitCode = 1;
} finally {
  for (const host of hosts) host.end();
  await reader.close();
  partition.close();
  await broker.program.end();
  rmSync(directory, { recursive: true, force: true });
}
