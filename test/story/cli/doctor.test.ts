import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { ManualClock } from '../../../src/base/clock.js';
import { OWNER } from '../../tools/gateway/api-fixture.js';
import { rpc } from '../../tools/client/json-rpc.js';
import { SIMULATED_CONFIG, startGateway, SAMPLE_TREE } from '../../tools/gateway/gateway-fixture.js';
import { reservePort } from '../../tools/reserve-port.js';
import { tempDirectory } from '../../tools/temp-directory.js';
import { runCli } from '../../tools/gateway/run-cli.js';
import { until } from '../../tools/until.js';

interface Check {
  readonly Name: string;
  readonly State: string;
  readonly Text: string;
  readonly WhatToDo: string;
}

/** The output of doctor in a directory, by check. */
async function doctor(directory: string, ...args: string[]) {
  const place = ['--config', join(directory, 'gateway.yaml'), '--data', directory];
  const { code, stdout, stderr } = await runCli(['doctor', '--json', ...place, ...args]);
  const checks = JSON.parse(stdout) as Check[];
  return { code, stderr, checks: new Map(checks.map((check) => [check.Name, check])) };
}

t.test('with a healthy running gateway, doctor prints the gateway’s health checks too', async (t) => {
  const gateway = await startGateway(t, SIMULATED_CONFIG + SAMPLE_TREE);
  await gateway.configure(SIMULATED_CONFIG.replace('port: 0', `port: ${gateway.port}`) + SAMPLE_TREE);
  const { checks, stderr } = await doctor(gateway.directory);
  t.equal(stderr, '');
  t.match(checks.get('gateway'), { State: 'ok', Text: 'it replies' });
  t.match(checks.get('lines'), { State: 'ok', Text: /all 3/ });
  for (const name of ['configuration', 'clock', 'space', 'store', 'devices'])
    t.equal(checks.has(name), true, name);
  const own = (await rpc(gateway, 'GW_RunDoctor')) as Check[];
  t.match(
    own.find(({ Name }) => Name === 'lines'),
    checks.get('lines'),
  );
  t.match(
    own.find(({ Name }) => Name === 'configuration'),
    { State: 'ok', Text: /gateway\.yaml has no errors/ },
  );
  await gateway.configure(`${SIMULATED_CONFIG}colour: blue\n`);
  t.match(
    ((await rpc(gateway, 'GW_RunDoctor')) as Check[]).find(({ Name }) => Name === 'configuration'),
    { State: 'failed', Text: /is not usable; first error in line 4: there is no such key/ },
    'of the file as it is now',
  );
  await gateway.configure(SIMULATED_CONFIG.replace('port: 0', `port: ${gateway.port}`) + SAMPLE_TREE);
  const table = await runCli([
    'doctor',
    '--config',
    join(gateway.directory, 'gateway.yaml'),
    '--data',
    gateway.directory,
  ]);
  t.match(table.stdout, /^ok +gateway +it replies$/m);
});

t.test('without its password, doctor still reports that the gateway replies', async (t) => {
  const gateway = await startGateway(t, SIMULATED_CONFIG + SAMPLE_TREE);
  const nobody = SIMULATED_CONFIG.replace(
    /remoteAccess:.*/,
    `remoteAccess: { username: ${OWNER.username}, passwordHash: scrypt$x }`,
  );
  await gateway.configure(nobody.replace('port: 0', `port: ${gateway.port}`) + SAMPLE_TREE);
  const { checks } = await doctor(gateway.directory);
  t.match(checks.get('gateway'), { State: 'ok', Text: /it replies; its own checks need its password/ });
  t.notOk(checks.has('store'));
});

t.test('if a given file cannot be read, doctor names it', async (t) => {
  const directory = await tempDirectory(t);
  await writeFile(join(directory, 'gateway.yaml'), SIMULATED_CONFIG);
  const missing = join(directory, 'missing');
  for (const option of ['--password-file', '--ca']) {
    const { code, checks } = await doctor(directory, option, missing);
    t.equal(code, 1);
    t.match(checks.get('gateway'), { State: 'failed', Text: new RegExp(`${missing} cannot be .*ENOENT`) });
  }
});

t.test('without a gateway, doctor says so and runs the checks of the machine', async (t) => {
  const directory = await tempDirectory(t);
  const port = await reservePort();
  const yaml = `${SIMULATED_CONFIG.replace('port: 0', `port: ${port}`)}tree:
  - { instance: Meter, ident: meter, module: Serial Port, properties: { Port: /dev/ttyNONE7 } }
`;
  await writeFile(join(directory, 'gateway.yaml'), yaml);
  const { code, checks } = await doctor(directory);
  t.equal(code, 1);
  t.match(checks.get('gateway'), {
    State: 'failed',
    Text: /does not reply/,
    WhatToDo: /systemctl start stellwerk/,
  });
  t.match(checks.get('configuration'), { State: 'ok' });
  t.match(checks.get('ports'), {
    State: 'warning',
    Text: /\/dev\/ttyNONE7 of Meter does not exist/,
    WhatToDo: /plug it in/,
  });
  await writeFile(join(directory, 'gateway.yaml'), 'bord: x\n');
  const bad = await doctor(directory);
  t.match(bad.checks.get('configuration'), {
    State: 'failed',
    Text: /line 1.*did you mean board/,
    WhatToDo: /stellwerk check/,
  });
});

t.test('the gateway checks its machine periodically', async (t) => {
  const clock = new ManualClock();
  const gateway = await startGateway(t, SIMULATED_CONFIG + SAMPLE_TREE, { clock });
  const health = async () => {
    const { Checks } = (await rpc(gateway, 'GW_GetHealth')) as { Checks: Check[] };
    return Checks.map(({ Name }) => Name);
  };
  t.notOk((await health()).includes('space'), 'not while it starts');
  clock.advance(5000);
  await until('the result of the checks', async () => (await health()).includes('space'));
  t.ok((await health()).includes('lines'));
});
