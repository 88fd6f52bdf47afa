import t from 'tap';
import { generatedClientFiles } from '../tools/generate/reference-files.js';
import { functionFiles } from '../tools/generate/functions-page.js';
import { textOf } from './sources.js';

t.test('the typed client, the functions page and the OpenRPC document match the registry', async (t) => {
  for (const [path, text] of [...(await generatedClientFiles()), ...(await functionFiles())])
    t.ok(
      textOf(path) === text,
      `${path} is older than the reference: make build && node dist/test/tools/generate/reference-files.js`,
    );
});
