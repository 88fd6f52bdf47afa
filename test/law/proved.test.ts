import t from 'tap';
import { allFunctions } from '../tools/generate/all-functions.js';
import { filesOf, textOf } from './sources.js';

/** Tests that speak of every function at once; a name in one of them proves nothing of that function. */
const OF_ALL = /^test\/(law|fixtures|tools)\/|^test\/(unit|contract|story)\/reference\.test\.ts$/;

t.test('every function has a test of its own: what it does is seen, not only that it is there', async (t) => {
  const tests = filesOf('test').filter((file) => /\.(ts|mjs|js|php|py)$/.test(file) && !OF_ALL.test(file));
  t.ok(tests.length > 100, `${tests.length} files of tests`);
  const named = new Set(tests.flatMap((file) => textOf(file).match(/\w+(\.\w+)?/g) ?? []));
  const words = new Set([...named].flatMap((word) => [word, ...word.split('.')]));
  const untried = (await allFunctions())
    .filter(({ unsupported: nothing }) => nothing === undefined)
    .map(({ name }) => name)
    .filter((name) => !words.has(name));
  t.strictSame(untried, []);
});
