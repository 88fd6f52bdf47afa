import { chmod, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { type Caller, LOCAL_USER, TOKEN_USER } from '../../../src/device/declare.js';
import { callText, idOf, post, rpc } from '../../tools/client/json-rpc.js';
import { basicLine } from '../../tools/client/raw-http.js';
import { owner } from '../../tools/gateway/function-fixture.js';
import { SIMULATED_CONFIG, SAMPLE_TREE, startGateway } from '../../tools/gateway/gateway-fixture.js';

const CONFIG = `# who may enter
${SIMULATED_CONFIG}${SAMPLE_TREE}configurators:
  # the tablet in the hall
  - { title: Ground floor, ident: wf, base: ground_floor, password: tulip } # soon another
`;

/** A text as it is read: without its passwords. */
const shown = (text: string) => text.replace(/(password: )(?:swordfish|tulip)/g, '$1"***"');

type Fixture = Awaited<ReturnType<typeof startGateway>>;

interface Settings {
  readonly Settings: { readonly configurators?: readonly object[]; readonly log?: object };
  readonly Digest: string;
}

const read = async (fixture: Fixture) => (await rpc(fixture, 'GW_GetSettings')) as Settings;
const fileOf = ({ directory }: Fixture) => readFile(join(directory, 'gateway.yaml'), 'utf8');
const change = async (fixture: Fixture, ...changes: readonly (readonly [string, unknown])[]) =>
  rpc(
    fixture,
    'GW_ChangeSettings',
    changes.map(([Path, Value]) => ({ Path, Value })),
    (await read(fixture)).Digest,
  );
/** Status of a call of a user of a front. */
const frontStatus = async (fixture: Fixture, ident: string, password: string) =>
  (
    await post(fixture, callText('WFC_GetSnapshot', [await idOf(fixture, ident)]), [
      basicLine('webfront', password),
    ])
  ).status;

t.test('an area is added with its password, changed and removed; comments stay', async (t) => {
  const fixture = await startGateway(t, CONFIG);
  const before = await read(fixture);
  t.match(before.Settings, { configurators: [{ title: 'Ground floor', password: '***' }], tree: undefined });
  t.notMatch(JSON.stringify(before), /tulip|swordfish/);
  const attic = { title: 'Attic', ident: 'attic', base: 'upper_floor', password: 'four tulips' };
  t.match(await change(fixture, ['configurators[1]', attic]), { NeedsRestart: [], Problems: [] });
  t.equal(await frontStatus(fixture, 'attic', 'four tulips'), 200);
  t.match(await read(fixture), {
    Settings: { configurators: [{}, { title: 'Attic', passwordHash: '***' }] },
  });
  await change(fixture, ['configurators[1].title', 'Roof'], ['configurators[1].password', 'five tulips']);
  t.strictSame(
    [await frontStatus(fixture, 'attic', 'four tulips'), await frontStatus(fixture, 'attic', 'five tulips')],
    [401, 200],
  );
  const text = await fileOf(fixture);
  for (const kept of ['# who may enter', '# the tablet in the hall', '# soon another', 'title: Roof'])
    t.match(text, kept);
  t.notMatch(text, /four tulips|five tulips/);
  const audit = JSON.stringify(await fixture.gateway.registry.call('GW_GetAudit', [], owner));
  t.match(audit, /GW_ChangeSettings/);
  t.notMatch(audit, /four tulips|five tulips/);
  await change(fixture, ['configurators[1]', null]);
  t.equal((await read(fixture)).Settings.configurators?.length, 1);
});

t.test('the secrets of URLs are not shown, and stay where a URL is written as it was shown', async (t) => {
  const url = 'https://box:hyacinth@updates.invalid/x.json?token=daffodil';
  const masked = 'https://box:***@updates.invalid/x.json?token=***';
  const fixture = await startGateway(t, `${CONFIG}updates: { url: "${url}" }\n`);
  const before = await read(fixture);
  t.match(before.Settings, { updates: { url: masked } });
  t.notMatch(JSON.stringify(before), /hyacinth|daffodil/);
  for (const [path, value] of [
    ['updates.url', masked],
    ['updates', { url: masked, install: false }],
  ] as const) {
    t.match(await change(fixture, [path, value]), { Problems: [] }, path);
    t.match(await fileOf(fixture), url, path);
  }
  const changed = masked.replace('updates.', 'other.');
  t.equal(await change(fixture, ['updates.url', changed]), 'CONFIGURATION_INVALID');
  t.match(await fileOf(fixture), url, 'an edited URL needs its secrets again, and nothing is lost');
  await change(fixture, ['updates.url', changed.replaceAll('***', 'iris')]);
  t.match(await fileOf(fixture), 'https://box:iris@other.invalid/x.json?token=iris');
});

t.test('changes are checked without being made', async (t) => {
  const fixture = await startGateway(t, CONFIG);
  const before = await fileOf(fixture);
  const problems = (value: unknown) =>
    rpc(fixture, 'GW_CheckSettings', [{ Path: 'store.backups', Value: value }]);
  t.strictSame(await problems(3), []);
  t.match(await problems('many'), [{ Path: /backups/ }]);
  t.equal(await fileOf(fixture), before);
});

t.test('a password in plain text is replaced by the hash of a new one', async (t) => {
  const fixture = await startGateway(
    t,
    `${CONFIG}metrics: { password: lilac }
webServers:
  - { name: web, host: 127.0.0.1, port: 0, serve: front, basicAuth: { username: guest, password: lilac } }
`,
  );
  const check = (Path: string, Value: unknown) => rpc(fixture, 'GW_CheckSettings', [{ Path, Value }]);
  const holders = ['configurators[0]', 'metrics', 'webServers[0].basicAuth'];
  // Twice: the second password replaces a hash.
  for (const password of ['four tulips', 'five tulips'])
    for (const path of holders.map((holder) => `${holder}.password`)) {
      t.strictSame(await check(path, password), [], path);
      t.match(await change(fixture, [path, password]), { Problems: [] }, path);
    }
  const text = await fileOf(fixture);
  t.equal(text.match(/passwordHash: /g)?.length, 3);
  t.notMatch(text, /password: (?:tulip|lilac)|(?:four|five) tulips/);
  t.equal(await frontStatus(fixture, 'wf', 'five tulips'), 200);
  t.strictSame(await check('configurators[0].password', null), []);
  t.match(await change(fixture, ['configurators[0].password', null]), { Problems: [] });
  t.equal(await frontStatus(fixture, 'wf', 'five tulips'), 200, 'null removes this key only');
});

t.test('a key below one that is missing can be removed', async (t) => {
  const fixture = await startGateway(t, CONFIG);
  const removed = [
    'log.level',
    'metrics.password',
    'configurators[5].mobile',
    'webServers[0].basicAuth.password',
  ];
  for (const path of removed) {
    t.strictSame(await rpc(fixture, 'GW_CheckSettings', [{ Path: path, Value: null }]), [], path);
    t.match(await change(fixture, [path, null]), { Applied: [], Problems: [] }, path);
  }
  t.equal(await fileOf(fixture), CONFIG);
});

t.test('no area has the ident of the owner, whose password it would set', async (t) => {
  const fixture = await startGateway(t, CONFIG);
  const changes = [{ Path: 'configurators[0].ident', Value: 'owner' }];
  t.match(await rpc(fixture, 'GW_CheckSettings', changes), [
    {
      Severity: 'error',
      Path: 'configurators[0].ident',
      Text: 'owner is reserved for the gateway itself; choose another ident',
    },
  ]);
  t.equal(await change(fixture, ['configurators[0].ident', 'owner']), 'CONFIGURATION_INVALID');
});

t.test('settings that are missing are added, and null removes them', async (t) => {
  const fixture = await startGateway(t, CONFIG);
  await change(fixture, ['log.level', 'warn'], ['store.backups', 3]);
  t.match((await read(fixture)).Settings, { log: { level: 'warn' }, store: { backups: 3 } });
  await change(fixture, ['log', null]);
  t.notOk('log' in (await read(fixture)).Settings);
});

t.test('invalid changes, and changes of an older configuration, change nothing', async (t) => {
  const fixture = await startGateway(t, CONFIG);
  const { Digest } = await read(fixture);
  const invalid = [
    ['CONFIGURATION_INVALID', 'log.level', 'loud'],
    ['CONFIGURATION_INVALID', 'configurators[1]', { title: 'Attic' }],
    ['PARAMETER_BOUNDS', 'tree[0].category', 'Roof'],
    ['PARAMETER_BOUNDS', 'remoteAccess.username.first', 'Anna'],
    ['PARAMETER_BOUNDS', 'remoteAccess..username', 'Anna'],
    ['PARAMETER_BOUNDS', '', 'Anna'],
    ['PARAMETER_BOUNDS', 'configurators[0].password', 'short'],
    ['PARAMETER_BOUNDS', 'configurators[1]', { ident: 'x', password: 'short' }],
  ] as const;
  for (const [code, path, value] of invalid) t.equal(await change(fixture, [path, value]), code, path);
  t.equal(await fileOf(fixture), CONFIG);
  await change(fixture, ['log.level', 'warn']);
  const late = [{ Path: 'log.level', Value: 'debug' }];
  t.equal(await rpc(fixture, 'GW_ChangeSettings', late, Digest), 'CONFIGURATION_CHANGED');
  for (const wrong of [{ a: 1 }, [{ Path: 'log' }], [{ Path: 5, Value: 1 }], [null], ['log']])
    t.equal(await rpc(fixture, 'GW_ChangeSettings', wrong, Digest), 'PARAMETER_TYPE', JSON.stringify(wrong));
});

t.test('the owner compares the overlay with the installed file, and returns to that', async (t) => {
  const fixture = await startGateway(t, CONFIG);
  const { directory } = fixture;
  const [file, overlay] = [join(directory, 'gateway.yaml'), join(directory, 'data', 'gateway.yaml')];
  await chmod(file, 0o444);
  const present = async () =>
    (await rpc(fixture, 'GW_GetConfigurationText')) as { Text: string; Digest: string };
  t.equal(await rpc(fixture, 'GW_RemoveConfigurationOverlay', (await present()).Digest), 'NOT_SUPPORTED');
  await change(fixture, ['configurators[0].title', 'Hall']);
  const changed = await present();
  t.match(changed, { Path: overlay, IsOverlay: true });
  t.match(await rpc(fixture, 'GW_GetInstalledConfiguration'), {
    Text: shown(CONFIG),
    Path: file,
    IsOverlay: false,
  });
  t.equal(await rpc(fixture, 'GW_RemoveConfigurationOverlay', 'another'), 'CONFIGURATION_CHANGED');
  t.match(await rpc(fixture, 'GW_RemoveConfigurationOverlay', changed.Digest), { Problems: [] });
  t.match(await present(), { Text: shown(CONFIG), Path: file, IsOverlay: false });
  t.equal(shown(await readFile(`${overlay}.removed`, 'utf8')), changed.Text);
  t.equal((await stat(`${overlay}.removed`)).mode & 0o777, 0o600);
});

t.test('the owner exports the gateway as it is', async (t) => {
  const fixture = await startGateway(t, CONFIG);
  const id = Number(await rpc(fixture, 'SVC_CreateVariable', 1));
  await rpc(fixture, 'SVC_SetName', id, 'Created by a call');
  await rpc(fixture, 'SetValue', id, 7);
  const exported = async (values: boolean) =>
    (await rpc(fixture, 'GW_ExportConfiguration', values)) as { Text: string; Notes: string[] };
  const { Text, Notes } = await exported(false);
  t.match(Text, /variable: Created by a call/);
  t.notMatch(Text, /swordfish|tulip/);
  t.ok(Notes.every((note) => Text.includes(note)));
  t.notMatch(Text, /value: 7/);
});

t.test('an installed file with errors does not replace the overlay', async (t) => {
  const fixture = await startGateway(t, CONFIG);
  const file = join(fixture.directory, 'gateway.yaml');
  await chmod(file, 0o444);
  await change(fixture, ['configurators[0].title', 'Hall']);
  await chmod(file, 0o644);
  await writeFile(file, 'nothing: 1\n');
  await chmod(file, 0o444);
  const { Digest } = (await rpc(fixture, 'GW_GetConfigurationText')) as { Digest: string };
  await t.rejects(
    async () => fixture.gateway.registry.call('GW_RemoveConfigurationOverlay', [Digest], owner),
    { code: 'CONFIGURATION_INVALID', message: `${file}:1:1: ` },
    'the error names the file that is not valid',
  );
  t.match(await rpc(fixture, 'GW_GetConfigurationText'), { IsOverlay: true });
});

t.test('neither scripts nor tokens nor local clients without a password reach the settings', async (t) => {
  const { registry } = (await startGateway(t, CONFIG)).gateway;
  const script: Caller = { role: 'owner', user: 'script 12345', remote: 'local' };
  const others = [TOKEN_USER, LOCAL_USER].map((user): Caller => ({ ...owner, user }));
  for (const caller of [script, ...others])
    for (const [name, ...params] of [
      ['GW_GetSettings'],
      ['GW_ChangeSettings', [], ''],
      ['GW_GetInstalledConfiguration'],
      ['GW_RemoveConfigurationOverlay', ''],
    ] as const)
      await t.rejects(async () => registry.call(name, params, caller), { code: 'NOT_ALLOWED' }, name);
});
