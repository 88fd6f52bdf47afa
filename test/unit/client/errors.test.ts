import t from 'tap';
import { faults } from '../../../src/base/fault.js';
import { RETRYABLE } from '../../../src/client/errors.js';

t.test('the client knows the failures after which a retry can succeed', async (t) => {
  const retryable = Object.entries(faults).flatMap(([code, { retry }]) => (retry ? [code] : []));
  t.strictSame([...RETRYABLE].sort(), retryable.sort());
});
