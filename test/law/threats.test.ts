import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { PACKAGE_ROOT } from '../../src/base/package-root.js';

/** The last column of a line of a table: tests, each with the titles that follow it. */
const ROW = /^\| ([STRIDE]) \| (.+) \| (.+) \| (.+) \|$/;
const REFERENCE = /`([^`]+)`((?:,? ?"[^"]+")*)/g;

t.test('each threat names the tests that prove its mitigation', async (t) => {
  const page = await readFile(join(PACKAGE_ROOT, 'docs/reference/threat-model.md'), 'utf8');
  const rows = page.split('\n').filter((line) => /^\| [A-Z] \|/.test(line));
  t.ok(rows.length > 40, `${rows.length} threats`);
  for (const row of rows) {
    const [, , threat = row, , tests = ''] = ROW.exec(row) ?? [];
    const references = [...tests.matchAll(REFERENCE)];
    t.not(references.length, 0, threat);
    for (const [, file = '', titles = ''] of references) {
      const path = `test/${file}${file.startsWith('lab/') ? '' : '.test'}.ts`;
      // A missing file contains no title.
      const source = await readFile(join(PACKAGE_ROOT, path), 'utf8').catch(() => undefined);
      t.ok(source !== undefined, `${threat}: ${path}`);
      for (const [, title = ''] of titles.matchAll(/"([^"]+)"/g))
        t.ok(source?.includes(title), `${threat}: "${title}" in ${path}`);
    }
  }
});
