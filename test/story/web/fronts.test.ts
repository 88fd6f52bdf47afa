import t from 'tap';
import { ownerLine } from '../../tools/gateway/api-fixture.js';
import { callText, idOf, post, rpc, resultOrStatus } from '../../tools/client/json-rpc.js';
import { SIMULATED_CONFIG, SAMPLE_TREE, startGateway } from '../../tools/gateway/gateway-fixture.js';
import { openWebSocket, takeFrames } from '../../tools/client/message-stream.js';
import { basicLine } from '../../tools/client/raw-http.js';
import { messageNumber } from '../../tools/client/message-numbers.js';

const FRONTS = `configurators:
  - { title: Ground floor, ident: wf, base: ground_floor, password: tulip, mobile: true }
  - { title: House, ident: all, base: /, password: rose }
`;

t.test('a popup reaches every web front of its configurator and the owner, and nobody else', async (t) => {
  const fixture = await startGateway(t, SIMULATED_CONFIG + SAMPLE_TREE + FRONTS);
  const [wf, all] = [await idOf(fixture, 'wf'), await idOf(fixture, 'all')];
  await using one = await openWebSocket(fixture, `/wfc/${wf}/api/`, [basicLine('webfront', 'tulip')]);
  await using two = await openWebSocket(fixture, `/api/wfc/${wf}`, [basicLine('webfront', 'tulip')]);
  await using other = await openWebSocket(fixture, `/wfc/${all}/api/`, [basicLine('webfront', 'rose')]);
  await using owner = await openWebSocket(fixture, '/api/', [ownerLine]);
  t.equal(await rpc(fixture, 'WFC_SendPopup', wf, 'Door', 'Somebody is there'), true);
  const popup = { SenderID: wf, Message: messageNumber.WF_POPUP, Data: ['Door', 'Somebody is there'] };
  for (const socket of [one, two]) t.match((await takeFrames(socket, 1))[0], popup);
  t.equal(await rpc(fixture, 'WFC_SendPopup', all, 'All', ''), true);
  const messages = async (socket: typeof other) => {
    for (;;) {
      const [frame] = await takeFrames(socket, 1);
      if (frame?.Message === messageNumber.WF_POPUP) return frame;
    }
  };
  t.match(await messages(other), { SenderID: all, Data: ['All', ''] }, 'the first message it received');
  t.match(await messages(owner), popup);
  const since = (await messages(owner)).TimeStamp;
  await rpc(fixture, 'WFC_Reload', wf);
  await using late = await openWebSocket(fixture, `/wfc/${wf}/api/?since=${since}`, [
    basicLine('webfront', 'tulip'),
  ]);
  t.match(
    (await takeFrames(late, 1))[0],
    { SenderID: wf, Message: messageNumber.WF_RELOAD, Data: [] },
    'a web front that reconnects receives it',
  );
});

t.test('items and registered devices are kept over a restart', async (t) => {
  const fixture = await startGateway(t, SIMULATED_CONFIG + SAMPLE_TREE + FRONTS);
  const wf = await idOf(fixture, 'wf');
  t.equal(await rpc(fixture, 'WFC_AddItem', wf, 'home', 'Category', '{"title":"Home"}', ''), true);
  const params = [wf, 'secret-token', 'apns', 'D1', 'Phone'];
  const registered = post(fixture, callText('WFC_RegisterPNS', params), [basicLine('webfront', 'tulip')]);
  t.equal(resultOrStatus(await registered), 'D1');
  const seen = async (at: typeof fixture) => [
    await rpc(at, 'WFC_GetItems', wf),
    await rpc(at, 'GW_GetPushDevices', wf),
  ];
  const before = await seen(fixture);
  t.match(before, [
    [{ ID: 'home', Configuration: '{"title":"Home"}' }],
    [{ DeviceID: 'D1', Provider: 'apns' }],
  ]);
  await fixture.gateway.close();
  const again = await startGateway(t, undefined, { directory: fixture.directory });
  t.strictSame(await seen(again), before);
  const [utility] = (await rpc(again, 'SVC_GetInstanceListByModuleID', 'Utility Control')) as number[];
  const said = [before, await rpc(again, 'SVC_GetConfiguration', wf), await rpc(again, 'GW_GetAudit', 100)];
  for (const call of ['SVC_GetSnapshot', 'GW_GetHealth']) said.push(await rpc(again, call));
  said.push(await rpc(again, 'WFC_GetSnapshot', wf), await rpc(again, 'UC_FindReferences', utility, wf));
  t.match(JSON.stringify(said), /"WFC_RegisterPNS".*Phone/, 'the audit log has its registration');
  t.notMatch(JSON.stringify([said, fixture.log, again.log]), /secret-token/);
});

t.test('a front whose area has changed gets the messages to it that it missed', async (t) => {
  const fixture = await startGateway(t, SIMULATED_CONFIG + SAMPLE_TREE + FRONTS);
  const [wf, all] = [await idOf(fixture, 'wf'), await idOf(fixture, 'all')];
  const send = (configurator: number, title: string) =>
    rpc(fixture, 'WFC_SendPopup', configurator, title, '');
  const connect = (query: string) =>
    openWebSocket(fixture, `/wfc/${wf}/api/?${query}`, [basicLine('webfront', 'tulip')]);
  await using first = await connect('');
  await send(wf, 'received');
  const [received] = await takeFrames(first, 1);
  const since = received?.TimeStamp;
  await send(wf, 'one');
  await send(all, 'of another front');
  const room = await rpc(fixture, 'SVC_CreateCategory');
  await rpc(fixture, 'SVC_SetParent', room, await idOf(fixture, 'ground_floor'));
  await rpc(fixture, 'SVC_SetParent', room, 0);
  await send(wf, 'two');
  const lost = { SenderID: 0, Message: 0, Data: ['CHANGES_LOST'] };
  const popups = ['one', 'two'].map((title) => ({ SenderID: wf, Data: [title, ''] }));
  // Sent when the socket opens, after everything that was missed.
  const time = { Message: messageNumber.GW_ALIVE };
  for (const { query, frames } of [
    { query: `since=${since}`, frames: [lost, time] },
    { query: `since=${since}&messages=${since}`, frames: [...popups, lost, time] },
    { query: `since=0&messages=${since}`, frames: [...popups, time] },
    { query: 'since=0&messages=0', frames: [time] },
    { query: 'since=0&messages=one', frames: [time] },
  ]) {
    await using socket = await connect(`${query}&alive=1`);
    t.match(await takeFrames(socket, frames.length), frames, query);
  }
});
