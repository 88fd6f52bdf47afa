import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { exportGateway } from '../../../src/composition/export/export-gateway.js';
import { objectType, type TreeObject } from '../../../src/kernel/object.js';
import { OWNER } from '../../tools/gateway/api-fixture.js';
import { idOf, rpc } from '../../tools/client/json-rpc.js';
import { FULL_CONFIG } from '../../tools/gateway/full-config.js';
import { SIMULATED_CONFIG, startGateway, type GatewayFixture } from '../../tools/gateway/gateway-fixture.js';
import { tempDirectory } from '../../tools/temp-directory.js';
import { runCli } from '../../tools/gateway/run-cli.js';

const FRONT = 'configurators: [{ title: House, ident: wf, base: house, password: petunia }]\n';
/** The gateway's own variables that change below. */
const STATUS = new Set(['HEALTH', 'PROBLEMS']);
const SECRETS = [OWNER.password, 'petunia', 'hunter2', 'gandalf'];

/** Objects that were created by calls, without idents and with everything that can be set. */
async function populate(fixture: GatewayFixture): Promise<void> {
  const create = async (method: string, [parent, name]: readonly [number, string], ...args: unknown[]) => {
    const id = (await rpc(fixture, method, ...args)) as number;
    await rpc(fixture, 'SVC_SetParent', id, parent);
    await rpc(fixture, 'SVC_SetName', id, name);
    return id;
  };
  const attic = await create('SVC_CreateCategory', [0, 'Dach & Böden: "oben"\n# kein Kommentar']);
  const count = await create('SVC_CreateVariable', [attic, 'Count'], 1);
  await create('SVC_CreateVariable', [attic, 'Count'], 3);
  await rpc(fixture, 'SetValue', count, -7);
  await rpc(fixture, 'SVC_SetInfo', count, 'two\nlines');
  await rpc(fixture, 'SVC_CreateVariableProfile', 'Steps', 1);
  await rpc(fixture, 'SVC_SetVariableProfileAssociation', 'Steps', 1, 'one', '', 0x00ff00);
  await rpc(fixture, 'SVC_SetVariableCustomProfile', count, 'Steps');
  await rpc(fixture, 'AC_SetLoggingStatus', await idOf(fixture, 'stellwerk/AC'), count, true);
  const script = await create('SVC_CreateScript', [attic, ''], 0);
  await rpc(fixture, 'SVC_SetScriptFile', script, 'attic.ts');
  await rpc(fixture, 'SVC_SetScriptContent', script, 'const n: number = 1;\n\n  print(n); // "ü" \t\n');
  await rpc(fixture, 'SVC_SetScriptTimer', script, 60);
  await rpc(fixture, 'SVC_SetVariableCustomAction', count, script);
  const event = await create('SVC_CreateEvent', [count, 'Both'], 0);
  await rpc(fixture, 'SVC_SetEventTrigger', event, 4, count);
  await rpc(fixture, 'SVC_SetEventTriggerValue', event, 5);
  await rpc(fixture, 'SVC_SetEventCondition', event, 3, 3, 2);
  await rpc(
    fixture,
    'SVC_SetEventConditionVariableDynamicRule',
    event,
    3,
    9,
    count,
    5,
    await idOf(fixture, 'house/target'),
  );
  await rpc(fixture, 'SVC_SetEventCondition', event, 8, 3, 1);
  await rpc(fixture, 'SVC_SetEventConditionDateRule', event, 8, 1, 2, 1, 4, 2027);
  await rpc(fixture, 'SVC_SetEventAction', event, '{7938A5A2-0981-5FE0-BE6C-8AA610D654EB}', {
    TARGET: script,
  });
  await rpc(fixture, 'SVC_SetEventActive', event, true);
  const link = await create('SVC_CreateLink', [attic, 'Shortcut']);
  await rpc(fixture, 'SVC_SetLinkTargetID', link, await idOf(fixture, 'house/lamp/STATE'));
  await create('SVC_CreateLink', [attic, 'To nothing']);
  const lamp = await create('SVC_CreateInstance', [attic, 'Second lamp'], 'GPIO Output');
  await rpc(fixture, 'SVC_SetConfiguration', lamp, '{"Line":"RELAY2","Boot":"inactive"}');
  await rpc(fixture, 'SVC_ApplyChanges', lamp);
  const broker = await create('SVC_CreateInstance', [attic, 'Broker'], 'MQTT Client');
  await rpc(fixture, 'SVC_SetConfiguration', broker, '{"Url":"mqtt://me:gandalf@127.0.0.1:1"}');
  await rpc(fixture, 'SVC_ApplyChanges', broker);
  const device = await create('SVC_CreateInstance', [broker, 'Not connected'], 'MQTT Device');
  await rpc(fixture, 'SVC_SetHidden', device, true);
  await rpc(fixture, 'GW_SetPublishRule', device, 'home-assistant');
  await rpc(fixture, 'GW_SetPublishRule', await idOf(fixture, 'house/lamp/STATE'), 'none');
  const place = await idOf(fixture, 'stellwerk/LC');
  await rpc(fixture, 'SVC_SetConfiguration', place, '{"Latitude":50,"Longitude":8}');
  await rpc(fixture, 'SVC_ApplyChanges', place);
  await rpc(fixture, 'SVC_SetParent', await idOf(fixture, 'stellwerk/UC'), attic);
  await rpc(fixture, 'SVC_SetIcon', await idOf(fixture, 'stellwerk/HEALTH'), 'Heart');
  await rpc(fixture, 'SVC_SetName', await idOf(fixture, 'stellwerk/PROBLEMS'), 'Count of problems');
  await rpc(fixture, 'SVC_SetOption', 'ScriptTimeLimit', 60);
}

/** The tree without ids and times, with references as paths. */
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
      const { hidden, disabled, icon, info, position, type, readOnly, publish } = one;
      const data = clean(one.data) as Record<string, unknown>;
      if (one.is(objectType.script) && /^\d+\.js$/.test(one.data.file)) delete data['file'];
      if (readOnly || STATUS.has(one.ident)) delete data['value'];
      return JSON.stringify({
        path: pathOf(one.id),
        hidden,
        disabled,
        icon,
        info,
        position,
        publish,
        type,
        data,
      });
    })
    .sort();
}

const scripts = async (fixture: GatewayFixture) =>
  Promise.all(
    ((await rpc(fixture, 'SVC_GetScriptList')) as number[]).map((id) =>
      rpc(fixture, 'SVC_GetScriptContent', id),
    ),
  );

t.test('a gateway can be rebuilt from its export, and then exports the same', async (t) => {
  const fixture = await startGateway(t, SIMULATED_CONFIG + FRONT + FULL_CONFIG);
  await populate(fixture);
  t.match(await rpc(fixture, 'GW_ReloadConfiguration'), { Problems: { length: 0 } });
  const [before, texts] = [shapeOf(fixture), await scripts(fixture)];
  await fixture.gateway.close();

  const exported = async (directory: string) =>
    exportGateway({
      from: { data: join(directory, 'data') },
      config: join(directory, 'gateway.yaml'),
      values: true,
    });
  const first = await exported(fixture.directory);
  for (const secret of SECRETS) t.notOk(first.text.includes(secret), 'it contains no secret');
  t.match(first.text, /Replace each \*\*\* by the secret:\n[^]*broker: Password/);
  t.match(first.text, /stellwerk call SVC_SetIdent \d+ dach_boeden_oben_kein_kommentar/);
  t.match(first.notes, [/option ScriptTimeLimit: stellwerk call SVC_SetOption ScriptTimeLimit 60/]);

  const rebuilt = first.text
    .replace(/(remoteAccess:[^]*?password: )"\*\*\*"/, `$1${OWNER.password}`)
    .replace(/(configurators:[^]*?password: )"\*\*\*"/, '$1petunia')
    .replaceAll('Password: "***"', 'Password: hunter2')
    .replace('me:***@', 'me:gandalf@');
  t.notMatch(rebuilt.replace(/\n#[^]*$/, ''), /\*\*\*/);
  const fresh = await startGateway(t, rebuilt);
  t.match(await rpc(fresh, 'GW_ReloadConfiguration'), {
    Problems: [/must not contain a user name or password/],
  });
  t.strictSame(shapeOf(fresh), before);
  t.strictSame((await scripts(fresh)).sort(), texts.sort());
  await rpc(fresh, 'SVC_SetOption', 'ScriptTimeLimit', 60);
  await fresh.gateway.close();
  const second = await exported(fresh.directory);
  const withoutIdents = (text: string) =>
    text.replace(/# These objects had no ident[^]*?(?=# Not in this file)/, '');
  t.equal(second.text, withoutIdents(first.text));
});

t.test('what a file cannot express is listed, and a backup can be exported too', async (t) => {
  const fixture = await startGateway(t, SIMULATED_CONFIG + FRONT + FULL_CONFIG);
  const plug = await idOf(fixture, 'house/plug');
  const copy = (await rpc(
    fixture,
    'UC_DuplicateObject',
    await idOf(fixture, 'stellwerk/UC'),
    plug,
    0,
    false,
  )) as number;
  const gone = (await rpc(fixture, 'SVC_CreateVariable', 0)) as number;
  const leak = await idOf(fixture, 'house/leak');
  await rpc(fixture, 'SVC_SetEventConditionVariableRule', leak, 0, 5, gone, 0, true);
  await rpc(fixture, 'SVC_DeleteVariable', gone);
  const [image] = [(await rpc(fixture, 'SVC_CreateMedia', 1)) as number];
  await rpc(fixture, 'SVC_SetMediaContent', image, Buffer.from('x').toString('base64'));
  await rpc(fixture, 'SVC_SetIcon', await idOf(fixture, 'wf'), 'Star');
  for (const name of ['colours.js', 'functions.d.ts'])
    await writeFile(join(fixture.directory, 'data', 'scripts', name), '');
  await fixture.gateway.close();
  const file = join(fixture.directory, 'a.backup');
  const [data, config] = [join(fixture.directory, 'data'), join(fixture.directory, 'gateway.yaml')];
  t.equal((await runCli(['backup', '--data', data, '--config', config, file])).code, 0);
  const said = await runCli(['export', '--backup', file, '--no-values']);
  t.equal(said.code, 0);
  t.match(
    said.stdout,
    /house\/leak: it refers to #\d+, which does not exist\n.*house\/leak: it is inactive in this file/,
  );
  t.match(said.stdout, /files in the folder media of the data directory: copy the folder/);
  t.match(said.stdout, /the script file colours\.js, which belongs to no script/);
  t.notMatch(said.stdout, /script file (\d+\.js|functions)/);
  t.match(said.stdout, /wf: the front has settings, or objects below it, beyond its entry/);
  t.match(said.stdout, /records of the archive: stellwerk archive export/);
  t.match(said.stderr, /not in the file \(also listed at its end\):/);
  const alone = await runCli(['export', '--data', data]);
  t.match(alone.stderr, /no configuration was found; pass it with --config FILE/);
  t.notMatch(said.stderr, /no configuration was found/);
  t.notMatch(said.stdout, /value: 3\.5/);
  t.match(said.stdout, /event: Leak\n +ident: leak\n[^]*?active: false/);
  t.match(said.stdout, new RegExp(`#${copy} .*is omitted with all objects below it: it is a copy`));
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

t.test('events without a date or with an unknown action are exported so that the file loads', async (t) => {
  const fixture = await startGateway(t, SIMULATED_CONFIG + FULL_CONFIG);
  const create = async (ident: string) => {
    const id = (await rpc(fixture, 'SVC_CreateEvent', 1)) as number;
    await rpc(fixture, 'SVC_SetIdent', id, ident);
    return id;
  };
  const once = await create('once');
  t.equal(await rpc(fixture, 'SVC_SetEventCyclic', once, 1, 0, 0, 0, 0, 0), true);
  const { kernel } = fixture.gateway;
  // An action of a version of the gateway that had it.
  kernel.events.set(kernel.events.get(await create('gone')), { actionId: '{0}', active: true });
  await fixture.gateway.close();
  const [data, config] = [join(fixture.directory, 'data'), join(fixture.directory, 'gateway.yaml')];
  const { text, notes } = await exportGateway({ from: { data }, config, values: true });
  t.match(text, /ident: once\n[^]*?date: "?1970-01-01/);
  t.match(notes.join('\n'), /once: its days and times differ from/);
  t.match(notes.join('\n'), /gone: its action \{0\} does not exist/);
  const checked = join(await tempDirectory(t), 'gateway.yaml');
  await writeFile(checked, text.replaceAll('password: "***"', 'password: grapefruit'));
  const { code, stdout, stderr } = await runCli(['check', checked]);
  t.equal(code, 0, stdout + stderr);
});
