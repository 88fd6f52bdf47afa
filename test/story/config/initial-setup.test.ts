import t from 'tap';
import { message } from '../../../src/kernel/messages.js';
import { callText, idOf, post, replyIn, rpc, resultOrStatus, valueAt } from '../../tools/client/json-rpc.js';
import { SIMULATED_CONFIG, SAMPLE_TREE, startGateway } from '../../tools/gateway/gateway-fixture.js';
import { openWebSocket, takeFrames } from '../../tools/client/message-stream.js';
import { basicLine } from '../../tools/client/raw-http.js';
import { RawWebSocket } from '../../tools/client/raw-websocket.js';
import { until } from '../../tools/until.js';

const FRONTS = `configurators:
  - { title: Upper floor, ident: attic, base: upper_floor, passwordRequired: false, position: 2 }
  - { title: Ground floor, ident: wf, base: ground_floor, password: tulip, mobile: true, icon: Home, position: 1 }
`;
const tulip = [basicLine('webfront', 'tulip')];

t.test('a call has jsonrpc, id, method and params, its reply has jsonrpc, id and result', async (t) => {
  const gateway = await startGateway(t, SIMULATED_CONFIG + SAMPLE_TREE);
  const id = await idOf(gateway, 'ground_floor/setpoint');
  const response = await post(gateway, `{"jsonrpc":"2.0","id":"7f","method":"GetValue","params":[${id}]}`);
  t.strictSame(JSON.parse(response.body), { jsonrpc: '2.0', id: '7f', result: 21.5 });
  t.equal((await post(gateway, callText('GetValue', [id]), [])).status, 401);
});

t.test('each documented function behaves as documented', async (t) => {
  const gateway = await startGateway(t, SIMULATED_CONFIG + SAMPLE_TREE);
  const ground = await idOf(gateway, 'ground_floor');
  for (const [type, values] of [
    [0, [true, false]],
    [1, [-7, 2 ** 53 - 1]],
    [2, [21.5, -0.25]],
    [3, ['', 'ü€😀"\\\n']],
  ] as const) {
    const id = await rpc(gateway, 'SVC_CreateVariable', type);
    for (const value of values) {
      t.equal(await rpc(gateway, 'SetValue', id, value), true);
      t.strictSame(await rpc(gateway, 'GetValue', id), value);
    }
  }
  const setpoint = await idOf(gateway, 'ground_floor/setpoint');
  t.equal(await rpc(gateway, 'GetValueFormatted', setpoint), '21.5 °C');
  t.match(await rpc(gateway, 'SVC_GetKernelVersion'), /^\d+\.\d+$/);
  t.equal(await rpc(gateway, 'SVC_GetKernelDir'), `${gateway.directory}/data/`);
  const script = await rpc(gateway, 'SVC_CreateScript', 0);
  await rpc(gateway, 'SVC_SetScriptContent', script, `SetValue(${setpoint}, 18.5); echo('done')`);
  t.equal(await rpc(gateway, 'SVC_RunScript', script), true);
  await until('the script to have set it', async () => (await rpc(gateway, 'GetValue', setpoint)) === 18.5);
  t.equal(await rpc(gateway, 'SVC_RunScriptWait', script), 'done');
  const relay = await idOf(gateway, 'ground_floor/hall_relay');
  t.equal(await rpc(gateway, 'HW_WriteValueBoolean', relay, 'STATE', true), true);
  t.equal(await valueAt(gateway, 'ground_floor/hall_relay/STATE'), true);
  const unknown = [
    await rpc(gateway, 'GetValue', ground),
    await rpc(gateway, 'HW_WriteValueBoolean', relay, 'NO', true),
  ];
  t.strictSame(unknown, ['NOT_OF_TYPE', 'IDENT_NOT_FOUND']);
});

t.test(
  'functions with other prefixes are available through aliases (aliases { IPS: SVC, HM: HW })',
  async (t) => {
    const yaml = SIMULATED_CONFIG.replace('port: 0', 'port: 0, aliases: { IPS: SVC, HM: HW }') + SAMPLE_TREE;
    const gateway = await startGateway(t, yaml);
    t.equal(await rpc(gateway, 'IPS_GetKernelVersion'), await rpc(gateway, 'SVC_GetKernelVersion'));
    const relay = await idOf(gateway, 'ground_floor/hall_relay');
    t.equal(await rpc(gateway, 'HM_WriteValueBoolean', relay, 'STATE', true), true);
    t.equal(await valueAt(gateway, 'ground_floor/hall_sense/STATE'), true);
  },
);

t.test('the configurators are listed without credentials, with seven fields', async (t) => {
  const gateway = await startGateway(t, SIMULATED_CONFIG + SAMPLE_TREE + FRONTS);
  const [ground, upper] = [await idOf(gateway, 'wf'), await idOf(gateway, 'attic')];
  const closed = { ID: ground, Title: 'Ground floor', Icon: 'Home', Position: 1, PasswordRequired: true };
  const free = { ID: upper, Title: 'Upper floor', Icon: '', Position: 2, PasswordRequired: false };
  t.strictSame(resultOrStatus(await post(gateway, callText('WFC_GetConfigurators', []), [])), [
    { ...closed, Editable: false, MobileEnabled: true },
    { ...free, Editable: false, MobileEnabled: false },
  ]);
});

t.test('a web front’s password opens its own area only', async (t) => {
  const gateway = await startGateway(t, SIMULATED_CONFIG + SAMPLE_TREE + FRONTS);
  const front = await idOf(gateway, 'wf');
  const attic = await idOf(gateway, 'attic');
  const state = await idOf(gateway, 'ground_floor/hall_relay/STATE');
  const blind = await idOf(gateway, 'upper_floor/blind');
  const as = async (method: string, ...params: unknown[]) =>
    resultOrStatus(await post(gateway, callText(method, params), tulip));
  const { objects } = (await as('WFC_GetSnapshot', front)) as { objects: Record<string, object> };
  t.ok(`ID${state}` in objects);
  t.notOk(`ID${blind}` in objects);
  t.equal(await as('WFC_Execute', front, 0, state, true), '');
  t.equal(await valueAt(gateway, 'ground_floor/hall_sense/STATE'), true);
  t.equal(await as('WFC_Execute', front, 0, blind, 1), 'ACCESS_DENIED');
  t.equal(await as('GetValue', state), 'ACCESS_DENIED');
  const opened = async (password: string) =>
    (await post(gateway, callText('WFC_GetSnapshot', [front]), [basicLine('webfront', password)])).status;
  t.strictSame([await opened('tulip'), await opened('rose'), await opened('')], [200, 401, 401]);
  const free = await post(gateway, callText('WFC_GetSnapshot', [attic]), []);
  t.equal(free.status, 200, 'a web front without a password');
  const push = ['token', 'provider', 'device', 'phone'];
  t.equal(await rpc(gateway, 'WFC_RegisterPNS', attic, ...push), 'NOT_ALLOWED', 'not for mobile apps');
  t.equal(await rpc(gateway, 'WFC_RegisterPNS', front, ...push), 'device', 'for mobile apps');
});

t.test('the installed configuration has no password, and rejects every login', async (t) => {
  const gateway = await startGateway(t, 'api: { port: 0 }\n');
  t.equal(await rpc(gateway, 'SVC_GetKernelVersion'), 401);
  t.strictSame(resultOrStatus(await post(gateway, callText('WFC_GetConfigurators', []), [])), []);
  t.ok(
    gateway.log.some((line) => line.includes('remoteAccess')),
    'the log says what to do',
  );
});

t.test('a switch closes, and every client sees it, on all three paths of the API', async (t) => {
  const gateway = await startGateway(t, SIMULATED_CONFIG + SAMPLE_TREE + FRONTS);
  const front = await idOf(gateway, 'wf');
  const state = await idOf(gateway, 'ground_floor/hall_button/STATE');
  const attic = await idOf(gateway, 'attic');
  const protocol = Buffer.from('webfront:tulip').toString('base64');
  const sockets = [
    await openWebSocket(gateway),
    await RawWebSocket.open({
      port: gateway.port,
      path: `/api/wfc/${front}`,
      protocol: protocol.replace(/=+$/, ''),
    }),
    await RawWebSocket.open({
      port: gateway.port,
      path: `/wfc/${front}/api/`,
      protocol: protocol.replace(/=+$/, ''),
    }),
    await RawWebSocket.open({
      port: gateway.port,
      path: `/wfc/${front}/api/`,
      protocol: encodeURIComponent(protocol),
    }),
  ];
  await using other = await openWebSocket(gateway, `/wfc/${attic}/api/`, []);
  t.equal(await rpc(gateway, 'GW_SimulateLine', 'BUTTON1', true), true);
  for (const socket of sockets) {
    t.equal(socket.response.status, 101);
    let frame = (await takeFrames(socket, 1))[0];
    while (frame?.SenderID !== state) frame = (await takeFrames(socket, 1))[0];
    t.match(frame, { Message: message.VM_UPDATE, Data: [true, true, false] });
    t.equal(frame?.Data.length, 6);
    await socket[Symbol.asyncDispose]();
  }
  await rpc(gateway, 'SetValue', await idOf(gateway, 'upper_floor/blind'), 3);
  t.match(
    (await takeFrames(other, 1))[0],
    { SenderID: await idOf(gateway, 'upper_floor/blind') },
    'nothing of the other floor',
  );
});

t.test('a relay moves, the line that it is wired to follows, and the edge count is exact', async (t) => {
  const gateway = await startGateway(t, SIMULATED_CONFIG + SAMPLE_TREE);
  const relay = await idOf(gateway, 'ground_floor/hall_relay');
  for (let n = 0; n < 100; n++)
    t.equal(await rpc(gateway, 'HW_WriteValueBoolean', relay, 'STATE', n % 2 === 0), true);
  t.equal(await valueAt(gateway, 'ground_floor/hall_sense/STATE'), false);
  await until('50 edges', async () => (await valueAt(gateway, 'ground_floor/hall_sense/COUNT')) === 50);
  t.equal(await valueAt(gateway, 'ground_floor/hall_sense/LOST'), 0);
});

t.test('secrets are never shown, and writing "***" back keeps them', async (t) => {
  const broker = `tree:
  - { instance: Broker, ident: broker, module: MQTT Client, properties: { Url: "mqtt://127.0.0.1:1", UserName: u, Password: hidden4you } }
`;
  const gateway = await startGateway(t, SIMULATED_CONFIG + broker);
  const id = await idOf(gateway, 'broker');
  const shown = String(await rpc(gateway, 'SVC_GetConfiguration', id));
  t.equal((JSON.parse(shown) as { Password: string }).Password, '***');
  await rpc(gateway, 'SVC_SetConfiguration', id, shown);
  t.equal(await rpc(gateway, 'SVC_HasChanges', id), false);
  const all = await post(gateway, callText('SVC_GetSnapshot', []));
  const audit = await post(gateway, callText('GW_GetAudit', []));
  for (const text of [all.body, audit.body, gateway.log.join('')]) t.notMatch(text, /hidden4you|swordfish/);
  t.ok(replyIn(all).result);
});
