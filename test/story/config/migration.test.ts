import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { PACKAGE_ROOT } from '../../../src/base/package-root.js';
import { rpc } from '../../tools/client/json-rpc.js';
import { SIMULATED_CONFIG, startGateway } from '../../tools/gateway/gateway-fixture.js';

t.test('a gateway replies as the migration page shows', async (t) => {
  const page = await readFile(join(PACKAGE_ROOT, 'docs/start/migration.md'), 'utf8');
  const [, yaml = ''] = /```yaml\n(.*?)```/s.exec(page) ?? [];
  const [, examples = ''] = /```text\n(.*?)```/s.exec(page) ?? [];
  const free = SIMULATED_CONFIG.replace(/^api: .*$/m, yaml.replace('3777', '0').trim());
  const tree = 'tree: [{ variable: V, ident: v, type: float, value: 21.5, profile: ~Temperature }]\n';
  const gateway = await startGateway(t, free + tree);
  const id = await rpc(gateway, 'SVC_GetObjectIDByIdent', 'v', 0);
  const lines = examples.trim().split('\n');
  t.ok(lines.length >= 6);
  for (const line of lines) {
    const [, method = '', params = '', result = ''] = /^(\w+)\((.*)\) → (.*)$/.exec(line) ?? [];
    const given = JSON.parse(`[${params.replace('VARIABLE', String(id))}]`) as unknown[];
    const expected = /^[A-Z_]+$/.test(result) ? result : (JSON.parse(result) as unknown);
    t.strictSame(await rpc(gateway, method, ...given), expected, line);
  }
});
