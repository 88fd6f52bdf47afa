import t from 'tap';
import { auditRoles } from '../../../src/kernel/audit-record.js';
import { Kernel } from '../../../src/kernel/kernel.js';
import { PendingChanges } from '../../../src/store/pending-changes.js';
import { AUDIT_KEPT } from '../../../src/store/worker-protocol.js';

t.test('a commit takes only audit records that the table will keep', async (t) => {
  const pending = new PendingChanges(new Kernel({ counter: 0, random: Math.random }), undefined);
  const [owner, front] = [auditRoles.indexOf('owner'), auditRoles.indexOf('webfront')];
  pending.addAudit([owner, 'first']);
  for (let n = 0; n < AUDIT_KEPT + 5; n++) pending.addAudit([front, `${n}`]);
  const { audit } = pending.take('configured', 0);
  t.equal(audit.length, AUDIT_KEPT + 1);
  t.strictSame(
    [audit[0], audit[1], audit.at(-1)],
    [
      [owner, 'first'],
      [front, '5'],
      [front, `${AUDIT_KEPT + 4}`],
    ],
    'the newest of each role, in their order',
  );
  t.strictSame(pending.take('configured', 0).audit, [], 'once');
});
