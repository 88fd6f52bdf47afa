import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { PACKAGE_ROOT } from '../../../src/base/package-root.js';
import { reservePort } from '../../tools/reserve-port.js';
import { call, startGateway, type Server } from '../gateway.js';
import { Callers, shot } from '../load.js';
import { cpuMs, type Cores } from '../machine.js';
import { costOf, interleaved, type Effort, type Report, type Round } from '../statistics.js';
import { type Entrance, Watchers } from '../watchers.js';

const CLIENTS = 50;
const MAX_COST = 1.3;
/** Programs that each set one value at a time. */
const CALLERS = 4;
/** Different values, in turn. */
const VALUES = 20;

/** The sample configuration of `make run`; its passwords and address are those of the benchmark. */
const SAMPLE = join(PACKAGE_ROOT, 'docs/start/sample/gateway.yaml');

/** What 50 open fronts cost the gateway, compared with 50 clients that receive the complete tree. */
export async function frontFigures(effort: Effort, cores: Cores, directory: string): Promise<Report> {
  const { tree, configurators } = parse(readFileSync(SAMPLE, 'utf8')) as Record<string, unknown>;
  const web = await reservePort();
  const webServers = [{ name: 'web', host: '127.0.0.1', port: web, serve: 'front' }];
  await using gateway = await startGateway({
    directory: join(directory, 'fronts'),
    config: { tree, configurators, webServers },
    core: cores.server,
  });
  const idOf = async (ident: string, parent: number) =>
    Number(await call(gateway.port, 'SVC_GetObjectIDByIdent', ident, parent));
  const setpoint = await idOf('setpoint', await idOf('ground_floor', 0));
  const front: Entrance = {
    path: `/wfc/${await idOf('wf', 0)}/api/?alive=1`,
    authorization: `Basic ${Buffer.from('webfront:tulip').toString('base64')}`,
  };
  const load = { gateway, setpoint, seconds: effort.seconds };
  const rounds = await interleaved(effort.rounds, [
    async () => {
      using watchers = await Watchers.open({ port: web }, CLIENTS, front);
      return await costOfChanges(load, watchers);
    },
    async () => {
      using watchers = await Watchers.open(gateway, CLIENTS);
      return await costOfChanges(load, watchers);
    },
  ]);
  const name = `a change to ${CLIENTS} open fronts, to ${CLIENTS} bare clients`;
  return { figures: [costOf(name, rounds, MAX_COST)], wrong: [] };
}

interface Load {
  readonly gateway: Server;
  readonly setpoint: number;
  readonly seconds: number;
}

async function costOfChanges({ gateway, setpoint, seconds }: Load, watchers: Watchers): Promise<Round> {
  using callers = await Callers.open(gateway, CALLERS);
  const shots = Array.from({ length: VALUES }, (_, at) =>
    shot(
      { jsonrpc: '2.0', id: 1, method: 'SetValue', params: [setpoint, 15 + at / 2] },
      { jsonrpc: '2.0', id: 1, result: true },
    ),
  );
  const before = watchers.fewest;
  const cpuBefore = cpuMs(gateway.pid);
  const startMs = performance.now();
  const { latenciesMs } = await callers.run(shots, seconds);
  const { length: sent } = latenciesMs;
  await watchers.have(before + sent);
  const tookMs = performance.now() - startMs;
  return { cpuUs: ((cpuMs(gateway.pid) - cpuBefore) * 1000) / sent, perSecond: (sent * 1000) / tookMs };
}
