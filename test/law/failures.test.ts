/** What a failure shows leads to the source. */
import t from 'tap';
import { withSourcePositions } from '../runner/source-positions.js';

t.test('positions in compiled code become those of the source', async (t) => {
  const stack = withSourcePositions(String(new Error('failed').stack));
  t.match(stack, /test\/law\/failures\.test\.ts:6:44/);
  t.notMatch(stack, /dist\/test\/law/);
  const unknown = 'at dist/test/none.js:3:4';
  t.equal(withSourcePositions(unknown), unknown);
});
