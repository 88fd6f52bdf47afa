import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import t from 'tap';
import { hashPassword } from '../../../src/base/credentials/password-hash.js';
import { ManualClock } from '../../../src/base/clock.js';
import { OWNER, ownerLine } from '../../tools/gateway/api-fixture.js';
import { callText, idOf, post, replyIn, rpc, resultOrStatus, valueAt } from '../../tools/client/json-rpc.js';
import { SIMULATED_CONFIG, SAMPLE_TREE, startGateway } from '../../tools/gateway/gateway-fixture.js';
import { tempDirectory } from '../../tools/temp-directory.js';
import { openWebSocket, takeFrames } from '../../tools/client/message-stream.js';
import { basicLine } from '../../tools/client/raw-http.js';
import { until } from '../../tools/until.js';

const front = (rest: string) =>
  `configurators: [{ title: Ground floor, ident: wf, base: ground_floor, ${rest} }]\n`;

t.test(
  'a gateway with an invalid configuration does not start, and names file and line of each error',
  async (t) => {
    const yaml = `board: generic
remoteAccess: { username: owner@example.org, password: swordfish }
api: { host: 0.0.0.0, port: 3777, prot: 1 }
tree: [{ category: House, ident: house, chidlren: [] }]
`;
    const directory = await tempDirectory(t);
    const file = join(directory, 'gateway.yaml');
    const failed = await startGateway(t, yaml, { directory }).catch((thrown: unknown) => String(thrown));
    t.match(failed, `${file}:3:35: api.prot: there is no such key; did you mean port?`);
    t.match(failed, `${file}:4:41: tree[0].chidlren: there is no such key; did you mean children?`);
    const others = yaml.replace(', prot: 1', '').replace('chidlren', 'children');
    const meaning = await startGateway(t, others, { directory }).catch((thrown: unknown) => String(thrown));
    t.match(
      meaning,
      `${file}:2:27: remoteAccess.username: this value is from the public sample configuration`,
    );
    t.match(
      meaning,
      `${file}:2:56: remoteAccess.password: this value is from the public sample configuration`,
    );
    t.match(meaning, `${file}:3:14: api.host: plain HTTP on a non-loopback address: set tls`);
  },
);

t.test('passwords can be in separate files, in plain text or as hashes', async (t) => {
  const directory = await tempDirectory(t);
  await writeFile(join(directory, 'owner'), `${await hashPassword(OWNER.password)}\n`);
  await writeFile(join(directory, 'front'), 'tulip\n');
  const yaml = SIMULATED_CONFIG.replace(`password: ${OWNER.password}`, 'passwordFile: owner');
  const fixture = await startGateway(t, yaml + SAMPLE_TREE + front('passwordFile: front'), { directory });
  t.match(await rpc(fixture, 'SVC_GetKernelVersion'), /\d/);
  const wf = await idOf(fixture, 'wf');
  const opened = async (password: string) =>
    (await post(fixture, callText('WFC_GetSnapshot', [wf]), [basicLine('webfront', password)])).status;
  t.strictSame([await opened('tulip'), await opened('Tulip')], [200, 401]);
});

t.test(
  'a reload creates what is missing in the tree; changes at run time stay until their line changes',
  async (t) => {
    const fixture = await startGateway(t, SIMULATED_CONFIG + SAMPLE_TREE);
    const relay = await idOf(fixture, 'ground_floor/hall_relay');
    const setpoint = await idOf(fixture, 'ground_floor/setpoint');
    await rpc(fixture, 'SetValue', setpoint, 18);
    await rpc(fixture, 'SVC_SetName', relay, 'Lamp');
    await rpc(fixture, 'SVC_SetProperty', relay, 'Line', 'RELAY2');
    await rpc(fixture, 'SVC_ApplyChanges', relay);
    const reload = async (yaml: string) => {
      await fixture.configure(SIMULATED_CONFIG + yaml);
      return rpc(fixture, 'GW_ReloadConfiguration');
    };
    const state = async () => [
      await rpc(fixture, 'GetValue', setpoint),
      await rpc(fixture, 'SVC_GetName', relay),
      await rpc(fixture, 'SVC_GetProperty', relay, 'Line'),
    ];
    const report = await reload(SAMPLE_TREE.replace('value: 21.5', 'value: 23'));
    t.match(report, { NeedsRestart: [], Problems: [] });
    t.strictSame(
      await state(),
      [18, 'Lamp', 'RELAY2'],
      'none of these lines changed; a value is only initial',
    );
    await reload(SAMPLE_TREE.replace('Line: RELAY1', 'Line: RELAY3'));
    t.strictSame(await state(), [18, 'Lamp', 'RELAY3'], 'one did');
    await reload('tree: [{ category: Cellar, ident: cellar }]\n');
    t.strictSame(await state(), [18, 'Lamp', 'RELAY3'], 'nothing is deleted because its line is gone');
    t.equal(await rpc(fixture, 'SVC_GetName', await idOf(fixture, 'cellar')), 'Cellar');
    await reload(SAMPLE_TREE.replace('Hall relay', 'Porch relay').replace('Line: RELAY1', 'Line: RELAY3'));
    t.strictSame(await state(), [18, 'Porch relay', 'RELAY3']);

    await fixture.gateway.close();
    const again = await startGateway(
      t,
      SIMULATED_CONFIG + SAMPLE_TREE.replace('Line: RELAY1', 'Line: RELAY3'),
      {
        directory: fixture.directory,
      },
    );
    t.equal(await idOf(again, 'ground_floor/hall_relay'), relay, 'ids stay');
    t.equal(await valueAt(again, 'ground_floor/setpoint'), 18);
  },
);

t.test(
  'an entry that cannot be applied is reported by the reload and by health, and affects no other',
  async (t) => {
    const fixture = await startGateway(t, SIMULATED_CONFIG + SAMPLE_TREE);
    await fixture.configure(`${SIMULATED_CONFIG}tree:
  - { variable: Not a category, ident: ground_floor, type: boolean }
  - { category: Cellar, ident: cellar }
`);
    const messages = /tree: ground_floor: #\d+ \(Category\) has this ident/;
    t.match(await rpc(fixture, 'GW_ReloadConfiguration'), { Problems: [messages] });
    t.ok(await idOf(fixture, 'cellar'));
    t.match(await rpc(fixture, 'GW_GetHealth'), { State: 'warning', Checks: { length: Number } });
    t.match(JSON.stringify(await rpc(fixture, 'GW_GetHealth')), messages);
  },
);

t.test('a reload applies what can change at run time, and lists what needs a restart', async (t) => {
  const fixture = await startGateway(t, SIMULATED_CONFIG + SAMPLE_TREE + front('password: petunia'));
  await using owner = await openWebSocket(fixture);
  const wf = await idOf(fixture, 'wf');
  await using ground = await openWebSocket(fixture, `/wfc/${wf}/api/`, [basicLine('webfront', 'petunia')]);
  const web = 'webServers: [{ name: house, host: 127.0.0.1, port: 0, serve: front }]\n';
  await fixture.configure(
    SIMULATED_CONFIG.replace('simulated', 'generic')
      .replace(OWNER.username, 'me@example.org')
      .replace(OWNER.password, 'another')
      .replace('port: 0', 'port: 0, batchLimit: 2, aliases: { IPS: SVC }') +
      'tree: [{ category: Ground floor, ident: ground_floor }]\n' +
      front('password: petunia').replace('Ground floor', 'Cellar') +
      `${web}store: { backups: 3 }\nlog: { level: warn }\n`,
  );
  t.match(await rpc(fixture, 'GW_ReloadConfiguration'), {
    Applied: [
      'name',
      'language',
      'timeZone',
      'remoteAccess',
      'api',
      'webServers',
      'profiles',
      'tree',
      'configurators',
      'changes',
      'backup',
      'updates',
      'metrics',
      'log',
    ],
    NeedsRestart: ['board', 'store', 'api.aliases'],
    Problems: [],
  });
  t.equal(await rpc(fixture, 'SVC_GetKernelVersion'), 401, 'the old password');
  const me = [basicLine('me@example.org', 'another')];
  t.match(resultOrStatus(await post(fixture, callText('SVC_GetKernelVersion', []), me)), /\d/);
  await t.rejects(takeFrames(owner, 1000), /closed: 1008/, 'a session of the old password has ended');
  t.equal(
    ground.connection.isFinished,
    false,
    'a session of a web front with an unchanged password continues',
  );
  const three = `[${callText('Echo', [])},${callText('Echo', [])},${callText('Echo', [])}]`;
  t.equal(replyIn(await post(fixture, three, me)).error?.data.code, 'INVALID_REQUEST');
  t.match(resultOrStatus(await post(fixture, callText('WFC_GetConfigurators', []), [])), [
    { ID: wf, Title: 'Cellar' },
  ]);
  t.ok(fixture.gateway.port('house'));
  t.equal(
    resultOrStatus(await post(fixture, callText('IPS_GetKernelVersion', []), me)),
    'METHOD_NOT_FOUND',
    'not before a restart',
  );
  const needsRestart = async () => {
    const report = resultOrStatus(await post(fixture, callText('GW_ReloadConfiguration', []), me));
    return (report as { NeedsRestart?: readonly string[] }).NeedsRestart;
  };
  t.strictSame(await needsRestart(), ['board', 'store', 'api.aliases'], 'still, without another change');
  const same = SIMULATED_CONFIG.replace(OWNER.username, 'me@example.org').replace(OWNER.password, 'another');
  await fixture.configure(same + SAMPLE_TREE);
  t.strictSame(await needsRestart(), [], 'what the gateway was started with');
});

t.test('changes at run time stay, whatever the ident', async (t) => {
  const idents = ['__proto__', 'constructor', 'hall'];
  const entries = idents.map((ident) => `  - { category: ${ident}, ident: ${ident}, icon: Bulb }\n`).join('');
  const fixture = await startGateway(t, `${SIMULATED_CONFIG}tree:\n${entries}`);
  for (const ident of idents) await rpc(fixture, 'SVC_SetName', await idOf(fixture, ident), `My ${ident}`);
  const names = ({ gateway }: typeof fixture) =>
    idents.map((ident) => gateway.kernel.tree.findByPath(ident)?.name);
  const renamed = idents.map((ident) => `My ${ident}`);
  t.match(await rpc(fixture, 'GW_ReloadConfiguration'), { Problems: [] });
  t.strictSame(names(fixture), renamed);
  await fixture.gateway.close();
  const next = await startGateway(t, undefined, { directory: fixture.directory });
  t.strictSame(names(next), renamed, 'also at the next start');
});

t.test('a reload of an invalid configuration changes nothing', async (t) => {
  const fixture = await startGateway(t, SIMULATED_CONFIG + SAMPLE_TREE);
  await fixture.configure(
    `${SIMULATED_CONFIG.replace(OWNER.password, 'another')}tree: [{ categroy: x, ident: y }]\n`,
  );
  const failed = replyIn(await post(fixture, callText('GW_ReloadConfiguration', []), [ownerLine]));
  t.match(failed.error, { code: -32_603, data: { code: 'CONFIGURATION_INVALID' } });
  t.match((failed.error as { message?: string }).message, /gateway\.yaml:4:\d+: tree\[0\]: /);
  t.match(await rpc(fixture, 'SVC_GetKernelVersion'), /\d/, 'the old password is still valid');
});

t.test('an address in use is reported by the reload, and used when it is free', async (t) => {
  const clock = new ManualClock();
  const fixture = await startGateway(t, SIMULATED_CONFIG + SAMPLE_TREE, { clock });
  const taken = createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  const { port } = taken.address() as AddressInfo;
  const web = 'webServers: [{ name: house, host: 127.0.0.1, port: 0, serve: front }]\n';
  await fixture.configure(SIMULATED_CONFIG.replace('port: 0', `port: ${port}`) + SAMPLE_TREE + web);
  const messages = new RegExp(`api: 127.0.0.1:${port} does not work: .*EADDRINUSE`);
  t.match(await rpc(fixture, 'GW_ReloadConfiguration'), { Problems: [messages] });
  const other = { port: fixture.gateway.port('house') ?? 0 };
  t.match(JSON.stringify(await rpc(other, 'GW_GetHealth')), messages, 'the web server works nevertheless');
  taken.close();
  await until('the address', () => {
    clock.advance(5000);
    return fixture.gateway.port() === port;
  });
});

t.test(
  'a web front whose area is deleted serves nothing of the tree until the area exists again',
  async (t) => {
    const fixture = await startGateway(
      t,
      SIMULATED_CONFIG + SAMPLE_TREE + front('password: tulip').replace('ground', 'upper'),
    );
    const wf = await idOf(fixture, 'wf');
    const tulip = [basicLine('webfront', 'tulip')];
    const shown = async () => {
      const { objects } = resultOrStatus(await post(fixture, callText('WFC_GetSnapshot', [wf]), tulip)) as {
        objects: object;
      };
      return Object.keys(objects).length;
    };
    t.equal(await shown(), 3);
    await rpc(fixture, 'SVC_DeleteVariable', await idOf(fixture, 'upper_floor/blind'));
    t.equal(await rpc(fixture, 'SVC_DeleteCategory', await idOf(fixture, 'upper_floor')), true);
    t.equal(await shown(), 0);
    t.match(await rpc(fixture, 'GW_ReloadConfiguration'), { Problems: [] });
    t.equal(await shown(), 3, 'the reload has created it again');
  },
);
