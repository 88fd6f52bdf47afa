import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { idOf, rpc } from '../../tools/client/json-rpc.js';
import { SAMPLE_TREE, SIMULATED_CONFIG, startGateway } from '../../tools/gateway/gateway-fixture.js';
import { tempDirectory } from '../../tools/temp-directory.js';

t.test('a factory reset deletes all data and the owner; backups elsewhere stay', async (t) => {
  const stick = await tempDirectory(t);
  const yaml = `${SIMULATED_CONFIG}${SAMPLE_TREE}backup: { targets: [{ name: stick, path: ${stick} }] }\n`;
  const fixture = await startGateway(t, yaml);
  const data = join(fixture.directory, 'data');
  t.ok(await idOf(fixture, 'ground_floor/setpoint'));
  await rpc(fixture, 'GW_CreateRecoveryKey');
  await rpc(fixture, 'GW_RunTargetBackup', 'stick');
  await writeFile(join(data, 'left.txt'), '');
  const kept = readdirSync(stick, { recursive: true });
  for (const wrong of ['', 'reset', 'yes'])
    t.equal(await rpc(fixture, 'GW_FactoryReset', wrong), 'PARAMETER_BOUNDS', wrong);
  t.notOk(existsSync(join(data, 'factory-reset')));
  t.equal(await rpc(fixture, 'GW_FactoryReset', 'RESET'), true);
  t.ok(existsSync(join(data, 'left.txt')), 'not before the next start');
  await fixture.gateway.close();

  const again = await startGateway(t, undefined, { directory: fixture.directory });
  t.match(again.gateway.claimCode, /^.{8}$/, 'it has no owner');
  const configuration = readFileSync(join(fixture.directory, 'gateway.yaml'), 'utf8');
  t.match(configuration, /board: simulated/);
  t.notMatch(configuration, /remoteAccess|tree|backup/);
  for (const name of ['left.txt', 'recovery-key', 'backup-targets.json', 'factory-reset'])
    t.notOk(existsSync(join(data, name)), name);
  t.same(readdirSync(stick, { recursive: true }), kept);
  await again.gateway.close();
  const third = await startGateway(t, undefined, { directory: fixture.directory });
  t.ok(third.gateway.claimCode, 'it is reset once');
});
