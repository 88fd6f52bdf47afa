import t from 'tap';
import { diffLines } from '../../../src/front/console/system/diff-lines.js';
import { fuzzSeed, Random, seedLabel } from '../../tools/random.js';

t.test('the lines that only one text has are listed with their numbers', async (t) => {
  t.strictSame(diffLines('a\nb\nc', 'a\nb\nc'), []);
  t.strictSame(diffLines('a\nb\nc\n', 'a\nB\nc\nd\n'), [
    { kind: 'removed', line: 2, text: 'b' },
    { kind: 'added', line: 2, text: 'B' },
    { kind: 'added', line: 4, text: 'd' },
  ]);
  t.strictSame(diffLines('', 'a'), [
    { kind: 'removed', line: 1, text: '' },
    { kind: 'added', line: 1, text: 'a' },
  ]);
});

const seed = fuzzSeed();
t.test(`the differences lead from one text to the other (${seedLabel(seed)})`, async (t) => {
  const random = new Random(seed);
  const text = () => Array.from({ length: 1 + random.below(12) }, () => random.pick(['a', 'b', 'c', '']));
  for (let round = 0; round < 300; round++) {
    const [before, after] = [text(), text()];
    const lines = diffLines(before.join('\n'), after.join('\n'));
    const of = (kind: string) => new Set(lines.flatMap((one) => (one.kind === kind ? [one.line] : [])));
    const without = (all: readonly string[], gone: ReadonlySet<number>) =>
      all.filter((_, at) => !gone.has(at + 1));
    t.strictSame(
      without(before, of('removed')),
      without(after, of('added')),
      JSON.stringify([before, after]),
    );
  }
});

t.test('a large change is a replacement, and does not fill the memory', async (t) => {
  const lines = (name: string) => Array.from({ length: 3000 }, (_, at) => `${name} ${at}`).join('\n');
  t.equal(diffLines(lines('a'), lines('b')).length, 6000);
});
