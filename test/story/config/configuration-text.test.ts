import { chmod, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { type Caller, LOCAL_USER, TOKEN_USER } from '../../../src/device/declare.js';
import { OWNER } from '../../tools/gateway/api-fixture.js';
import { owner } from '../../tools/gateway/function-fixture.js';
import { callText, idOf, post, rpc } from '../../tools/client/json-rpc.js';
import { SIMULATED_CONFIG, SAMPLE_TREE, startGateway } from '../../tools/gateway/gateway-fixture.js';
import { basicLine } from '../../tools/client/raw-http.js';
import { runCli } from '../../tools/gateway/run-cli.js';

const CONFIG = `# who may enter
${SIMULATED_CONFIG}${SAMPLE_TREE}configurators:
  # the tablet in the hall
  - { title: Ground floor, ident: wf, base: ground_floor, password: tulip } # soon another
`;

interface Configuration {
  readonly Text: string;
  readonly Digest: string;
  readonly Path: string;
  readonly IsOverlay: boolean;
  readonly IsWritable: boolean;
}

/** A text as it is read: without its passwords. */
const shown = (text: string) => text.replace(/(password: )(?:swordfish|tulip)/g, '$1"***"');

type Fixture = Awaited<ReturnType<typeof startGateway>>;

const read = async (fixture: Fixture) => (await rpc(fixture, 'GW_GetConfigurationText')) as Configuration;

/** Status of a call of the owner with a password. */
const statusWith = async (fixture: Fixture, password: string) =>
  (await post(fixture, callText('GW_GetVersion', []), [basicLine(OWNER.username, password)])).status;

t.test('the owner reads, checks and replaces the configuration; the file keeps its mode', async (t) => {
  const fixture = await startGateway(t, CONFIG);
  const file = join(fixture.directory, 'gateway.yaml');
  await chmod(file, 0o640);
  const before = await read(fixture);
  t.match(before, { Text: shown(CONFIG), Path: file, IsOverlay: false, IsWritable: true });
  const text = CONFIG.replace('Upper floor', 'Attic').replace('upper_floor', 'attic');
  t.match(await rpc(fixture, 'GW_SetConfigurationText', text, before.Digest), {
    NeedsRestart: [],
    Problems: [],
    CodedProblems: [],
  });
  t.equal(await rpc(fixture, 'SVC_GetName', await idOf(fixture, 'attic')), 'Attic');
  t.equal(await readFile(file, 'utf8'), text);
  t.equal((await stat(file)).mode & 0o777, 0o640);
  t.equal(await rpc(fixture, 'GW_SetConfigurationText', CONFIG, before.Digest), 'CONFIGURATION_CHANGED');
  t.equal((await read(fixture)).Text, shown(text));
  const changed = (await read(fixture)).Text.replace('Attic', 'Top');
  await rpc(fixture, 'GW_SetConfigurationText', changed, (await read(fixture)).Digest);
  t.equal(await readFile(file, 'utf8'), text.replace('Attic', 'Top'), 'the passwords stay');
});

t.test('a URL that was edited without its password does not replace the one with it', async (t) => {
  const stream =
    '  - { media: Camera, ident: camera, type: stream, file: "rtsp://viewer:rose@camera/main" }\n';
  const config = CONFIG.replace('configurators:', `${stream}configurators:`);
  const fixture = await startGateway(t, config);
  const { Text, Digest } = await read(fixture);
  t.match(Text, 'rtsp://viewer:***@camera/main');
  const write = (text: string) => rpc(fixture, 'GW_SetConfigurationText', text, Digest);
  t.equal(await write(Text.replace('camera/main', 'camera/sub')), 'CONFIGURATION_INVALID');
  t.equal(await readFile(join(fixture.directory, 'gateway.yaml'), 'utf8'), config);
  t.match(await write(Text.replace(/viewer.*main/, 'viewer:tulip@camera/sub')), { Problems: [] });
  t.match(await readFile(join(fixture.directory, 'gateway.yaml'), 'utf8'), 'rtsp://viewer:tulip@camera/sub');
});

t.test('a text with errors is not written; its problems have line, column and key', async (t) => {
  const fixture = await startGateway(t, CONFIG);
  const { Digest } = await read(fixture);
  const wrong = CONFIG.replace('api: { port: 0 }', 'api: { prot: 0 }').replace('RELAY1', 'RELAY77');
  const problems = await rpc(fixture, 'GW_CheckConfiguration', wrong);
  const prot = { Line: 4, Column: 8, Path: 'api.prot', Severity: 'error', Text: /did you mean port/ };
  t.match(problems, [prot, { Line: 9, Path: 'tree[0].children[0].properties.Line' }]);
  const { error } = JSON.parse(
    (await post(fixture, callText('GW_SetConfigurationText', [wrong, Digest]), [basicLine(...login)])).body,
  ) as { error: { data: { code: string; problems: unknown } } };
  t.equal(error.data.code, 'CONFIGURATION_INVALID');
  t.strictSame(error.data.problems, problems);
  t.equal((await read(fixture)).Text, shown(CONFIG));
  t.strictSame(await rpc(fixture, 'GW_CheckConfiguration', CONFIG), []);
  t.strictSame(await rpc(fixture, 'GW_CheckConfiguration', shown(CONFIG)), []);
  const behind = shown(CONFIG).replace('"***" } #', '"***", mobil: 1 } #');
  const [unknown] = (await rpc(fixture, 'GW_CheckConfiguration', behind)) as {
    Line: number;
    Column: number;
  }[];
  const line = behind.split('\n')[(unknown?.Line ?? 0) - 1];
  t.equal(line?.indexOf('mobil'), (unknown?.Column ?? 0) - 1, 'columns are those of the given text');
  const damaged = 'remoteAccess: { password: "swordfi\n';
  const [syntax] = (await rpc(fixture, 'GW_CheckConfiguration', damaged)) as { Text: string }[];
  t.notMatch(syntax?.Text, 'swordfi', 'the parser quotes the line');
});

const login = [OWNER.username, OWNER.password] as const;

t.test('a file that the gateway may only read is replaced by an overlay in the data directory', async (t) => {
  const fixture = await startGateway(t, CONFIG);
  const { directory } = fixture;
  const [file, overlay] = [join(directory, 'gateway.yaml'), join(directory, 'data', 'gateway.yaml')];
  await chmod(file, 0o444);
  const before = await read(fixture);
  t.match(before, { Path: file, IsOverlay: false, IsWritable: false });
  const text = CONFIG.replace('Upper floor', 'Attic').replace('upper_floor', 'attic');
  await rpc(fixture, 'GW_SetConfigurationText', text, before.Digest);
  t.equal(await readFile(file, 'utf8'), CONFIG);
  t.equal(await readFile(overlay, 'utf8'), text);
  t.equal((await stat(overlay)).mode & 0o777, 0o600);
  t.match(await read(fixture), { Text: shown(text), Path: overlay, IsOverlay: true, IsWritable: false });
  t.match(JSON.stringify(await rpc(fixture, 'GW_GetHealth')), `applied from ${overlay}, which replaces`);
  t.ok(await idOf(fixture, 'attic'));
  await fixture.gateway.close();

  const exported = await runCli(['export', '--data', join(directory, 'data'), '--config', file]);
  t.match(exported, { code: 0, stdout: /attic/ });
  const again = await startGateway(t, undefined, { directory });
  t.match(await read(again), { Text: shown(text), IsOverlay: true });
  await rm(overlay);
  await rpc(again, 'GW_ReloadConfiguration');
  t.match(await read(again), { Text: shown(CONFIG), IsOverlay: false });
});

t.test('a password is set as a hash, comments stay, and the old password is no longer valid', async (t) => {
  const fixture = await startGateway(t, CONFIG);
  const front = await idOf(fixture, 'wf');
  const frontStatus = async (password: string) =>
    (await post(fixture, callText('WFC_GetSnapshot', [front]), [basicLine('webfront', password)])).status;
  t.equal(await frontStatus('tulip'), 200);
  await rpc(fixture, 'GW_SetPassword', 'wf', 'four tulips');
  t.strictSame([await frontStatus('tulip'), await frontStatus('four tulips')], [401, 200]);
  await rpc(fixture, 'GW_SetPassword', 'owner', 'correct horse');
  t.strictSame(
    [await statusWith(fixture, OWNER.password), await statusWith(fixture, 'correct horse')],
    [401, 200],
  );
  const text = await readFile(join(fixture.directory, 'gateway.yaml'), 'utf8');
  for (const comment of ['# who may enter', '# the tablet in the hall', '# soon another'])
    t.match(text, comment);
  t.equal(text.match(/passwordHash: ["']?scrypt\$/g)?.length, 2);
  t.notMatch(text, /tulips|correct horse|password:/);
  t.notMatch(fixture.log.join(''), /four tulips|correct horse/);
  const audit = await fixture.gateway.registry.call('GW_GetAudit', [], owner);
  t.match(JSON.stringify(audit), /GW_SetPassword/);
  t.notMatch(JSON.stringify(audit), /four tulips|correct horse/);
});

t.test('a password needs 8 characters and a known target', async (t) => {
  const fixture = await startGateway(t, CONFIG);
  t.equal(await rpc(fixture, 'GW_SetPassword', 'owner', 'short12'), 'PARAMETER_BOUNDS');
  t.equal(await rpc(fixture, 'GW_SetPassword', 'wf9', 'long enough'), 'NAME_NOT_FOUND');
  t.equal((await read(fixture)).Text, shown(CONFIG));
  await writeFile(join(fixture.directory, 'gateway.yaml'), 'nothing: 1\n');
  t.equal(await rpc(fixture, 'GW_SetPassword', 'owner', 'long enough'), 'CONFIGURATION_INVALID');
});

t.test(
  'neither scripts nor tokens nor local clients without a password reach the configuration',
  async (t) => {
    const { registry } = (await startGateway(t, CONFIG)).gateway;
    const script: Caller = { role: 'owner', user: 'script 12345', remote: 'local' };
    const others = [TOKEN_USER, LOCAL_USER].map((user): Caller => ({ ...owner, user }));
    for (const caller of [script, ...others])
      for (const [name, ...params] of [
        ['GW_GetConfigurationText'],
        ['GW_SetConfigurationText', '', ''],
        ['GW_SetPassword', 'owner', 'long enough'],
      ] as const)
        await t.rejects(async () => registry.call(name, params, caller), { code: 'NOT_ALLOWED' }, name);
  },
);
