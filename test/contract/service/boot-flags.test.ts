import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { silentLog } from '../../../src/base/log.js';
import { BootFlagFile } from '../../../src/service/boot-flag-file.js';

t.test('flags outlive a restart but not a boot, and a missing directory is no error', async (t) => {
  const directory = t.testdir();
  const first = new BootFlagFile(directory, silentLog, 'boot 1');
  for (const mark of ['output a', 'output b', 'output a']) first.add(mark);
  const restarted = new BootFlagFile(directory, silentLog, 'boot 1');
  t.strictSame(
    ['output a', 'output b', 'output c'].map((mark) => restarted.has(mark)),
    [true, true, false],
  );
  restarted.delete('output a');
  restarted.delete('output c');
  restarted.add('output d');
  t.strictSame([...restarted], ['output b', 'output d']);
  t.strictSame(
    [...new BootFlagFile(directory, silentLog, 'boot 1')],
    ['output b', 'output d'],
    'immediately',
  );
  t.notOk(new BootFlagFile(directory, silentLog, 'boot 2').has('output b'));
  t.notOk(
    new BootFlagFile(directory, silentLog, 'boot 1').has('output b'),
    'an older boot is never restored',
  );

  const lost = join(directory, 'gone');
  const unkept = new BootFlagFile(lost, silentLog, 'boot 1');
  unkept.add('output a');
  t.ok(unkept.has('output a'), 'this process remembers');
  mkdirSync(lost);
  t.notOk(new BootFlagFile(lost, silentLog, 'boot 1').has('output a'));
});
