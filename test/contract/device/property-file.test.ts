import { execFileSync } from 'node:child_process';
import { symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { readPropertyFile } from '../../../src/device/toolkit/property-file.js';
import { tempDirectory } from '../../tools/temp-directory.js';

t.test('a property names a regular file of a limited size, or a link to one', async (t) => {
  const directory = await tempDirectory(t);
  const at = (name: string) => join(directory, name);
  await writeFile(at('ca.pem'), 'a certificate');
  await symlink(at('ca.pem'), at('link.pem'));
  t.equal((await readPropertyFile('CaFile', at('link.pem'))).toString(), 'a certificate');
  await writeFile(at('limit'), Buffer.alloc(1024 * 1024, 'x'));
  t.equal((await readPropertyFile('CaFile', at('limit'))).length, 1024 * 1024);
  await writeFile(at('large'), Buffer.alloc(1024 * 1024 + 1, 'x'));
  for (const [path, reason] of [
    ['/dev/null', /CaFile cannot be read: it is not a regular file/],
    [directory, /CaFile cannot be read: it is not a regular file/],
    [at('large'), /CaFile cannot be read: it is larger than 1048576 bytes/],
    [at('missing'), /CaFile cannot be read: ENOENT/],
  ] as const)
    await t.rejects(readPropertyFile('CaFile', path), { code: 'DEVICE_CONFIGURATION', message: reason });
  execFileSync('mkfifo', [at('pipe')]);
  await t.rejects(
    readPropertyFile('CaFile', at('pipe')),
    /not a regular file/,
    'it does not wait for a writer',
  );
});
