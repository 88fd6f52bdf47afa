import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { exportRecords } from '../../../src/cli/archive/export.js';
import { formatOf } from '../../../src/cli/archive/record-format.js';
import { ProgressLine } from '../../../src/cli/output/progress-line.js';
import type { AnyFunction, Client } from '../../../src/client/index.js';
import { tempDirectory } from '../../tools/temp-directory.js';

t.test('an export that is cancelled with Ctrl-C leaves no file', async (t) => {
  const directory = await tempDirectory(t);
  const file = join(directory, 'records.csv');
  using progress = new ProgressLine(() => 0);
  const page = { Records: [{ TimeStamp: 1, Value: 21.5, ClockTrusted: true }], More: true };
  const gateway = { call: async () => page } as unknown as Client<AnyFunction>; // only calls are needed
  let pages = 0;
  const onRecords = (count: number) => {
    pages += 1;
    if (pages === 3) process.emit('SIGINT');
    progress.update(`${count} records`);
  };
  const options = { ids: [12345], fromMs: 0, toMs: 0, file, format: formatOf(undefined, file), onRecords };
  await t.rejects(exportRecords(gateway, options), { name: 'AbortError' });
  t.equal(pages, 3, 'it ended with the page at which it was cancelled');
  t.strictSame(await readdir(directory), []);
});
