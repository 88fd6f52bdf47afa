import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { hasProgram } from '../../tools/program.js';
import { startMosquitto } from '../../tools/devices/mosquitto.js';
import { until } from '../../tools/until.js';
import {
  interleaved,
  lagFigure,
  median,
  ratioOf,
  type Effort,
  type Figure,
  type Report,
  type Round,
} from '../statistics.js';
import { call, startGateway, startBaseline, type Server } from '../gateway.js';
import { cpuMs, roundEnd, type Cores } from '../machine.js';
import { message, Publisher } from '../publisher.js';
import { Watchers } from '../watchers.js';

const TOPICS = 10;
/** Limit of messages in flight. */
const AHEAD = 500;

/** A message from a broker becomes a variable, and a frame at a WebSocket client. */
export async function mqttFigures(effort: Effort, cores: Cores, directory: string): Promise<Report> {
  if (!hasProgram('mosquitto')) throw new Error('mosquitto is not installed');
  mkdirSync(join(directory, 'mqtt'));
  // A client that is a round behind still receives everything.
  const lines = ['max_queued_messages 0', 'max_queued_bytes 0', 'set_tcp_nodelay true'];
  await using broker = await startMosquitto({ directory: join(directory, 'mqtt'), lines });
  const topics = Array.from({ length: TOPICS }, (_, at) => ({
    Ident: `V${at}`,
    Type: 'integer',
    StateTopic: `gateway/${at}`,
    QoS: 0,
  }));
  const device = { instance: 'D', ident: 'd', module: 'MQTT Device', properties: { Topics: topics } };
  const client = {
    instance: 'C',
    ident: 'c',
    module: 'MQTT Client',
    properties: { Url: `mqtt://127.0.0.1:${broker.port}` },
    children: [device],
  };
  await using gateway = await startGateway({
    directory: join(directory, 'mqtt'),
    core: cores.server,
    config: { tree: [client] },
  });
  await using bridge = await startBaseline(cores.server, 'bridge', String(broker.port));
  using publisher = await Publisher.open(broker.port);
  await until('the subscription', async () => {
    publisher.send(message('gateway/0', '1'));
    const all = (await call(gateway.port, 'SVC_GetSnapshotChanges', 1).catch(() => [])) as {
      Data: unknown[];
    }[];
    return all.some(({ Data }) => Data[0] === 1 && Data[1] === true);
  });
  const wrong: string[] = [];
  const sides = [gateway, bridge] as const;
  const paused = { publisher, wrong };
  const throughput = await throughputOf(effort, sides, paused);
  return {
    figures: [
      ratioOf('MQTT messages to frames, to a bare bridge', throughput, { is: 'at least', value: 0.8 }),
      await lagOf(effort, sides, paused),
    ],
    wrong,
  };
}

interface Flow {
  readonly publisher: Publisher;
  readonly wrong: string[];
}

/** Each side has its own topics, so that it is idle while the other is measured. */
async function throughputOf(
  { rounds, seconds }: Effort,
  sides: readonly [Server, Server],
  { publisher, wrong }: Flow,
): Promise<[Round[], Round[]]> {
  const side = async (server: Server, name: string) => {
    const burst = Buffer.concat(
      Array.from({ length: AHEAD }, (_, at) => message(`${name}/${at % TOPICS}`, String(at))),
    );
    using watchers = await Watchers.open(server, 1);
    const cpuBefore = cpuMs(server.pid);
    const startMs = performance.now();
    const isOver = roundEnd(server.pid, seconds);
    let sent = 0;
    while (!isOver()) {
      publisher.send(burst);
      sent += AHEAD;
      await watchers.have(sent);
    }
    const tookMs = performance.now() - startMs;
    if (watchers.gaps > 0) wrong.push(`${watchers.gaps} gaps in the frames of MQTT messages`);
    return { cpuUs: ((cpuMs(server.pid) - cpuBefore) * 1000) / sent, perSecond: (sent * 1000) / tookMs };
  };
  return interleaved(rounds, [() => side(sides[0], 'gateway'), () => side(sides[1], 'bridge')]);
}

/** From sending a message to the broker until its frame has arrived. */
async function lagOf(
  { rounds, seconds }: Effort,
  sides: readonly [Server, Server],
  { publisher }: Flow,
): Promise<Figure> {
  const side = async (server: Server, name: string) => {
    using watchers = await Watchers.open(server, 1);
    const lags: number[] = [];
    for (const endMs = performance.now() + seconds * 1000; performance.now() < endMs;) {
      const startMs = performance.now();
      const came = watchers.have(watchers.fewest + 1);
      publisher.send(message(`${name}/1`, String(lags.length)));
      await came;
      lags.push(performance.now() - startMs);
    }
    return median(lags);
  };
  const lags = await interleaved(rounds, [() => side(sides[0], 'gateway'), () => side(sides[1], 'bridge')]);
  return lagFigure('MQTT message to frame: p50, to a bare bridge', lags, { is: 'at most', value: 1.2 });
}
