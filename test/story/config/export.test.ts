import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { exportGateway } from '../../../src/composition/export-gateway.js';
import { objectType, type TreeObject } from '../../../src/kernel/object.js';
import { OWNER } from '../../tools/gateway/api-fixture.js';
import { idOf, rpc } from '../../tools/client/json-rpc.js';
import { FULL_CONFIG } from '../../tools/gateway/full-config.js';
import { SIMULATED_CONFIG, startGateway, type GatewayFixture } from '../../tools/gateway/gateway-fixture.js';
import { tempDirectory } from '../../tools/temp-directory.js';
import { runCli } from '../../tools/gateway/run-cli.js';

const FRONT = 'configurators: [{ title: House, ident: wf, base: house, password: petunia }]\n';
/** The gateway's own variables that are changed below. */
const STATUS = new Set(['HEALTH', 'PROBLEMS']);
const SECRETS = [OWNER.password, 'petunia', 'hunter2', 'gandalf'];

/** Objects that only calls have made, without idents and with everything that can be set. */
async function populate(house: GatewayFixture): Promise<void> {
  const create = async (method: string, [parent, name]: readonly [number, string], ...args: unknown[]) => {
    const id = (await rpc(house, method, ...args)) as number;
    await rpc(house, 'SVC_SetParent', id, parent);
    await rpc(house, 'SVC_SetName', id, name);
    return id;
  };
  const attic = await create('SVC_CreateCategory', [0, 'Dach & Böden: "oben"\n# kein Kommentar']);
  const count = await create('SVC_CreateVariable', [attic, 'Count'], 1);
  await create('SVC_CreateVariable', [attic, 'Count'], 3);
  await rpc(house, 'SetValue', count, -7);
  await rpc(house, 'SVC_SetInfo', count, 'two\nlines');
  await rpc(house, 'SVC_CreateVariableProfile', 'Steps', 1);
  await rpc(house, 'SVC_SetVariableProfileAssociation', 'Steps', 1, 'one', '', 0x00ff00);
  await rpc(house, 'SVC_SetVariableCustomProfile', count, 'Steps');
  await rpc(house, 'AC_SetLoggingStatus', await idOf(house, 'stellwerk/AC'), count, true);
  const script = await create('SVC_CreateScript', [attic, ''], 0);
  await rpc(house, 'SVC_SetScriptFile', script, 'attic.ts');
  await rpc(house, 'SVC_SetScriptContent', script, 'const n: number = 1;\n\n  print(n); // "ü" \t\n');
  await rpc(house, 'SVC_SetScriptTimer', script, 60);
  await rpc(house, 'SVC_SetVariableCustomAction', count, script);
  const event = await create('SVC_CreateEvent', [count, 'Both'], 0);
  await rpc(house, 'SVC_SetEventTrigger', event, 4, count);
  await rpc(house, 'SVC_SetEventTriggerValue', event, 5);
  await rpc(house, 'SVC_SetEventCondition', event, 3, 3, 2);
  await rpc(
    house,
    'SVC_SetEventConditionVariableDynamicRule',
    event,
    3,
    9,
    count,
    5,
    await idOf(house, 'house/wish'),
  );
  await rpc(house, 'SVC_SetEventCondition', event, 8, 3, 1);
  await rpc(house, 'SVC_SetEventConditionDateRule', event, 8, 1, 2, 1, 4, 2027);
  await rpc(house, 'SVC_SetEventAction', event, '{7938A5A2-0981-5FE0-BE6C-8AA610D654EB}', { TARGET: script });
  await rpc(house, 'SVC_SetEventActive', event, true);
  const link = await create('SVC_CreateLink', [attic, 'Shortcut']);
  await rpc(house, 'SVC_SetLinkTargetID', link, await idOf(house, 'house/lamp/STATE'));
  await create('SVC_CreateLink', [attic, 'To nothing']);
  const lamp = await create('SVC_CreateInstance', [attic, 'Second lamp'], 'GPIO Output');
  await rpc(house, 'SVC_SetConfiguration', lamp, '{"Line":"RELAY2","Boot":"inactive"}');
  await rpc(house, 'SVC_ApplyChanges', lamp);
  const broker = await create('SVC_CreateInstance', [attic, 'Broker'], 'MQTT Client');
  await rpc(house, 'SVC_SetConfiguration', broker, '{"Url":"mqtt://me:gandalf@127.0.0.1:1"}');
  await rpc(house, 'SVC_ApplyChanges', broker);
  const device = await create('SVC_CreateInstance', [broker, 'Not connected'], 'MQTT Device');
  await rpc(house, 'SVC_SetHidden', device, true);
  const place = await idOf(house, 'stellwerk/LC');
  await rpc(house, 'SVC_SetConfiguration', place, '{"Latitude":50,"Longitude":8}');
  await rpc(house, 'SVC_ApplyChanges', place);
  await rpc(house, 'SVC_SetParent', await idOf(house, 'stellwerk/UC'), attic);
  await rpc(house, 'SVC_SetIcon', await idOf(house, 'stellwerk/HEALTH'), 'Heart');
  await rpc(house, 'SVC_SetName', await idOf(house, 'stellwerk/PROBLEMS'), 'Count of problems');
  await rpc(house, 'SVC_SetOption', 'ScriptTimeLimit', 60);
}

/** Everything of a tree but ids and times, with what objects name by their paths. */
function shapeOf({ gateway: { kernel } }: GatewayFixture): unknown[] {
  const pathOf = (id: unknown): unknown => {
    const names: string[] = [];
    for (let at = kernel.tree.find(Number(id)); at !== undefined && at.parent !== null; at = at.parent)
      names.unshift(`${at.position}:${at.name}`);
    return names.join('/');
  };
  const IDS = new Set([
    'targetId',
    'variableId',
    'TARGET',
    'PARENT',
    'connectionId',
    'customAction',
    'action',
  ]);
  const TIMES = new Set([
    'updated',
    'changed',
    'created',
    'nextRun',
    'lastRun',
    'lastActionId',
    'executed',
    'status',
    'qualityProblem',
    'reportTimes',
  ]);
  const clean = (value: unknown, key = ''): unknown => {
    if (IDS.has(key) && Number(value) > 1) return pathOf(value);
    if (Array.isArray(value)) return value.map((one) => clean(one));
    if (typeof value !== 'object' || value === null) return value;
    const isDynamic = 'comparison' in value && 'type' in value && value.type === 1;
    return Object.fromEntries(
      Object.entries(value)
        .filter(([inner]) => !TIMES.has(inner) && inner !== 'id' && inner !== 'parentId')
        .map(
          ([inner, one]) =>
            [inner, isDynamic && inner === 'value' ? pathOf(one) : clean(one, inner)] as const,
        )
        .sort(([a], [b]) => (a < b ? -1 : 1)),
    );
  };
  const isOurs = ({ ident, parent }: TreeObject) =>
    !['LINK', 'STATUS'].includes(ident) && (parent?.ident !== 'stellwerk' || STATUS.has(ident));
  return [...kernel.tree.all()]
    .filter((one) => one.parent !== null && isOurs(one))
    .map((one) => {
      const { hidden, disabled, icon, info, position, type, readOnly } = one;
      const data = clean(one.data) as Record<string, unknown>;
      if (one.is(objectType.script) && /^\d+\.js$/.test(one.data.file)) delete data['file'];
      if (readOnly || STATUS.has(one.ident)) delete data['value'];
      return JSON.stringify({ path: pathOf(one.id), hidden, disabled, icon, info, position, type, data });
    })
    .sort();
}

const scripts = async (house: GatewayFixture) =>
  Promise.all(
    ((await rpc(house, 'SVC_GetScriptList')) as number[]).map((id) => rpc(house, 'SVC_GetScriptContent', id)),
  );

t.test('a gateway can be rebuilt from its export, and exports the same again', async (t) => {
  const house = await startGateway(t, SIMULATED_CONFIG + FRONT + FULL_CONFIG);
  await populate(house);
  t.match(await rpc(house, 'GW_ReloadConfiguration'), { Problems: { length: 0 } });
  const [before, texts] = [shapeOf(house), await scripts(house)];
  await house.gateway.close();

  const exported = async (directory: string) =>
    exportGateway({
      from: { data: join(directory, 'data') },
      config: join(directory, 'gateway.yaml'),
      values: true,
    });
  const first = await exported(house.directory);
  for (const secret of SECRETS) t.notOk(first.text.includes(secret), 'no secret is in it');
  t.match(first.text, /In place of each \*\*\* give the secret:\n[^]*broker: Password/);
  t.match(first.text, /stellwerk call SVC_SetIdent \d+ dach_boeden_oben_kein_kommentar/);
  t.match(first.notes, [/option ScriptTimeLimit: stellwerk call SVC_SetOption ScriptTimeLimit 60/]);

  const rebuilt = first.text
    .replace(/(remoteAccess:[^]*?password: )"\*\*\*"/, `$1${OWNER.password}`)
    .replace(/(configurators:[^]*?password: )"\*\*\*"/, '$1petunia')
    .replaceAll('Password: "***"', 'Password: hunter2')
    .replace('me:***@', 'me:gandalf@');
  t.notMatch(rebuilt.replace(/\n#[^]*$/, ''), /\*\*\*/);
  const fresh = await startGateway(t, rebuilt);
  t.match(await rpc(fresh, 'GW_ReloadConfiguration'), { Problems: [/must not hold a user or a password/] });
  t.strictSame(shapeOf(fresh), before);
  t.strictSame((await scripts(fresh)).sort(), texts.sort());
  await rpc(fresh, 'SVC_SetOption', 'ScriptTimeLimit', 60);
  await fresh.gateway.close();
  const second = await exported(fresh.directory);
  const withoutIdents = (text: string) =>
    text.replace(/# These objects had no ident[^]*?(?=# Not in this file)/, '');
  t.equal(second.text, withoutIdents(first.text));
});

t.test('what a file cannot express is listed, not dropped; and a backup can be exported too', async (t) => {
  const house = await startGateway(t, SIMULATED_CONFIG + FRONT + FULL_CONFIG);
  const plug = await idOf(house, 'house/plug');
  const copy = (await rpc(
    house,
    'UC_DuplicateObject',
    await idOf(house, 'stellwerk/UC'),
    plug,
    0,
    false,
  )) as number;
  const gone = (await rpc(house, 'SVC_CreateVariable', 0)) as number;
  const leak = await idOf(house, 'house/leak');
  await rpc(house, 'SVC_SetEventConditionVariableRule', leak, 0, 5, gone, 0, true);
  await rpc(house, 'SVC_DeleteVariable', gone);
  const [image] = [(await rpc(house, 'SVC_CreateMedia', 1)) as number];
  await rpc(house, 'SVC_SetMediaContent', image, Buffer.from('x').toString('base64'));
  await rpc(house, 'SVC_SetIcon', await idOf(house, 'wf'), 'Star');
  await house.gateway.close();
  const file = join(house.directory, 'a.backup');
  const [data, config] = [join(house.directory, 'data'), join(house.directory, 'gateway.yaml')];
  t.equal((await runCli(['backup', '--data', data, '--config', config, file])).code, 0);
  const said = await runCli(['export', '--backup', file, '--no-values']);
  t.equal(said.code, 0);
  t.match(
    said.stdout,
    /house\/leak: it names #\d+, which does not exist\n.*house\/leak: it is inactive in this file/,
  );
  t.match(said.stdout, /files in the folder media of the data directory: copy the folder/);
  t.match(said.stdout, /wf: the front has settings, or objects below it, beyond its entry/);
  t.match(said.stdout, /records of the archive: stellwerk archive export/);
  t.match(said.stderr, /not in the file \(also listed at its end\):/);
  const alone = await runCli(['export', '--data', data]);
  t.match(alone.stderr, /no configuration was found; give it with --config FILE/);
  t.notMatch(said.stderr, /no configuration was found/);
  t.notMatch(said.stdout, /value: 3\.5/);
  t.match(said.stdout, /event: Leak\n +ident: leak\n[^]*?active: false/);
  t.match(said.stdout, new RegExp(`#${copy} .*is left out with all below it: it is a copy`));
  const checked = join(await tempDirectory(t), 'gateway.yaml');
  await writeFile(checked, said.stdout);
  const password = await runCli(['check', checked]);
  t.match(
    password.stdout + password.stderr,
    /:\d+:\d+: remoteAccess\.password: \*\*\* is the placeholder of an export/,
  );
  await writeFile(checked, said.stdout.replaceAll('password: "***"', 'password: grapefruit'));
  const { stdout, stderr } = await runCli(['check', checked]);
  t.match(stdout + stderr, /:\d+:\d+: warning: tree\[\d\]\.properties\.Password: \*\*\* is the placeholder/);
});
