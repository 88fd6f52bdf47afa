import t from 'tap';
import { collectAfterGrowth } from '../../../src/sqlite/worker-server.js';

const MIB = 1024 * 1024;

/** A heap with `live` bytes in use, to which a test adds garbage. */
function fakeHeap() {
  const heap = { live: 6 * MIB, garbage: 0, ms: 0, collections: 0 };
  const collect = collectAfterGrowth({
    used: () => heap.live + heap.garbage,
    collect: async () => {
      heap.garbage = 0;
      heap.collections++;
    },
    nowMs: () => heap.ms,
  });
  /** One request, some time after the last one, leaves garbage. */
  const serve = (bytes: number, afterMs: number) => {
    heap.garbage += bytes;
    heap.ms += afterMs;
    return collect();
  };
  return { heap, serve };
}

t.test('a thread collects its garbage after it has grown by 2 MiB, however slowly', async (t) => {
  const { heap, serve } = fakeHeap();
  for (let hour = 0; hour < 3; hour++) await serve(MIB / 2, 3_600_000);
  t.equal(heap.collections, 0);
  await serve(MIB / 2, 3_600_000);
  t.equal(heap.collections, 1);
  t.equal(heap.garbage, 0);
});

t.test('a busy thread leaves collections to V8', async (t) => {
  const { heap, serve } = fakeHeap();
  for (let n = 0; n < 100; n++) await serve(4 * MIB, 50);
  t.equal(heap.collections, 0, 'within 5 s');
  await serve(4 * MIB, 5_000);
  t.equal(heap.collections, 1);
});

t.test('memory that is in use does not count as growth again', async (t) => {
  const { heap, serve } = fakeHeap();
  heap.live += 8 * MIB;
  await serve(0, 60_000);
  t.equal(heap.collections, 1);
  for (let n = 0; n < 10; n++) await serve(0, 60_000);
  t.equal(heap.collections, 1);
  heap.live -= 8 * MIB;
  await serve(0, 60_000);
  await serve(3 * MIB, 60_000);
  t.equal(heap.collections, 2, 'less is in use now');
});
