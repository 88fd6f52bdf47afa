import t from 'tap';
import { compileLinearPattern } from '../../../src/base/v8/linear-pattern.js';
import { enableLinearPatterns } from '../../tools/linear-patterns.js';

t.test('a pattern needs a process with the linear engine, and the error says so', async (t) => {
  t.throws(() => compileLinearPattern('a+'), {
    name: 'SyntaxError',
    message:
      '/a+/ cannot be used: this process was started without the V8 flag --enable-experimental-regexp-engine',
  });
  t.throws(() => compileLinearPattern('('), { name: 'SyntaxError', message: /Unterminated group/ });
});

t.test('with it, the time to match is linear in the length of the text', async (t) => {
  enableLinearPatterns();
  t.equal(compileLinearPattern('(?<unit>[a-z]+)$').exec('12 mm')?.groups?.['unit'], 'mm');
  const before = process.cpuUsage();
  t.notOk(compileLinearPattern('^(a|aa)+$').test(`${'a'.repeat(60_000)}b`));
  const { user } = process.cpuUsage(before);
  t.ok(user < 5_000_000, `backtracking would take 2^60000 steps, this took ${user} µs`);
  for (const source of ['(a)\\1', '(?=a)b', 'a{17}'])
    t.throws(() => compileLinearPattern(source), { name: 'SyntaxError', message: /are not supported$/ });
});
