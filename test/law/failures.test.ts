/** Failures are found, and what they show leads to the source. */
import t from 'tap';
import { withSourcePositions } from '../runner/source-positions.js';
import { filesOf, textOf } from './sources.js';

t.test('positions in compiled code become those of the source', async (t) => {
  const stack = withSourcePositions(String(new Error('failed').stack));
  t.match(stack, /test\/law\/failures\.test\.ts:7:44/);
  t.notMatch(stack, /dist\/test\/law/);
  const unknown = 'at dist/test/none.js:3:4';
  t.equal(withSourcePositions(unknown), unknown);
});

t.test('assertions are in named tests: after one outside, tap may end a file before its tests', (t) => {
  const outside = filesOf('test').flatMap((path) =>
    (
      textOf(path).match(
        /^t\.(?:\w*[eE]quals?|ok|not\w*|\w*[mM]atch|\w*[sS]ame\w*|has\w*|fail|rejects|throws)\(/gm,
      ) ?? []
    ).map((found) => `${path}: ${found}`),
  );
  t.strictSame(outside, []);
  t.end();
});
