import t from 'tap';
import { ownerLine } from '../../tools/gateway/api-fixture.js';
import { callText, idOf, post, rpc, resultOrStatus } from '../../tools/client/json-rpc.js';
import { SIMULATED_CONFIG, SAMPLE_TREE, startGateway } from '../../tools/gateway/gateway-fixture.js';
import { openWebSocket, takeFrames } from '../../tools/client/message-stream.js';
import { basicLine } from '../../tools/client/raw-http.js';

const FRONTS = `configurators:
  - { title: Ground floor, ident: wf, base: ground_floor, password: tulip, mobile: true }
  - { title: House, ident: all, base: /, password: rose }
`;

t.test('a popup reaches every front of its configurator, the owner, and nobody else', async (t) => {
  const house = await startGateway(t, SIMULATED_CONFIG + SAMPLE_TREE + FRONTS);
  const [wf, all] = [await idOf(house, 'wf'), await idOf(house, 'all')];
  await using one = await openWebSocket(house, `/wfc/${wf}/api/`, [basicLine('webfront', 'tulip')]);
  await using two = await openWebSocket(house, `/api/wfc/${wf}`, [basicLine('webfront', 'tulip')]);
  await using other = await openWebSocket(house, `/wfc/${all}/api/`, [basicLine('webfront', 'rose')]);
  await using owner = await openWebSocket(house, '/api/', [ownerLine]);
  t.equal(await rpc(house, 'WFC_SendPopup', wf, 'Door', 'Somebody is there'), true);
  const popup = { SenderID: wf, Message: 20101, Data: ['Door', 'Somebody is there'] };
  for (const socket of [one, two]) t.match((await takeFrames(socket, 1))[0], popup);
  t.equal(await rpc(house, 'WFC_SendPopup', all, 'All', ''), true);
  const told = async (socket: typeof other) => {
    for (;;) {
      const [frame] = await takeFrames(socket, 1);
      if (frame?.Message === 20101) return frame;
    }
  };
  t.match(await told(other), { SenderID: all, Data: ['All', ''] }, 'the first it was told of');
  t.match(await told(owner), popup);
  const since = (await told(owner)).TimeStamp;
  await rpc(house, 'WFC_Reload', wf);
  await using late = await openWebSocket(house, `/wfc/${wf}/api/?since=${since}`, [
    basicLine('webfront', 'tulip'),
  ]);
  t.match(
    (await takeFrames(late, 1))[0],
    { SenderID: wf, Message: 20105, Data: [] },
    'who was away hears of it',
  );
});

t.test('items and registered devices are there after a restart', async (t) => {
  const house = await startGateway(t, SIMULATED_CONFIG + SAMPLE_TREE + FRONTS);
  const wf = await idOf(house, 'wf');
  t.equal(await rpc(house, 'WFC_AddItem', wf, 'home', 'Category', '{"title":"Home"}', ''), true);
  const params = [wf, 'secret-token', 'apns', 'D1', 'Phone'];
  const registered = post(house, callText('WFC_RegisterPNS', params), [basicLine('webfront', 'tulip')]);
  t.equal(resultOrStatus(await registered), 'D1');
  const seen = async (at: typeof house) => [
    await rpc(at, 'WFC_GetItems', wf),
    await rpc(at, 'GW_GetPushDevices', wf),
  ];
  const before = await seen(house);
  t.match(before, [
    [{ ID: 'home', Configuration: '{"title":"Home"}' }],
    [{ DeviceID: 'D1', Provider: 'apns' }],
  ]);
  await house.gateway.close();
  const again = await startGateway(t, undefined, { directory: house.directory });
  t.strictSame(await seen(again), before);
  const [utility] = (await rpc(again, 'SVC_GetInstanceListByModuleID', 'Utility Control')) as number[];
  const said = [before, await rpc(again, 'SVC_GetConfiguration', wf), await rpc(again, 'GW_GetAudit', 100)];
  for (const call of ['SVC_GetSnapshot', 'GW_GetHealth']) said.push(await rpc(again, call));
  said.push(await rpc(again, 'WFC_GetSnapshot', wf), await rpc(again, 'UC_FindReferences', utility, wf));
  t.match(JSON.stringify(said), /"WFC_RegisterPNS".*Phone/, 'the audit says that it registered');
  t.notMatch(JSON.stringify([said, house.log, again.log]), /secret-token/);
});
