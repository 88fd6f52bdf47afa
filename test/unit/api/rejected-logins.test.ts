import t from 'tap';
import { RejectedLogins } from '../../../src/api/access/rejected-logins.js';
import { ManualClock } from '../../../src/base/clock.js';
import type { AuditRecord } from '../../../src/kernel/audit-record.js';

t.test('a flood of wrong passwords writes 30 records, then one every two minutes', (t) => {
  const clock = new ManualClock();
  const records: AuditRecord[] = [];
  const rejected = new RejectedLogins(clock, (record) => records.push(record));
  for (let n = 0; n < 1000; n++) rejected.add({ account: 'owner', remote: `10.0.0.${n}`, failures: 1 });
  t.equal(records.length, 30);
  t.match(records[0], {
    role: 'unverified',
    remote: '10.0.0.0',
    method: 'sign-in',
    params: ['owner'],
    ok: false,
    code: 'UNAUTHORIZED',
  });
  t.equal(records[0]?.count, undefined);
  clock.advance(4 * 60_000);
  for (let n = 0; n < 1000; n++) rejected.add({ account: 'owner', remote: '10.0.0.1', failures: 100 });
  t.equal(records.length, 32);
  t.match(records[31], { remote: '10.0.0.1', count: 100 });
  t.end();
});
