import { existsSync } from 'node:fs';
import { readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { idOf, rpc, valueAt } from '../../tools/client/json-rpc.js';
import {
  SIMULATED_CONFIG,
  SAMPLE_TREE,
  startGateway,
  type GatewayFixture,
} from '../../tools/gateway/gateway-fixture.js';
import { until } from '../../tools/until.js';

/** Calls a function of the utility control. */
async function uc(fixture: GatewayFixture, name: string, ...params: unknown[]): Promise<unknown> {
  const [control] = (await rpc(fixture, 'SVC_GetInstanceListByModuleID', 'Utility Control')) as number[];
  return rpc(fixture, `UC_${name}`, control, ...params);
}

t.test(
  'a copied output stays closed, before and after a restart, until it gets a line of its own',
  async (t) => {
    const fixture = await startGateway(t, SIMULATED_CONFIG + SAMPLE_TREE);
    const relay = await idOf(fixture, 'ground_floor/hall_relay');
    const upper = await idOf(fixture, 'upper_floor');
    await rpc(fixture, 'HW_WriteValueBoolean', relay, 'STATE', true);
    t.equal(await valueAt(fixture, 'ground_floor/hall_sense/STATE'), true);
    const copy = Number(await uc(fixture, 'DuplicateObject', relay, upper, true));
    t.equal(
      await rpc(fixture, 'SVC_GetConfiguration', copy),
      await rpc(fixture, 'SVC_GetConfiguration', relay),
    );
    const stays = async (at: GatewayFixture) => {
      t.equal(await valueAt(at, 'upper_floor/hall_relay/LINK'), 'closed');
      t.match(await rpc(at, 'SVC_GetInstance', copy), { InstanceStatus: 104 });
      t.equal(await rpc(at, 'HW_WriteValueBoolean', copy, 'STATE', false), 'DEVICE_OFFLINE');
    };
    await stays(fixture);
    t.equal(await valueAt(fixture, 'ground_floor/hall_sense/STATE'), true, 'the relay is unchanged');
    await fixture.gateway.close();

    const second = await startGateway(t, undefined, fixture);
    const { kernel } = second.gateway;
    await until('the original is open', () => kernel.instances.get(relay as number).data.status === 102);
    await stays(second);
    await rpc(second, 'SVC_SetProperty', copy, 'Line', 'RELAY2');
    t.equal(await rpc(second, 'SVC_ApplyChanges', copy), true);
    await until('the copy is open', () => kernel.instances.get(copy).data.status === 102);
    t.equal(await rpc(second, 'HW_WriteValueBoolean', copy, 'STATE', true), true);
    t.equal(await valueAt(second, 'upper_floor/hall_relay/STATE'), true);
    t.equal(
      await valueAt(second, 'ground_floor/hall_relay/STATE'),
      false,
      'Boot: inactive, and nothing else switched it',
    );
    const gone = [copy, await idOf(second, 'ground_floor')];
    t.equal(await uc(second, 'DeleteObjects', gone), true);
    for (const id of [...gone, relay]) t.equal(await rpc(second, 'SVC_ObjectExists', id), false);
  },
);

t.test('script files are searched, changed and renamed; no name leads out of their directory', async (t) => {
  const fixture = await startGateway(t, SIMULATED_CONFIG);
  const scripts = join(fixture.directory, 'data', 'scripts');
  const one = Number(await rpc(fixture, 'SVC_CreateScript', 0));
  const two = Number(await rpc(fixture, 'SVC_CreateScript', 0));
  await rpc(fixture, 'SVC_SetScriptContent', one, `print(GetValue(${two}));`);
  await rpc(fixture, 'SVC_SetScriptContent', two, 'print(2);');
  t.strictSame(await uc(fixture, 'FindReferences', two), [
    { ObjectID: one, Kind: 'script', Line: 1, Text: `print(GetValue(${two}));` },
  ]);
  t.strictSame(await uc(fixture, 'ReplaceInFiles', [`${two}.js`], '2', '40 + 2'), [
    { File: `${two}.js`, Line: 1, Text: 'print(40 + 2);' },
  ]);
  t.equal(await readFile(join(scripts, `${two}.js`), 'utf8'), 'print(40 + 2);');
  t.equal(await rpc(fixture, 'SVC_RunScriptWait', two), '42');
  t.equal(await uc(fixture, 'RenameScript', two, 'answer.js'), true);
  t.equal(await rpc(fixture, 'SVC_GetScriptFile', two), 'answer.js');
  t.equal(await rpc(fixture, 'SVC_RunScriptWait', two), '42');
  t.strictSame(
    [existsSync(join(scripts, `${two}.js`)), existsSync(join(scripts, 'answer.js'))],
    [false, true],
  );
  await writeFile(join(scripts, 'kept.js'), 'kept');
  await symlink(join(fixture.directory, 'nowhere'), join(scripts, 'link.js'));
  for (const name of [
    'kept.js',
    'link.js',
    `${one}.js`,
    '../x.js',
    '/tmp/x.js',
    'x',
    '.x.js',
    '',
    'a/b.js',
    'x.js\0',
  ])
    t.equal(await uc(fixture, 'RenameScript', two, name), 'FILE_NAME', name);
  t.equal(await uc(fixture, 'RenameScript', two, 'answer.js'), true, 'the present name');
  t.equal(await readFile(join(scripts, 'kept.js'), 'utf8'), 'kept');
  t.strictSame(await uc(fixture, 'FindInFiles', [], 'kept'), [], 'no file of a script in the tree');
  t.equal(await uc(fixture, 'FindInFiles', ['kept.js'], 'kept'), 'FILE_MISSING');
  const copy = Number(await uc(fixture, 'DuplicateObject', two, 0, true));
  t.equal(await rpc(fixture, 'SVC_GetScriptFile', copy), `${copy}.js`);
  t.equal(await rpc(fixture, 'SVC_RunScriptWait', copy), '42');
  t.equal(await rpc(fixture, 'SVC_DeleteScript', two, true), true);
  t.equal(await rpc(fixture, 'SVC_RunScriptWait', copy), '42', 'it has its own file');
  t.equal(await uc(fixture, 'DeleteObjects', [copy]), true);
  t.ok(existsSync(join(scripts, `${copy}.js`)), 'files stay');
});
