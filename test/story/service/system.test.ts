import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { ManualClock } from '../../../src/base/clock.js';
import { message } from '../../../src/kernel/messages.js';
import { OWNER } from '../../tools/gateway/api-fixture.js';
import { owner } from '../../tools/gateway/function-fixture.js';
import { callText, idOf, post, rpc, exchangeRaw, resultOrStatus } from '../../tools/client/json-rpc.js';
import {
  SIMULATED_CONFIG,
  SAMPLE_TREE,
  configDirectory,
  startGatewayProcess,
  startGateway,
  type GatewayFixture,
} from '../../tools/gateway/gateway-fixture.js';
import { callOverWebSocket, openWebSocket, takeFrames } from '../../tools/client/message-stream.js';
import { RawConnection, basicLine } from '../../tools/client/raw-http.js';
import { closeOf, opcode } from '../../tools/client/raw-websocket.js';
import { until } from '../../tools/until.js';

const UTILITY = '{B69010EA-96D5-46DF-B885-24821B8C8DBD}';
const CONFIGURATORS = `configurators:
  - { title: Ground floor, ident: wf, base: ground_floor, password: tulip }
`;

const utilityOf = async (fixture: GatewayFixture): Promise<unknown> =>
  ((await rpc(fixture, 'SVC_GetInstanceListByModuleID', UTILITY)) as unknown[])[0];

t.test('messages are counted by sender and type, with the memory that they occupy', async (t) => {
  const fixture = await startGateway(t, SIMULATED_CONFIG + SAMPLE_TREE);
  const uc = await utilityOf(fixture);
  const setpoint = await idOf(fixture, 'ground_floor/setpoint');
  const before = (await rpc(fixture, 'UC_GetKernelStatistics', uc)) as Record<string, number>;
  for (let n = 0; n < 50; n++) await rpc(fixture, 'SetValue', setpoint, n);
  const after = (await rpc(fixture, 'UC_GetKernelStatistics', uc)) as Record<string, number>;
  t.ok(after['MessageCounter']! - before['MessageCounter']! >= 50);
  t.match(after, {
    MessageSlowCounter: 0,
    MessageQueueSize: 0,
    MessageQueueDelay: Number,
    RequestQueueSize: 1,
  });
  const senders = (await rpc(fixture, 'UC_GetMessageSenderIDList', uc)) as {
    SenderID: number;
    Count: number;
  }[];
  // A value is created as configured, and then set 50 times.
  const own = senders.find(({ SenderID }) => SenderID === setpoint)?.Count ?? 0;
  t.ok(own >= 50 && own < 70, `${own} messages`);
  t.strictSame(
    senders.map(({ Count }) => Count),
    senders.map(({ Count }) => Count).sort((a, b) => b - a),
    'most frequent first',
  );
  const sizes = (await rpc(fixture, 'UC_GetMessageSenderIDSizeList', uc)) as {
    SenderID: number;
    Size: number;
  }[];
  t.ok((sizes.find(({ SenderID }) => SenderID === setpoint)?.Size ?? 0) > 50 * 100);
  const kinds = (await rpc(fixture, 'UC_GetMessageTypeList', uc)) as { Message: number; Count: number }[];
  t.ok((kinds.find(({ Message }) => Message === message.VM_UPDATE)?.Count ?? 0) >= 50);
  const sum = (list: readonly { Count: number }[]) => list.reduce((all, { Count }) => all + Count, 0);
  t.ok(Math.abs(sum(kinds) - sum(senders)) < 20, 'both count the same messages');
  for (const method of [
    'UC_GetKernelStatistics',
    'UC_GetMessageSenderIDList',
    'UC_GetMessageSenderIDSizeList',
    'UC_GetMessageTypeList',
    'UC_GetLogMessageStatistics',
    'UC_ResetLastLogMessages',
  ])
    t.equal(
      await rpc(fixture, method, await idOf(fixture, 'ground_floor/hall_relay')),
      'WRONG_MODULE',
      method,
    );
});

t.test('log lines are counted, and the latest kept, until either is reset', async (t) => {
  const fixture = await startGateway(t, SIMULATED_CONFIG);
  const uc = await utilityOf(fixture);
  const last = (type: number) => rpc(fixture, 'UC_GetLastLogMessages', uc, type);
  const counts = async () => (await rpc(fixture, 'UC_GetLogMessageStatistics', uc)) as Record<string, number>;
  const started = await counts();
  t.ok(started['MessageDefaultCount']! > 0, 'starting is logged');
  t.match(await last(0), [{ Type: 0, Sender: String, Message: String, TimeStamp: Number }]);
  for (let n = 0; n < 120; n++) await rpc(fixture, 'SVC_LogMessage', 'Boiler', `line ${n}`);
  t.match(await counts(), { MessageCustomCount: 120, MessageSuccessCount: 0, MessageNotifyCount: 0 });
  const custom = (await last(6)) as { Sender: string; Message: string }[];
  t.equal(custom.length, 100);
  t.match(custom[0], { Sender: 'Boiler', Message: 'line 119' });
  t.match(custom.at(-1), { Message: 'line 20' });
  await rpc(fixture, 'SVC_LogMessage', 'Boiler', 'x'.repeat(5000));
  t.equal(((await last(6)) as { Message: string }[])[0]?.Message.length, 1000);
  const failing = await rpc(fixture, 'SVC_CreateInstance', 'Serial Port');
  await rpc(fixture, 'SVC_SetProperty', failing, 'Port', '/dev/nowhere');
  await rpc(fixture, 'SVC_ApplyChanges', failing);
  await until('the port is reported missing', async () => (await counts())['MessageWarningCount']! > 0);
  t.match(await last(3), [{ Type: 3, Sender: 'device', Message: /nowhere/ }]);
  t.strictSame(await last(1), []);
  t.equal(await rpc(fixture, 'UC_ResetLogMessageStatistics', uc), true);
  t.match(await counts(), { MessageCustomCount: 0, MessageDefaultCount: 0 });
  t.equal(((await last(6)) as unknown[]).length, 100, 'the two are separate');
  t.equal(await rpc(fixture, 'UC_ResetLastLogMessages', uc), true);
  t.strictSame(await last(6), []);
  t.equal(await rpc(fixture, 'UC_GetLastLogMessages', uc, 7), 'PARAMETER_BOUNDS');
});

t.test('runs of scripts are counted by their callers', async (t) => {
  const fixture = await startGateway(t, SIMULATED_CONFIG + SAMPLE_TREE);
  const uc = await utilityOf(fixture);
  t.strictSame(await rpc(fixture, 'UC_GetScriptSenderList', uc), []);
  const script = await rpc(fixture, 'SVC_CreateScript', 0);
  await rpc(fixture, 'SVC_SetScriptContent', script, 'print(SENDER)');
  const setpoint = await idOf(fixture, 'ground_floor/setpoint');
  await rpc(fixture, 'SVC_SetVariableCustomAction', setpoint, script);
  t.equal(await rpc(fixture, 'SVC_RunScriptWait', script), 'RunScript');
  await rpc(fixture, 'SVC_RunScriptTextWait', 'print(1)');
  await rpc(fixture, 'RequestActionEx', setpoint, 20, 'Wall panel');
  t.strictSame(await rpc(fixture, 'UC_GetScriptSenderList', uc), [
    { Sender: 'RunScript', Count: 2 },
    { Sender: 'Wall panel', Count: 1 },
  ]);
});

t.test('the latency of messages is measured while the option is set', async (t) => {
  const fixture = await startGateway(t, SIMULATED_CONFIG + SAMPLE_TREE);
  const relay = await idOf(fixture, 'ground_floor/hall_relay');
  const measured = () => rpc(fixture, 'SVC_GetInstanceMessageStatistics');
  await rpc(fixture, 'HW_WriteValueBoolean', relay, 'STATE', true);
  t.strictSame(await measured(), []);
  t.equal(await rpc(fixture, 'SVC_SetOption', 'MessageQueueWatch', 1), true);
  await rpc(fixture, 'HW_WriteValueBoolean', relay, 'STATE', false);
  const [own] = (await measured()) as { InstanceID: number; Duration: number; MaxDuration: number }[];
  t.match(own, { InstanceID: relay });
  t.ok(own!.Duration > 0 && own!.MaxDuration >= own!.Duration);
  await rpc(fixture, 'SVC_SetOption', 'MessageQueueWatch', 0);
  t.strictSame(await measured(), []);
});

t.test('connected clients are listed', async (t) => {
  const fixture = await startGateway(t, SIMULATED_CONFIG + SAMPLE_TREE + CONFIGURATORS);
  t.equal(await rpc(fixture, 'SVC_GetActiveWebSocketConnections'), 0);
  t.strictSame(await rpc(fixture, 'SVC_GetConnectionList'), []);
  const wf = await idOf(fixture, 'wf');
  await using first = await openWebSocket(fixture);
  await using front = await openWebSocket(fixture, `/wfc/${wf}/api/`, [basicLine('webfront', 'tulip')]);
  t.equal(await rpc(fixture, 'SVC_GetActiveWebSocketConnections'), 2);
  const own = { ConnectionType: 'WebSocket', Remote: '127.0.0.1', QueueBytes: Number };
  t.match(await rpc(fixture, 'SVC_GetConnectionList'), [own, own]);
  await using idle = await RawConnection.open(fixture.port);
  await until(
    'the idle one is listed',
    async () => (await rpc(fixture, 'SVC_GetActiveWebServerConnections')) === 2,
  );
  t.equal(await rpc(fixture, 'SVC_GetActiveProxyConnections'), 0);
  await front[Symbol.asyncDispose]();
  await until('one has left', async () => (await rpc(fixture, 'SVC_GetActiveWebSocketConnections')) === 1);
  t.equal(await callOverWebSocket(first, 'SVC_GetActiveWebSocketConnections', []), 1);
  t.ok(idle);
});

t.test('a temporary token is accepted like the password, until it expires', async (t) => {
  const clock = new ManualClock();
  const fixture = await startGateway(t, SIMULATED_CONFIG + SAMPLE_TREE + CONFIGURATORS, { clock });
  const token = (await rpc(fixture, 'SVC_CreateTemporaryToken', 60)) as string;
  t.match(token, /^[\w-]{43}$/);
  const version = callText('SVC_GetKernelVersion', []);
  const bearer = [`Authorization: Bearer ${token}`];
  const basic = [basicLine('token', token)];
  for (const headers of [bearer, basic])
    t.match(resultOrStatus(await post(fixture, version, headers)), /^\d/);
  for (const wrong of [`${token}x`, token.toUpperCase(), '', 'x', token.slice(1)])
    t.equal((await post(fixture, version, [basicLine('token', wrong)])).status, 401, wrong);
  t.equal((await post(fixture, version, [basicLine('webfront', token)])).status, 200);
  t.equal(resultOrStatus(await post(fixture, version, [basicLine('webfront', token)])), 'ACCESS_DENIED');
  t.equal((await post(fixture, version, [basicLine(OWNER.username, token)])).status, 401);
  const create = callText('SVC_CreateTemporaryToken', [60]);
  t.equal(resultOrStatus(await post(fixture, create, bearer)), 'NOT_ALLOWED', 'using it does not extend it');
  const relay = await idOf(fixture, 'ground_floor/hall_relay');
  await post(fixture, callText('HW_WriteValueBoolean', [relay, 'STATE', true]), bearer);
  t.match(await rpc(fixture, 'GW_GetAudit', 1), [
    { User: 'temporary token', Method: 'HW_WriteValueBoolean' },
  ]);

  await using kept = await RawConnection.open(fixture.port);
  const request = `POST /api/ HTTP/1.1\r\nHost: localhost\r\n${bearer[0]}\r\nContent-Length: ${version.length}\r\n\r\n${version}`;
  kept.write(request);
  t.equal((await kept.response()).status, 200);
  await using socket = await openWebSocket(fixture, '/api/', basic);
  t.match(await callOverWebSocket(socket, 'SVC_GetKernelVersion', []), /^\d/);
  clock.advance(59_999);
  t.equal((await post(fixture, version, bearer)).status, 200);
  clock.advance(1);
  t.equal((await post(fixture, version, bearer)).status, 401);
  kept.write(request);
  t.equal((await kept.response()).status, 401, 'also on a connection on which it was valid before');
  let frame = await socket.frame();
  while (frame !== undefined && frame.opcode !== opcode.close) frame = await socket.frame();
  t.match(frame && closeOf(frame), { code: 1008, reason: 'the token is no longer valid' });
  await socket[Symbol.asyncDispose]();
  await until(
    'nobody is connected',
    async () => (await rpc(fixture, 'SVC_GetActiveWebSocketConnections')) === 0,
  );
  for (const seconds of [0, -1, 86_401])
    t.equal(await rpc(fixture, 'SVC_CreateTemporaryToken', seconds), 'PARAMETER_BOUNDS', `${seconds}`);
});

t.test('the number of tokens is limited, and they end with the password that created them', async (t) => {
  const clock = new ManualClock();
  const fixture = await startGateway(t, SIMULATED_CONFIG, { clock });
  const token = (await rpc(fixture, 'SVC_CreateTemporaryToken', 600)) as string;
  for (let n = 1; n < 100; n++) await rpc(fixture, 'SVC_CreateTemporaryToken', 60);
  t.equal(await rpc(fixture, 'SVC_CreateTemporaryToken', 60), 'BUSY');
  clock.advance(60_000);
  t.type(await rpc(fixture, 'SVC_CreateTemporaryToken', 60), 'string');
  const status = async () =>
    (await post(fixture, callText('SVC_GetKernelVersion', []), [`Authorization: Bearer ${token}`])).status;
  await fixture.gateway.reload();
  t.equal(await status(), 200, 'a reload without a change keeps it');
  await fixture.configure(SIMULATED_CONFIG.replace(OWNER.password, 'other'));
  await fixture.gateway.reload();
  t.equal(await status(), 401);
});

t.test('a media file behind a password is available with a token in its URL', async (t) => {
  const server =
    'webServers: [{ name: house, host: 127.0.0.1, port: 0, serve: front, basicAuth: { username: u, password: p } }]\n';
  const fixture = await startGateway(t, SIMULATED_CONFIG + server);
  await mkdir(join(fixture.directory, 'data', 'user'), { recursive: true });
  await writeFile(join(fixture.directory, 'data', 'user', 'a.txt'), 'picture');
  const token = (await rpc(fixture, 'SVC_CreateTemporaryToken', 60)) as string;
  const port = fixture.gateway.port('house') ?? 0;
  const get = (path: string, headers = '') =>
    exchangeRaw({ port }, `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n${headers}Connection: close\r\n\r\n`);
  t.equal((await get('/user/a.txt')).status, 401);
  t.equal((await get('/user/a.txt', `${basicLine('u', 'p')}\r\n`)).body, 'picture');
  t.equal((await get(`/user/a.txt?token=${token}`)).body, 'picture');
  for (const wrong of ['', 'x', `${token}x`, `${token}&token=${token}`])
    t.equal((await get(`/user/a.txt?token=${wrong}`)).status, 401, wrong);
});

t.test('debug output of devices is sent to the owner, and to no web front', async (t) => {
  const fixture = await startGateway(t, SIMULATED_CONFIG + SAMPLE_TREE + CONFIGURATORS);
  const relay = await idOf(fixture, 'ground_floor/hall_relay');
  const sense = await idOf(fixture, 'ground_floor/hall_sense');
  await using socket = await openWebSocket(fixture);
  const wf = await idOf(fixture, 'wf');
  await using front = await openWebSocket(fixture, `/wfc/${wf}/api/`, [basicLine('webfront', 'tulip')]);
  for (const id of [relay, sense]) t.equal(await rpc(fixture, 'SVC_EnableDebug', id, 60), true);
  t.equal(await rpc(fixture, 'SVC_EnableDebugFile', relay), true);
  await rpc(fixture, 'HW_WriteValueBoolean', relay, 'STATE', true);
  const seen: unknown[] = [];
  while (seen.length < 5) {
    const [frame] = await takeFrames(socket, 1);
    if (frame?.Message === message.KL_DEBUG) seen.push([frame.SenderID, ...frame.Data.slice(0, 2)].join(' '));
  }
  t.strictSame(
    seen.sort(),
    [
      `${relay} driven RELAY1 active`,
      `${relay} report STATE true`,
      `${relay} write STATE true`,
      `${sense} edge SENSE1 active`,
      `${sense} report STATE true`,
    ].sort(),
  );
  const own = await idOf(fixture, 'ground_floor/setpoint');
  await rpc(fixture, 'SetValue', own, 12.5);
  for (;;) {
    const [frame] = await takeFrames(front, 1);
    t.not(frame?.Message, message.KL_DEBUG);
    if (frame?.SenderID === own) break;
  }
  const changes = (await rpc(fixture, 'WFC_GetSnapshotChanges', wf, 1)) as unknown;
  t.notMatch(JSON.stringify(changes), /driven/);
  await rpc(fixture, 'SVC_DisableDebugFile', relay);
  const file = await readFile(join(fixture.directory, 'data', 'debug', `${relay}.log`), 'utf8');
  t.match(file, /^\S+Z write STATE: true\n\S+Z driven RELAY1: active\n\S+Z report STATE: true\n$/);
  t.equal(await rpc(fixture, 'SVC_EnableDebugFile', sense), true);
  for (let n = 0; n < 100; n++)
    void fixture.gateway.registry.call('SVC_SendDebug', [sense, 'n', `${n}`, 0], owner);
  await fixture.gateway.close();
  const last = await readFile(join(fixture.directory, 'data', 'debug', `${sense}.log`), 'utf8');
  t.match(last, /n: 99\n$/, 'all of it is written when the gateway has stopped');
});

t.test('the maximum request size is an option', async (t) => {
  const fixture = await startGateway(t, SIMULATED_CONFIG);
  const long = callText('SVC_LogMessage', ['x', 'y'.repeat(2000)]);
  t.equal(resultOrStatus(await post(fixture, long)), true);
  await rpc(fixture, 'SVC_SetOption', 'ServerMaxPostSize', 1024);
  await until('it is too large', async () => (await post(fixture, long)).status === 413);
  await rpc(fixture, 'SVC_SetOption', 'ServerMaxPostSize', 4096);
  await until('it is accepted again', async () => resultOrStatus(await post(fixture, long)) === true);
  await fixture.gateway.close();
  const again = await startGateway(t, undefined, { directory: fixture.directory });
  t.equal(
    (await post(again, callText('SVC_LogMessage', ['x', 'y'.repeat(5000)]))).status,
    413,
    'it is stored',
  );
});

t.test('SVC_StopKernel exits the program after its reply; a gateway in a test does not exit', async (t) => {
  const fixture = await startGatewayProcess(t, await configDirectory(t, SIMULATED_CONFIG));
  t.equal(await rpc(fixture, 'SVC_TrimKernel'), true);
  await using socket = await openWebSocket(fixture);
  t.equal(await rpc(fixture, 'SVC_StopKernel'), true);
  t.equal(await fixture.program.ended(), 0);
  await t.rejects(takeFrames(socket, 1000), /closed: 1001/);
  const own = await startGateway(t, SIMULATED_CONFIG);
  t.equal(await rpc(own, 'SVC_StopKernel'), 'NOT_SUPPORTED');
});
