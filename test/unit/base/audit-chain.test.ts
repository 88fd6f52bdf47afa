import t from 'tap';
import { chained, digestOf, followChains } from '../../../src/base/audit-chain.js';

/** A chain of records of one role. */
function chain(role: string, count: number): string[] {
  const lines: string[] = [];
  for (let n = 1; n <= count; n++) lines.push(chained(JSON.stringify({ role, at: n }), lines.at(-1)));
  return lines;
}

t.test('a line has its number and the digest of the line before', async (t) => {
  const [first = '', second = ''] = chain('owner', 2);
  t.equal(first, '{"seq":1,"prev":"","role":"owner","at":1}');
  t.strictSame(JSON.parse(second), { seq: 2, prev: digestOf(first), role: 'owner', at: 2 });
  t.equal(digestOf('abc'), 'ungWv48Bz-pBQUDeXa4iI7ADYaOWF3qctBD_YfIAFa0', 'SHA-256 (FIPS 180-4, example 1)');
});

t.test('each role has a chain of its own, whose beginning may be missing', async (t) => {
  const [owner, inside] = [chain('owner', 5), chain('inside', 3)];
  const mixed = [owner[2], inside[0], owner[3], inside[1], inside[2], owner[4]] as string[];
  t.match(followChains(mixed), [
    { role: 'owner', records: 3, first: 3, last: 5, digest: digestOf(owner[4] ?? ''), breaks: [] },
    { role: 'inside', records: 3, first: 1, last: 3, breaks: [] },
  ]);
});

t.test('a record that was changed, removed, added or moved breaks the chain', async (t) => {
  const lines = chain('owner', 5);
  const forged = lines.map((line) => line.replace('"at":3', '"at":4'));
  t.match(followChains(forged), [{ breaks: [4] }]);
  t.match(followChains(lines.toSpliced(2, 1)), [{ breaks: [4] }]);
  t.match(followChains(lines.toSpliced(2, 0, lines[1] ?? '')), [{ breaks: [2] }]);
  t.match(followChains(lines.toSpliced(1, 2, lines[2] ?? '', lines[1] ?? '')), [{ breaks: [3, 2, 4] }]);
  t.match(followChains(lines.with(2, 'damaged')), [{ breaks: [0, 4] }]);
  t.match(followChains([...lines, '{"role":"owner","at":6}']), [{ breaks: [0] }], 'without a number');
});

t.test('records from before the chain are its beginning', async (t) => {
  const old = ['{"at":1}', '{"at":2}'];
  const lines = [...old, chained('{"at":3}', old[1])];
  t.match(followChains(lines), [{ role: 'owner', records: 3, first: 1, last: 1, breaks: [] }]);
  t.match(followChains([old[1] ?? '', old[0] ?? '', lines[2] ?? '']), [{ breaks: [1] }]);
});
