import t from 'tap';
import { clientFiles } from '../tools/client-map.js';
import { textOf } from './sources.js';

t.test('the typed client has the functions and records of the command reference', async (t) => {
  for (const [path, text] of await clientFiles())
    t.equal(textOf(path), text, `${path} is older than the reference: node dist/test/tools/client-map.js`);
});
