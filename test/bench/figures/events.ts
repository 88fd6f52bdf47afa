import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { idleFigure } from './edges.js';
import { interleaved, ratioOf, type Effort, type Report } from '../statistics.js';
import { callAll, startGateway, type Server } from '../gateway.js';
import { Callers, shot, type Shot } from '../load.js';
import { RELEASED_MS, type Cores } from '../machine.js';

const EVENTS = 10_000;
/** Calls per request: the limit of a batch. */
const BATCH = 1000;
/** Variables that are set; the same number of others trigger events. */
const VARIABLES = 100;
const CONNECTIONS = 8;
const [TRIGGER, CYCLIC] = [0, 1];
const ON_VALUE = 4;
/** Duration of the idle measurement per round of effort, s. */
const IDLE_S = 0.6;

/** Waiting events: their cost for setting other variables, and for an idle gateway. */
export async function eventFigures(effort: Effort, cores: Cores, directory: string): Promise<Report> {
  await using full = await startGateway({ directory: join(directory, 'events'), core: cores.server });
  await using bare = await startGateway({ directory: join(directory, 'no-events'), core: cores.server });
  const [ours, theirs] = [await variables(full), await variables(bare)];
  await addEvents(full, ours.slice(VARIABLES));
  using callers = await Callers.open(full, CONNECTIONS);
  using bareCallers = await Callers.open(bare, CONNECTIONS);
  const run = (by: Callers, ids: readonly number[]) => () =>
    by.run([sets(ids.slice(0, VARIABLES))], effort.seconds);
  const rounds = await interleaved(Math.ceil(effort.rounds / 2), [
    run(callers, ours),
    run(bareCallers, theirs),
  ]);
  const wrong = rounds.flat().reduce((sum, round) => sum + round.wrong, 0);
  const shown = EVENTS.toLocaleString('en-US');
  const idle = `processor time while idle, with ${shown} waiting events`;
  await sleep(RELEASED_MS);
  return {
    figures: [
      ratioOf(`SetValue in batches with ${shown} waiting events, to without`, rounds, {
        is: 'at least',
        value: 0.9,
      }),
      await idleFigure(full, idle, IDLE_S * effort.rounds),
    ],
    wrong: wrong === 0 ? [] : [`${wrong} replies with waiting events were wrong`],
  };
}

async function variables({ port }: Server): Promise<number[]> {
  const made = Array.from({ length: 2 * VARIABLES }, () => ['SVC_CreateVariable', 1] as const);
  return (await callAll(port, made)).map(Number);
}

/**
 * Half of them wait for values that never occur, the other half for a time of the day after tomorrow at the
 * earliest.
 */
async function addEvents({ port }: Server, waitedFor: readonly number[]): Promise<void> {
  const inTwoDays = new Date(Date.now() + 2 * 86_400_000);
  const from = [inTwoDays.getDate(), inTwoDays.getMonth() + 1, inTwoDays.getFullYear()];
  for (const kind of [TRIGGER, CYCLIC])
    for (let made = 0; made < EVENTS / 2; made += BATCH) {
      const events = (
        await callAll(
          port,
          Array.from({ length: BATCH }, () => ['SVC_CreateEvent', kind] as const),
        )
      ).map(Number);
      const each = (of: (id: number, n: number) => readonly [string, ...unknown[]]) =>
        callAll(port, events.map(of));
      if (kind === TRIGGER)
        await each((id, n) => ['SVC_SetEventTrigger', id, ON_VALUE, waitedFor[n % waitedFor.length]]);
      else await each((id) => ['SVC_SetEventCyclicDateFrom', id, ...from]);
      await each((id) => ['SVC_SetEventScript', id, 'print(1)']);
      await each((id) => ['SVC_SetEventActive', id, true]);
    }
}

/** A request that sets all of them. */
function sets(ids: readonly number[]): Shot {
  const request = (id: number, n: number) => ({
    jsonrpc: '2.0',
    id: 1,
    method: 'SetValue',
    params: [id, n],
  });
  return shot(
    ids.map(request),
    ids.map(() => ({ jsonrpc: '2.0', id: 1, result: true })),
  );
}
