import { mkdirSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { hasProgram } from '../../tools/program.js';
import { openPtyPair } from '../../tools/devices/pty.js';
import { withinPatience, until } from '../../tools/until.js';
import {
  interleaved,
  quietCpuUs,
  type Effort,
  type Report,
  type Round,
  formatRounds,
} from '../statistics.js';
import { call, startGateway, startBaseline, type Server } from '../gateway.js';
import { cpuMs, roundEnd, type Cores } from '../machine.js';

/** A line; every second reading has another value, like a busy meter's. */
const line = (at: number) => `T=${20 + (at % 10) / 10}\n`;
const LINES_PER_WRITE = 500;
/** The last line of a round; no reading has this value. */
const LAST = -40;

/** Lines over a pseudo-terminal become values of a variable. */
export async function serialFigures(effort: Effort, cores: Cores, directory: string): Promise<Report> {
  if (!hasProgram('socat')) throw new Error('socat is not installed');
  const places = ['one', 'other'].map((name) => join(directory, 'serial', name));
  for (const place of places) mkdirSync(place, { recursive: true });
  await using mine = await openPtyPair(places[0] as string);
  await using yours = await openPtyPair(places[1] as string);
  const device = {
    instance: 'D',
    ident: 'd',
    module: 'Serial Device',
    properties: { Rules: [{ Pattern: '^T=(-?[0-9.]+)$', Ident: 'T', Type: 'float' }] },
  };
  const port = {
    instance: 'P',
    ident: 'p',
    module: 'Serial Port',
    properties: { Port: mine.near, BaudRate: '115200' },
    children: [device],
  };
  await using gateway = await startGateway({
    directory: join(directory, 'serial'),
    core: cores.server,
    config: { tree: [port] },
  });
  await using bare = await startBaseline(cores.server, 'serial', yours.near);
  const portId = await call(gateway.port, 'SVC_GetObjectIDByIdent', 'p', 0);
  const deviceId = await call(gateway.port, 'SVC_GetObjectIDByIdent', 'd', portId);
  const id = Number(await call(gateway.port, 'SVC_GetObjectIDByIdent', 'T', deviceId));
  const link = await call(gateway.port, 'SVC_GetObjectIDByIdent', 'LINK', deviceId);
  await until('the port', async () => (await call(gateway.port, 'GetValue', link)) === 'online');

  const sides: Side[] = [
    {
      server: gateway,
      far: mine.far,
      id,
      count: async () => {
        const [now] = (await call(gateway.port, 'SVC_GetSnapshotChanges', 0)) as { TimeStamp: number }[];
        return now?.TimeStamp ?? NaN;
      },
    },
    { server: bare, far: yours.far, id: 1, count: async () => Number(await call(bare.port, 'GetValue', 2)) },
  ];
  const wrong: string[] = [];
  const [ours, theirs] = (await interleaved(effort.rounds, [
    () => side(effort, sides[0] as Side, wrong),
    () => side(effort, sides[1] as Side, wrong),
  ])) as [Round[], Round[]];
  const perSecond = 1e6 / quietCpuUs(ours);
  const ratio = quietCpuUs(theirs) / quietCpuUs(ours);
  return {
    figures: [
      {
        name: 'serial lines to a variable, per second of processor time',
        value: perSecond,
        unit: '/s',
        goal: { is: 'at least', value: 100_000 },
        ours: formatRounds(ours),
        baseline: formatRounds(theirs),
        note: `${ratio.toFixed(2)} × a bare serialport reader`,
      },
    ],
    wrong,
  };
}

interface Side {
  readonly server: Server;
  readonly far: string;
  /** The variable, and the number of its changes. */
  readonly id: number;
  readonly count: () => Promise<number>;
}

async function side({ seconds }: Effort, { server, far, id, count }: Side, wrong: string[]): Promise<Round> {
  const file = await open(far, 'w');
  const block = Buffer.from(Array.from({ length: LINES_PER_WRITE }, (_, at) => line(at)).join(''));
  const before = await count();
  const cpuBefore = cpuMs(server.pid);
  const startMs = performance.now();
  const isOver = roundEnd(server.pid, seconds);
  let sent = 0;
  for (; !isOver(); sent += LINES_PER_WRITE) {
    // The terminal buffers a limited amount: it is written as fast as it is read.
    await withinPatience('the port to accept lines', file.writeFile(block), 20_000);
  }
  await file.writeFile(`T=${LAST}\n`);
  sent += 1;
  await until('the last line', async () => (await call(server.port, 'GetValue', id)) === LAST);
  const tookMs = performance.now() - startMs;
  const cpuUs = ((cpuMs(server.pid) - cpuBefore) * 1000) / sent;
  await file.close();
  const missing = before + sent - (await count());
  if (missing > 0) wrong.push(`${missing} of ${sent} serial lines were lost`);
  return { cpuUs, perSecond: (sent * 1000) / tookMs };
}
