import t from 'tap';
import type { AuditEntry } from '../../../src/client/generated/records.js';
import { withKeys } from '../../../src/front/console/audit/entry-keys.js';

const entry = (TimeStamp: number, value: number): AuditEntry => ({
  TimeStamp,
  Role: 'owner',
  User: 'owner@example.org',
  Remote: '127.0.0.1',
  Method: 'SetValue',
  Parameters: [12345, value],
  Success: true,
});

t.test('calls keep their keys when newer ones arrive, and equal ones differ', async (t) => {
  const known = [entry(2, 1), entry(2, 1), entry(1, 0)];
  const newer = [entry(3, 0), entry(2, 1), ...known];
  const keys = withKeys(newer).map(([key]) => key);
  t.equal(new Set(keys).size, newer.length);
  t.strictSame(
    withKeys(known).map(([key]) => key),
    keys.slice(2),
  );
  t.strictSame(
    withKeys(newer).map(([, one]) => one),
    newer,
  );
});
