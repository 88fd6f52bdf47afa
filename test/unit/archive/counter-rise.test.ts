import t from 'tap';
import { riseOf } from '../../../src/archive/summary.js';
import { fuzzSeed, Random, seedLabel } from '../../tools/random.js';

const seed = fuzzSeed();

t.test(`a register of 16 or 32 bits wraps (${seedLabel(seed)})`, async (t) => {
  const random = new Random(seed);
  for (const bits of [16, 32])
    for (const isSigned of [false, true])
      for (let n = 0; n < 500; n++) {
        const size = 2 ** bits;
        const rise = 1 + random.below(size / 16);
        const end = isSigned ? size / 2 : size;
        // So that the register wraps.
        const before = end - 1 - random.below(rise);
        t.equal(riseOf(before, before + rise - size), rise, `${bits} bits, ${before} and ${rise} more`);
      }
});

t.test('the increase of a restarted meter is its value', async (t) => {
  t.equal(riseOf(60_000, 12), 12, 'far from the end of its register');
  t.equal(riseOf(65_500, 8_000), 8_000, 'too far beyond it');
  t.equal(riseOf(70_000, 4), 4, 'longer than the shorter register');
  t.equal(riseOf(65_530.5, 4), 4, 'not an integer');
  t.equal(riseOf(4, 4), 0, 'unchanged');
  t.equal(riseOf(4, -2), 0, 'negative');
});

t.test('a counter that falls only a little was not reset', async (t) => {
  t.equal(riseOf(12_345.3, 12_345.1), 0, 'after a power cut');
  t.equal(riseOf(1000, 901), 0);
  t.equal(riseOf(1000, 900), 900);
});
