import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { openOutput } from '../../../src/cli/archive/input-output.js';
import { tempDirectory } from '../../tools/temp-directory.js';

t.test('two exports never write one file', async (t) => {
  const file = join(await tempDirectory(t), 'house.csv');
  {
    await using first = await openOutput(file);
    await first.write('first\n');
    await t.rejects(openOutput(file), {
      name: 'UsageError',
      message: /house\.csv\.part already exists: another/,
    });
    await first.finish();
  }
  t.equal(readFileSync(file, 'utf8'), 'first\n');
});
