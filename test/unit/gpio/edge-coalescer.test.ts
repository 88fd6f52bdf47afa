import t from 'tap';
import { EdgeCoalescer } from '../../../drivers/gpio/backends/edge-coalescer.js';
import { EDGES_PER_TURN } from '../../../drivers/gpio/backends/line.js';

/** Reads edges so far apart, so many at a time; gives after how many edges it was left alone, and for how long at last. */
function read(everyUs: number, batch: number, edges: number) {
  const bustle = new EdgeCoalescer();
  let [busyFrom, lingerMs]: [number | undefined, number] = [undefined, 0];
  for (let from = 0; from < edges; from += batch) {
    const some = Array.from({ length: batch }, (_, n) => ({
      active: (from + n) % 2 === 0,
      atNs: 1_000_000_000n + BigInt(Math.round((from + n) * everyUs * 1000)),
      lineSeqno: from + n + 1,
    }));
    lingerMs = bustle.noteBatch(some);
    if (lingerMs > 0) busyFrom ??= from + batch;
  }
  return { busyFrom, lingerMs };
}

t.test('a line is busy when many edges come fast, however they are read', async (t) => {
  for (const batch of [1, 2, 10, 50]) {
    const { busyFrom, lingerMs } = read(100, batch, 1000);
    t.ok(busyFrom !== undefined && busyFrom >= 64 && busyFrom <= 64 + 2 * batch, `${batch} at a time`);
    t.equal(lingerMs, 3, '30 edges gather');
  }
  t.equal(read(400, 10, 1000).lingerMs, 5, 'no longer than that');
  t.equal(read(100, 10, 60).busyFrom, undefined, 'a contact that bounces is not');
  t.equal(read(600, 1, 1000).busyFrom, undefined, 'nor is a slow line');
  t.equal(read(600, 5, 1000).busyFrom, undefined);
  t.equal(read(100, EDGES_PER_TURN, 6400).busyFrom, undefined, 'nothing is left alone while more waits');
  t.equal(read(4, 10, 1000).busyFrom, undefined, 'nor one that would overflow meanwhile');
});

t.test('it is over with the first pause', async (t) => {
  const bustle = new EdgeCoalescer();
  const edge = (atMs: number) => [{ active: true, atNs: BigInt(atMs * 1e6), lineSeqno: 1 }];
  let lingerMs = 0;
  for (let n = 0; n < 100; n++) lingerMs = bustle.noteBatch(edge(1000 + n / 4));
  t.ok(lingerMs > 0);
  t.equal(bustle.noteBatch(edge(1100)), 0);
  t.equal(bustle.noteBatch(edge(1100.25)), 0);
});
