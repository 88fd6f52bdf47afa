import t from 'tap';
import { EdgeCoalescer } from '../../../drivers/gpio/backends/edge-coalescer.js';
import { EDGES_PER_TURN } from '../../../drivers/gpio/backends/line.js';

/**
 * Reads `batch` edges at a time, spaced equally; returns after how many edges reading paused, and the last
 * pause.
 */
function read(everyUs: number, batch: number, edges: number) {
  const coalescer = new EdgeCoalescer();
  let [busyFrom, lingerMs]: [number | undefined, number] = [undefined, 0];
  for (let from = 0; from < edges; from += batch) {
    const some = Array.from({ length: batch }, (_, n) => ({
      active: (from + n) % 2 === 0,
      atNs: 1_000_000_000n + BigInt(Math.round((from + n) * everyUs * 1000)),
      lineSeqno: from + n + 1,
    }));
    lingerMs = coalescer.noteBatch(some);
    if (lingerMs > 0) busyFrom ??= from + batch;
  }
  return { busyFrom, lingerMs };
}

t.test('a line is busy when many edges come fast, whatever the batch size', async (t) => {
  for (const batch of [1, 2, 10, 50]) {
    const { busyFrom, lingerMs } = read(100, batch, 1000);
    t.ok(busyFrom !== undefined && busyFrom >= 64 && busyFrom <= 64 + 2 * batch, `${batch} at a time`);
    t.equal(lingerMs, 3, 'time for 30 edges');
  }
  t.equal(read(400, 10, 1000).lingerMs, 5, 'limited to 5 ms');
  t.equal(read(100, 10, 60).busyFrom, undefined, 'a bouncing contact is not busy');
  t.equal(read(600, 1, 1000).busyFrom, undefined, 'a slow line is not busy');
  t.equal(read(600, 5, 1000).busyFrom, undefined);
  t.equal(read(100, EDGES_PER_TURN, 6400).busyFrom, undefined, 'no pause while more edges are waiting');
  t.equal(read(4, 10, 1000).busyFrom, undefined, 'no pause that would overflow the buffer');
});

t.test('the line is no longer busy after the first pause', async (t) => {
  const coalescer = new EdgeCoalescer();
  const edge = (atMs: number) => [{ active: true, atNs: BigInt(atMs * 1e6), lineSeqno: 1 }];
  let lingerMs = 0;
  for (let n = 0; n < 100; n++) lingerMs = coalescer.noteBatch(edge(1000 + n / 4));
  t.ok(lingerMs > 0);
  t.equal(coalescer.noteBatch(edge(1100)), 0);
  t.equal(coalescer.noteBatch(edge(1100.25)), 0);
});
