import t from 'tap';
import { Heap, type HeapItem } from '../../../src/base/heap.js';
import { Random, fuzzSeed, seedLabel } from '../../tools/random.js';

const seed = fuzzSeed();
t.test(`the first item has the lowest key, whatever is moved or removed (${seedLabel(seed)})`, async (t) => {
  const random = new Random(seed);
  const heap = new Heap<HeapItem>();
  const items = Array.from({ length: 50 }, () => ({ key: 0, heapIndex: -1 }));
  const model = new Map<HeapItem, number>();
  const wrong: string[] = [];
  for (let step = 0; step < 5000; step++) {
    const item = random.pick(items);
    if (random.below(3) === 0) {
      heap.remove(item);
      model.delete(item);
    } else {
      const key = random.below(40);
      heap.set(item, key);
      model.set(item, key);
    }
    const lowest = model.size === 0 ? undefined : Math.min(...model.values());
    if (heap.first?.key !== lowest) wrong.push(`step ${step}: ${heap.first?.key} instead of ${lowest}`);
    if (heap.size !== model.size) wrong.push(`step ${step}: ${heap.size} items instead of ${model.size}`);
  }
  t.strictSame(wrong.slice(0, 5), []);
});

t.test('taking the first item repeatedly sorts', async (t) => {
  const heap = new Heap<HeapItem>();
  const keys = [5, 3, 9, 3, 1, 7];
  for (const key of keys) heap.set({ key, heapIndex: -1 }, key);
  const sorted: number[] = [];
  for (let { first } = heap; first !== undefined; { first } = heap) {
    sorted.push(first.key);
    heap.remove(first);
  }
  t.strictSame(
    sorted,
    keys.toSorted((a, b) => a - b),
  );
});
