import t from 'tap';
import { Area } from '../../../src/kernel/area.js';
import { message } from '../../../src/kernel/messages.js';
import { completeResult } from '../../tools/client/result-schema.js';
import { FunctionFixture } from '../../tools/gateway/function-fixture.js';

const card = {
  title: '',
  icon: '',
  position: 1,
  editable: false,
  passwordRequired: true,
  mobile: false,
};

/**
 * Configurator 50001 has the ground floor with a sound and a variable, 50002 everything; a sound upstairs is
 * the owner's.
 */
function gateway() {
  const fixture = new FunctionFixture();
  const { tree, variables, media } = fixture.kernel;
  const ground = tree.create(0, {}, { name: 'Ground floor' });
  const hall = tree.create(0, {}, { parent: ground, name: 'Hall' });
  const lamp = variables.create(0, { parent: ground });
  const upper = tree.create(0, {}, { name: 'Upper floor' });
  const sound = (parent: typeof ground) => media.create(2, { parent });
  const [gong, alarm] = [sound(ground), sound(upper)];
  fixture.configurators.push({ ...card, id: 50_001, baseId: ground.id });
  fixture.configurators.push({ ...card, id: 50_002, baseId: 0, mobile: true });
  return { desk: fixture, ground, hall, lamp, upper, gong, alarm };
}

const F = 50_001;
const item = (ID: string, ParentID = '', rest = {}) => ({
  ID,
  ParentID,
  ClassName: 'Category',
  Configuration: '{}',
  Position: 0,
  Visible: true,
  ...rest,
});

t.test('items of each configurator are added, changed, moved and deleted separately', async (t) => {
  const { desk: fixture } = gateway();
  await using _ = fixture;
  const items = (id = F) => fixture.call('WFC_GetItems', id);
  t.strictSame(await items(), []);
  t.equal(await fixture.call('WFC_AddItem', F, 'roottp', 'TabPane', '{"title":"Home"}', ''), true);
  await fixture.call('WFC_AddItem', F, 'tab1', 'Category', '{}', 'roottp');
  await fixture.call('WFC_AddItem', F, 'tab2', 'Category', '{"baseID":1}', 'roottp');
  await fixture.call('WFC_UpdateConfiguration', F, 'tab1', '{"a":"ü"}');
  await fixture.call('WFC_UpdateParentID', F, 'tab2', 'tab1');
  await fixture.call('WFC_UpdatePosition', F, 'tab2', -3);
  await fixture.call('WFC_UpdateVisibility', F, 'tab2', false);
  const all = [
    item('roottp', '', { ClassName: 'TabPane', Configuration: '{"title":"Home"}' }),
    item('tab1', 'roottp', { Configuration: '{"a":"ü"}' }),
    item('tab2', 'tab1', { Configuration: '{"baseID":1}', Position: -3, Visible: false }),
  ];
  t.strictSame(await items(), all);
  t.strictSame(await fixture.callAsWebFront(F, 'WFC_GetItems', F), all, 'a web front reads its own');
  await t.rejects(fixture.callAsWebFront(F, 'WFC_GetItems', 50_002), { code: 'ACCESS_DENIED' });
  await t.rejects(fixture.callAsWebFront(F, 'WFC_DeleteItem', F, 'tab2'), { code: 'ACCESS_DENIED' });
  t.strictSame(await items(50_002), []);
  await t.rejects(fixture.call('WFC_DeleteItem', F, 'tab1'), {
    message: /tab1 has children; delete them first/,
  });
  await fixture.call('WFC_DeleteItem', F, 'tab2');
  await fixture.call('WFC_DeleteItem', F, 'tab1');
  t.strictSame(await items(), all.slice(0, 1));
  t.ok(fixture.commits.length >= 8, 'every change is durable before its reply');
  t.equal(
    await fixture.call(
      'WFC_SetItems',
      F,
      '[{"ID":"a","ClassName":"B","Extra":1},{"ID":"b","ClassName":"B","ParentID":"a"}]',
    ),
    true,
  );
  t.strictSame(await items(), [item('a', '', { ClassName: 'B' }), item('b', 'a', { ClassName: 'B' })]);
  t.equal(await fixture.call('WFC_SetItems', 50_002, '[]'), true);
});

t.test('inconsistent items are rejected, and nothing changes', async (t) => {
  const { desk: fixture } = gateway();
  await using _ = fixture;
  await fixture.call('WFC_SetItems', F, JSON.stringify([item('a'), item('b', 'a'), item('c', 'b')]));
  const before = await fixture.call('WFC_GetItems', F);
  const set = (...items: unknown[]) => ['WFC_SetItems', F, JSON.stringify(items)] as const;
  const many = Array.from({ length: 1001 }, (_one, n) => item(`i${n}`));
  const long = Array.from({ length: 9 }, (_one, n) =>
    item(`i${n}`, '', { Configuration: `{"a":"${'x'.repeat(30_000)}"}` }),
  );
  for (const [why, ...call] of [
    [/the ID a is used twice/, 'WFC_AddItem', F, 'a', 'C', '{}', ''],
    [/the parent z of d does not exist/, 'WFC_AddItem', F, 'd', 'C', '{}', 'z'],
    [/an ID must have 1 to 128/, 'WFC_AddItem', F, '', 'C', '{}', ''],
    [/an ID must have 1 to 128/, 'WFC_AddItem', F, 'x'.repeat(129), 'C', '{}', ''],
    [/an ID must have 1 to 128/, 'WFC_AddItem', F, 'a\nb', 'C', '{}', ''],
    [/class of d/, 'WFC_AddItem', F, 'd', '', '{}', ''],
    [/configuration of d/, 'WFC_AddItem', F, 'd', 'C', '[]', ''],
    [/configuration of a/, 'WFC_UpdateConfiguration', F, 'a', '{'],
    [/below itself/, 'WFC_UpdateParentID', F, 'a', 'c'],
    [/below itself/, 'WFC_UpdateParentID', F, 'a', 'a'],
    [/the parent nobody of a does not exist/, 'WFC_UpdateParentID', F, 'a', 'nobody'],
    [/Item z does not exist/, 'WFC_UpdatePosition', F, 'z', 1],
    [/Item z does not exist/, 'WFC_UpdateVisibility', F, 'z', true],
    [/Item z does not exist/, 'WFC_DeleteItem', F, 'z'],
    [/JSON list/, 'WFC_SetItems', F, '{}'],
    [/JSON list/, 'WFC_SetItems', F, '['],
    [/each item needs the strings/, ...set(null)],
    [/each item needs the strings/, ...set({ ID: 1, ClassName: 'C' })],
    [/each item needs the strings/, ...set({ ID: 'a' })],
    [/Position of a/, ...set(item('a', '', { Position: 1.5 }))],
    [/Position of a/, ...set(item('a', '', { Visible: 1 }))],
    [/twice/, ...set(item('a'), item('a'))],
    [/below itself/, ...set(item('a', 'b'), item('b', 'a'))],
    [/more than 1000/, ...set(...many)],
    [/longer than 262144 bytes/, ...set(...long)],
    [/Configurator #12 does not exist/, 'WFC_GetItems', 12],
  ] as const)
    await t.rejects(
      fixture.call(...(call as readonly unknown[] as [string])),
      { message: why },
      JSON.stringify(call).slice(0, 80),
    );
  t.strictSame(await fixture.call('WFC_GetItems', F), before);
  t.equal(await fixture.call('WFC_SetItems', F, JSON.stringify(many.slice(1))), true);
});

t.test('each call for the web fronts emits one message of the configurator', async (t) => {
  const { desk: fixture, ground, hall, gong } = gateway();
  await using _ = fixture;
  const { WF_POPUP, WF_NOTIFICATION, WF_AUDIO, WF_SWITCH_PAGE, WF_RELOAD, WF_OPEN_CATEGORY } = message;
  for (const [sent, data, ...call] of [
    [WF_POPUP, ['T', 'X'], 'WFC_SendPopup', F, 'T', 'X'],
    [WF_NOTIFICATION, ['T', 'X', 'Bell', 30, '', 0], 'WFC_SendNotification', F, 'T', 'X', 'Bell', 30],
    [
      WF_NOTIFICATION,
      ['T', 'X', '', 0, 'gong', hall.id],
      'WFC_PushNotification',
      F,
      'T',
      'X',
      'gong',
      hall.id,
    ],
    [WF_NOTIFICATION, ['T', 'X', '', 0, '', 0], 'WFC_PushNotification', F, 'T', 'X', '', 0],
    [WF_AUDIO, ['T', gong.id], 'WFC_AudioNotification', F, 'T', gong.id],
    [WF_SWITCH_PAGE, ['tab2'], 'WFC_SwitchPage', F, 'tab2'],
    [WF_RELOAD, [], 'WFC_Reload', F],
    [WF_OPEN_CATEGORY, [ground.id], 'WFC_OpenCategory', F, ground.id],
  ] as const)
    t.strictSame(
      await fixture.messagesOfCall(...(call as readonly unknown[] as [string])),
      [[F, sent, data]],
      call[0],
    );
  const before = fixture.kernel.changes.counter;
  t.equal(await fixture.callAsWebFront(F, 'WFC_OpenCategory', F, hall.id), true, 'a web front may, too');
  t.match(fixture.kernel.changes.since(before), [
    { SenderID: F, Message: WF_OPEN_CATEGORY, Data: [hall.id] },
  ]);
});

t.test('texts that are too long and objects outside the area are rejected', async (t) => {
  const { desk: fixture, lamp, upper, alarm, gong } = gateway();
  await using _ = fixture;
  const before = fixture.kernel.changes.counter;
  for (const [code, ...call] of [
    ['TEXT_TOO_LONG', 'WFC_SendPopup', F, 'x'.repeat(1025), ''],
    ['TEXT_TOO_LONG', 'WFC_SendPopup', F, '', 'x'.repeat(65_537)],
    ['TEXT_TOO_LONG', 'WFC_SwitchPage', F, 'x'.repeat(1025)],
    ['TEXT_TOO_LONG', 'WFC_AudioNotification', F, 'x'.repeat(1025), gong.id],
    ['PARAMETER_BOUNDS', 'WFC_SendNotification', F, '', '', '', -1],
    ['PARAMETER_BOUNDS', 'WFC_SendNotification', F, '', '', '', 86_401],
    ['NOT_OF_TYPE', 'WFC_OpenCategory', F, upper.id],
    ['NOT_OF_TYPE', 'WFC_OpenCategory', F, lamp.id],
    ['NOT_OF_TYPE', 'WFC_OpenCategory', F, 0],
    ['NOT_OF_TYPE', 'WFC_AudioNotification', F, '', alarm.id],
    ['NOT_OF_TYPE', 'WFC_AudioNotification', F, '', lamp.id],
    ['OBJECT_MISSING', 'WFC_PushNotification', F, '', '', '', upper.id],
    ...['WFC_Reload', 'WFC_SwitchPage', 'WFC_SendPopup', 'WFC_SendNotification', 'WFC_PushNotification'].map(
      (name) => {
        const { parameters } = fixture.registry.find(name) ?? { parameters: [] };
        const rest = parameters.slice(1).map(({ kind }) => (kind === 'integer' ? 0 : ''));
        return ['NOT_OF_TYPE', name, 12, ...rest] as const;
      },
    ),
  ] as const)
    await t.rejects(
      fixture.call(...(call as readonly unknown[] as [string])),
      { code },
      JSON.stringify(call).slice(0, 80),
    );
  t.equal(fixture.kernel.changes.counter, before);
});

t.test('messages for the web fronts of a configurator are only in their changes', async (t) => {
  const { desk: fixture, hall, ground, upper } = gateway();
  await using _ = fixture;
  const since = fixture.kernel.changes.counter;
  for (const id of [50_001, 50_002]) await fixture.call('WFC_SendPopup', id, `to ${id}`, '');
  await fixture.call('WFC_OpenCategory', F, hall.id);
  const messages = async (id: number, ...at: number[]) => {
    const name = at.length > 0 ? 'WFC_GetSnapshotChangesEx' : 'WFC_GetSnapshotChanges';
    const result = fixture.registry.call(name, [id, ...at, since], {
      role: 'webfront',
      user: 'webfront',
      remote: '',
      configurator: id,
    });
    return ((await completeResult(result)) as { Data: unknown[] }[]).map(({ Data }) => Data[0]);
  };
  t.strictSame(await messages(50_001), ['to 50001', hall.id]);
  t.strictSame(await messages(50_001, ground.id), ['to 50001', hall.id]);
  t.strictSame(await messages(50_002), ['to 50002'], 'although the complete tree is in its area');
  fixture.kernel.tree.move(hall, upper);
  await t.rejects(messages(50_001), { code: 'CHANGES_LOST' });
  const area = new Area(fixture.kernel.tree, ground.id, F);
  const mine = fixture.kernel.changes.since(since).filter((change) => area.admits(change));
  t.strictSame(
    mine.map(({ Data }) => Data[0]),
    ['to 50001'],
    'objects that left the area are not named any more',
  );
});

t.test('mobile devices are registered if allowed, and their tokens are never returned', async (t) => {
  const { desk: fixture } = gateway();
  await using _ = fixture;
  const M = 50_002;
  const register = (id: number, ...[token, device, name = 'Phone']: [string, string, string?]) =>
    fixture.callAsWebFront(id, 'WFC_RegisterPNS', id, token, 'apns', device, name);
  await t.rejects(register(F, 'tulip', 'D'), { code: 'NOT_ALLOWED' });
  t.equal(await register(M, 'tulip-1', 'D'), 'D');
  t.equal(await register(M, 'tulip-2', 'E'), 'E');
  t.equal(await register(M, 'tulip-3', 'D', 'New phone'), 'D', 'the same device again');
  const device = (DeviceID: string, DeviceName: string) => ({
    DeviceID,
    DeviceName,
    Provider: 'apns',
    Registered: 1_700_000_000,
  });
  t.strictSame(await fixture.call('GW_GetPushDevices', M), [device('E', 'Phone'), device('D', 'New phone')]);
  t.strictSame(await fixture.call('GW_GetPushDevices', F), []);
  t.match(fixture.kept.get(`devices ${M}`), /tulip-3/, 'the token is kept');
  t.notMatch(fixture.kept.get(`devices ${M}`), /tulip-1/);
  t.notMatch(JSON.stringify(fixture.audit), /tulip/);
  await t.rejects(fixture.callAsWebFront(M, 'GW_GetPushDevices', M), { code: 'ACCESS_DENIED' });
  for (const [code, ...given] of [
    ['PARAMETER_BOUNDS', '', 'apns', 'D', ''],
    ['PARAMETER_BOUNDS', 't', '', 'D', ''],
    ['PARAMETER_BOUNDS', 't', 'apns', '', ''],
    ['TEXT_TOO_LONG', 'x'.repeat(4097), 'apns', 'D', ''],
    ['TEXT_TOO_LONG', 't', 'apns', 'D', 'x'.repeat(1025)],
  ] as const)
    await t.rejects(fixture.callAsWebFront(M, 'WFC_RegisterPNS', M, ...given), { code });
  for (let n = 2; n < 64; n++) await register(M, 't', `D${n}`);
  await t.rejects(register(M, 't', 'D64'), { message: /more than 64 devices/ });
  t.equal(await register(M, 't', 'D63'), 'D63', 'a known device may register again');
  t.equal(await fixture.call('GW_RemovePushDevice', M, 'D63'), true);
  t.equal(await fixture.call('GW_RemovePushDevice', M, 'D63'), false);
  t.equal(await register(M, 't', 'D64'), 'D64');
});
