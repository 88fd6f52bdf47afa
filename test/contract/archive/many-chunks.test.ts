/** Years of records: more chunks than are read at a time. */
import t from 'tap';
import { deleteRecords, moveRecords } from '../../../src/archive/mutations.js';
import { tempDirectory } from '../../tools/temp-directory.js';
import { contents, ID, openArchiveFile, write } from './archive-file.js';

const OTHER = 20_000;
/** Records of about 470 chunks. */
const COUNT = 120_000;
const SECOND_MS = 1000;

t.test('records of many chunks are deleted and moved', async (t) => {
  const file = openArchiveFile(await tempDirectory(t));
  t.teardown(() => file.close());
  const records = Array.from({ length: COUNT }, (_, n) => ({ atMs: n * SECOND_MS, value: n }));
  write(file, records);
  // Not at the edges of chunks.
  const [from, to] = [1_111, 118_888];
  const range = { fromMs: from * SECOND_MS, toMs: to * SECOND_MS };
  t.strictSame(deleteRecords(file, { variableId: ID, ...range }), { count: to - from + 1 });
  const left = [...records.slice(0, from), ...records.slice(to + 1)];
  t.strictSame(contents(file), left);
  write(file, records.slice(from, to + 1));
  moveRecords(file, { variableId: ID, toId: OTHER });
  t.strictSame(contents(file), []);
  t.strictSame(contents(file, OTHER), records);
  // It has records already.
  write(file, [{ atMs: 500, value: -1 }]);
  moveRecords(file, { variableId: OTHER, toId: ID });
  t.strictSame(contents(file, OTHER), []);
  t.strictSame(contents(file), [records[0], { atMs: 500, value: -1 }, ...records.slice(1)]);
});
