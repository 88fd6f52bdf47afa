import t from 'tap';
import { Accounts } from '../../../src/api/access/accounts.js';
import { VerifiedHeader } from '../../../src/api/access/verified-header.js';

const accounts = () => new Accounts(undefined, { get: () => undefined, all: () => [] });

t.test('only the header that was remembered last matches, and only for the same accounts', async (t) => {
  const [current, replaced] = [accounts(), accounts()];
  const header = new VerifiedHeader();
  t.notOk(header.matches('', current), 'nothing is remembered');
  header.remember('Basic b3duZXI6Zm9v', current);
  t.ok(header.matches('Basic b3duZXI6Zm9v', current));
  t.notOk(header.matches('Basic b3duZXI6Zm9v', replaced));
  for (const other of ['', 'Basic b3duZXI6Zm9', 'Basic b3duZXI6Zm9vv', 'Basic b3duZXI6Zm9w'])
    t.notOk(header.matches(other, current), other);
  header.remember('Basic eA==', current);
  t.ok(header.matches('Basic eA==', current), 'a shorter one leaves nothing behind');
  t.notOk(header.matches('Basic b3duZXI6Zm9v', current));
});

t.test('a long header is not remembered', async (t) => {
  const current = accounts();
  const header = new VerifiedHeader();
  const long = `Basic ${'x'.repeat(1000)}`;
  header.remember(long, current);
  t.notOk(header.matches(long, current));
  t.notOk(header.matches(long.slice(0, 256), current), 'its beginning neither');
});
