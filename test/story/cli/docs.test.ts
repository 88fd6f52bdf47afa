import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { ROOT } from '../../law/sources.js';
import { startGateway } from '../../tools/gateway/gateway-fixture.js';
import { runCli } from '../../tools/gateway/run-cli.js';

const textOf = (file: string) => readFileSync(join(ROOT, file), 'utf8');
const SAMPLE = textOf('docs/start/sample/gateway.yaml');
const PAGES = ['README.md', 'docs/reference/cli.md', 'docs/hardware/gpio.md', 'docs/start/sample/try.txt'];

t.test('every call in the documentation works with the sample that make run starts', async (t) => {
  const gateway = await startGateway(t, SAMPLE.replace('port: 3777', 'port: 0'));
  const config = join(gateway.directory, 'cli.yaml');
  writeFileSync(config, SAMPLE.replace('port: 3777', `port: ${gateway.port}`));
  const lines = PAGES.flatMap((page) => textOf(page).match(/^ *(\$ )?bin\/stellwerk call .*$/gm) ?? []);
  const calls = new Set(lines.map((line) => line.replace(/^.*bin\/stellwerk /, '')));
  t.ok(calls.size >= 6);
  for (const call of calls) {
    const words = [...call.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');
    const { code, stdout, stderr } = await runCli(words, { env: { STELLWERK_CONFIG: config } });
    t.strictSame([code, stderr], [0, ''], call);
    t.not(stdout, 'false\n');
  }
});
