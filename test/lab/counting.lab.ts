/**
 * Counters on the kernel's simulated chip: 10,000 edges per second for a minute on one processor, each
 * counted or LOST, and edges that coalesce on two processors. The emulated machine is slower than that: it makes
 * what it can in twice the time, and their number is printed.
 */
import t from 'tap';
import { until } from '../tools/until.js';
import { Box, PATIENCE_MS } from './machine/box.js';
import { FIRST_SENSE, interrupts, makeEdges } from './machine/sim-line.js';

const PER_S = 10_000;
const MINUTE_S = 60;
/** A fifth of what the emulated machine makes in twice that time, with another one on the same processors. */
const LEAST = 20_000;
/**
 * Edges per second that the emulated machine handles, with their source and the gateway on one processor: the
 * first on two idle processors, the last ones if other programs use them.
 */
const CALM_PER_S = [1_500, 500, 150];
const CALM_S = 30;
/** Edges of a burst; with two processors most of them coalesce. */
const BURST = 1_000;
/** Ten times slower than expected, with half of the processor. */
const LIMIT_MS = 600_000;

const counter = (n: number, more: string) =>
  `- { instance: Counter, ident: c${n}, module: Counter, properties: { Line: SENSE${n + 1}, Edges: both${more} } }`;
const tree = [counter(0, ''), counter(1, ''), counter(2, ', CountMerged: true')];
await using box = await Box.taken(t, tree.join('\n'));
const { agent } = box.machine;
for (const n of tree.keys()) await box.becomes(`c${n}/LINK`, 'online');

const value = async (n: number, ident: string) => Number(await box.value(`c${n}/${ident}`));
/** Waits until this number of edges is counted or LOST. */
const messages = (n: number, edges: number, idents: readonly string[]) =>
  until(
    `${edges} edges of c${n}`,
    async () => {
      const all = await Promise.all(idents.map((ident) => value(n, ident)));
      return all.reduce((sum, one) => sum + one, 0) >= edges;
    },
    PATIENCE_MS,
  );

await t.test(
  'one processor: at a rate that the machine handles, all edges are counted and none is LOST',
  async (t) => {
    await agent.run('echo 0 >/sys/devices/system/cpu/cpu1/online');
    let [sent, lost] = [0, NaN];
    for (const perS of CALM_PER_S) {
      const edges = CALM_S * perS;
      const before = await value(0, 'LOST');
      const said = await agent.run(makeEdges(FIRST_SENSE, edges, { perS }), LIMIT_MS);
      sent += edges;
      await messages(0, sent, ['COUNT', 'LOST']);
      lost = (await value(0, 'LOST')) - before;
      t.equal((await value(0, 'COUNT')) + before + lost, sent, 'each is counted or LOST');
      t.comment(`${edges} edges, due ${perS} per second: ${said}, ${lost} LOST`);
      if (lost === 0) break;
    }
    t.equal(lost, 0, 'none is LOST');
  },
);

await t.test(
  'one processor: of edges due 10,000 per second for a minute, each is counted or LOST',
  async (t) => {
    const flood = makeEdges(FIRST_SENSE + 1, MINUTE_S * PER_S, { perS: PER_S, withinS: 2 * MINUTE_S });
    const said = await agent.run(flood, LIMIT_MS);
    const made = Number.parseInt(said, 10);
    t.ok(made > LEAST, said);
    await messages(1, made, ['COUNT', 'LOST']);
    const [count, lost] = [await value(1, 'COUNT'), await value(1, 'LOST')];
    t.equal(count + lost, made, `${count} counted and ${lost} lost`);
    t.equal(await interrupts(agent, FIRST_SENSE + 1), made, 'as many as interrupts of the kernel');
    t.comment(`due ${PER_S} per second: ${said}; ${lost} LOST`);
  },
);

await t.test('two processors: edges that the kernel coalesces are MERGED', async (t) => {
  await agent.run('echo 1 >/sys/devices/system/cpu/cpu1/online');
  const merged = await box.id('c2/MERGED');
  const isKnown = async () => {
    const { VariableUpdated } = (await box.call('SVC_GetVariable', merged)) as { VariableUpdated: number };
    return VariableUpdated > 0;
  };
  await until('MERGED to be known', isKnown, PATIENCE_MS);
  await agent.run(makeEdges(FIRST_SENSE + 2, BURST));
  await messages(2, BURST, ['COUNT', 'LOST', 'MERGED']);
  const all = await Promise.all(['COUNT', 'LOST', 'MERGED'].map((ident) => value(2, ident)));
  t.equal(
    all.reduce((sum, one) => sum + one, 0),
    BURST,
    `${all.join(' + ')}`,
  );
  t.notMatch(await box.value('c2/STATUS'), /MERGED/);
});
