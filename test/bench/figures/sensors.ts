import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer, type Server as TcpServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { smlTelegram } from '../../../drivers/meter/simulation/sml-telegram.js';
import { until } from '../../tools/until.js';
import { callAll, startBaseline, startGateway, type Server } from '../gateway.js';
import { cpuMs, type Cores } from '../machine.js';
import { interleaved, median, type Effort, type Report } from '../statistics.js';

const SENSORS = 100;
const METERS = 10;
/** After the start, code is compiled and meters add their values: that happens once. */
const SETTLE_MS = 15_000;
/** A value that is older at the end was not read every second. */
const OLDEST_S = 5;
/** A tick of the processor time is 10 ms: in this time an error of one tick is 0.2 % of a core. */
const ROUND_MS = 5000;

/**
 * 100 sensors and 10 meters, each with one value per second, and the cost in percent of a core. The sensors
 * are files like those of hwmon, mounted over /sys/class of the gateway.
 */
export async function sensorFigures(effort: Effort, cores: Cores, directory: string): Promise<Report> {
  const root = join(directory, 'sensors');
  const chips = join(root, 'class', 'hwmon');
  for (let n = 0; n < SENSORS; n++) writeSensor(chips, n, 20);
  if (spawnSync('unshare', ['-m', 'true']).status !== 0)
    throw new Error('mounting the sensors requires root and unshare');
  await using meters = await startMeters();
  await using gateway = await startGateway({
    directory: root,
    core: cores.server,
    config: { board: 'generic', tree: [...sensorInstances(), ...meterInstances(meters.port)] },
    mountOver: { from: join(root, 'class'), to: '/sys/class' },
  });
  await using bare = await startBaseline(cores.server, 'sensors', chips, String(SENSORS));
  const ids = await variables(gateway);
  // Every value must follow: a sensor that is not read costs nothing.
  await follows(gateway, ids, chips);
  await sleep(SETTLE_MS);
  const side = async ({ pid }: Server) => {
    const before = cpuMs(pid);
    const startMs = performance.now();
    await sleep(ROUND_MS);
    return (100 * (cpuMs(pid) - before)) / (performance.now() - startMs);
  };
  const [ours, theirs] = (await interleaved(Math.ceil(effort.rounds / 3), [
    () => side(gateway),
    () => side(bare),
  ])) as [number[], number[]];
  const wrong = meters.sent() === 0 ? ['no meter was connected'] : [];
  const late = await lateSensors(gateway, ids);
  if (late > 0) wrong.push(`${late} sensors were not read every second`);
  return {
    figures: [
      {
        name: '100 sensors and 10 meters, each with a value per second',
        value: median(ours),
        unit: '% of a core',
        goal: { is: 'at most', value: 5 },
        ours: ours.map((percent) => `${percent.toFixed(1)} %`).join(', '),
        baseline: theirs.map((percent) => `${percent.toFixed(1)} %`).join(', '),
        note: 'the baseline reads the same 100 files and no meters',
      },
    ],
    wrong,
  };
}

function writeSensor(chips: string, n: number, celsius: number): void {
  const chip = join(chips, `hwmon${n}`);
  mkdirSync(chip, { recursive: true });
  writeFileSync(join(chip, 'name'), `chip${n}\n`);
  writeFileSync(join(chip, 'temp1_input'), `${celsius * 1000}\n`);
}

const sensorInstances = () =>
  Array.from({ length: SENSORS }, (_, n) => ({
    instance: `Sensor ${n}`,
    ident: `sensor${n}`,
    module: 'Sensor',
    properties: { Device: `chip${n}`, EveryS: 1, Channels: [{ Channel: 'temp1' }] },
  }));

const meterInstances = (port: number) =>
  Array.from({ length: METERS }, (_, n) => ({
    instance: `Port ${n}`,
    ident: `port${n}`,
    module: 'Client Socket',
    properties: { Host: '127.0.0.1', Port: port, Open: true },
    children: [{ instance: `Meter ${n}`, ident: `meter${n}`, module: 'SML Meter' }],
  }));

/** A server that sends each client a telegram per second, with a count that rises. */
async function startMeters(): Promise<AsyncDisposable & { readonly port: number; sent(): number }> {
  const clients = new Set<Socket>();
  const server: TcpServer = createServer((socket) => {
    clients.add(socket);
    socket.on('error', () => undefined).on('close', () => clients.delete(socket));
  });
  const { promise, resolve } = Promise.withResolvers<void>();
  server.listen(0, '127.0.0.1', resolve);
  await promise;
  let sent = 0;
  const timer = setInterval(() => {
    const telegram = smlTelegram([
      { obis: [1, 0, 1, 8, 0, 255], number: 1_000_000 + sent, scaler: -1, unit: 30 },
      { obis: [1, 0, 16, 7, 0, 255], number: 500 + (sent % 100), unit: 27 },
    ]);
    for (const client of clients) client.write(telegram);
    sent += clients.size;
  }, 1000);
  const { port } = server.address() as { port: number };
  return {
    port,
    sent: () => sent,
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      for (const client of clients) client.destroy();
      await new Promise((closed) => server.close(closed));
    },
  };
}

/** The temperatures of the sensors. */
async function variables({ port }: Server): Promise<number[]> {
  const names = Array.from({ length: SENSORS }, (_, n) => `sensor${n}`);
  const instances = await callAll(
    port,
    names.map((name) => ['SVC_GetObjectIDByIdent', name, 0] as const),
  );
  const ids = await callAll(
    port,
    instances.map((id) => ['SVC_GetObjectIDByIdent', 'TEMPERATURE_1', id] as const),
  );
  return ids.map(Number);
}

/** How many values were not updated in the last seconds. */
async function lateSensors({ port }: Server, ids: readonly number[]): Promise<number> {
  const records = (await callAll(
    port,
    ids.map((id) => ['SVC_GetVariable', id] as const),
  )) as { VariableUpdated: number }[];
  const nowS = Date.now() / 1000;
  return records.filter(({ VariableUpdated }) => nowS - VariableUpdated > OLDEST_S).length;
}

async function follows({ port }: Server, ids: readonly number[], chips: string): Promise<void> {
  for (let n = 0; n < SENSORS; n++) writeSensor(chips, n, 30);
  await until('every sensor to be read', async () => {
    const values = await callAll(
      port,
      ids.map((id) => ['GetValue', id] as const),
    );
    return values.every((value) => value === 30);
  });
}
