import t from 'tap';
import { quality } from '../../../src/kernel/quality.js';
import { completeResult } from '../../tools/client/result-schema.js';
import { anonymousCaller, FunctionFixture } from '../../tools/gateway/function-fixture.js';
import { messageNumber } from '../../tools/client/message-numbers.js';

interface Snapshot {
  readonly objects: Record<string, { name: string; data: object }>;
  readonly profiles: Record<string, object>;
}

/**
 * A ground floor with a lamp, a sensor and a link upstairs, which belongs to configurator 50001; an upper
 * floor.
 */
async function gateway() {
  const fixture = new FunctionFixture();
  const make = async ([method, ...params]: readonly [string, ...unknown[]], name: string, parent: number) => {
    const id = (await fixture.call(method, ...params)) as number;
    await fixture.call('SVC_SetName', id, name);
    await fixture.call('SVC_SetParent', id, parent);
    return id;
  };
  const gateway = await make(['SVC_CreateCategory'], 'House', 0);
  const ground = await make(['SVC_CreateCategory'], 'Ground floor', gateway);
  const hall = await make(['SVC_CreateCategory'], 'Hall', ground);
  const upper = await make(['SVC_CreateCategory'], 'Upper floor', gateway);
  const sensor = await make(['SVC_CreateVariable', 2], 'Sensor', hall);
  const blind = await make(['SVC_CreateVariable', 1], 'Blind', upper);
  const secret = await make(['SVC_CreateVariable', 3], 'Secret', upper);
  const link = await make(['SVC_CreateLink'], 'To the blind', ground);
  await fixture.call('SVC_SetLinkTargetID', link, blind);
  await fixture.call('SVC_SetVariableCustomProfile', sensor, '~Temperature');
  const script = await make(['SVC_CreateScript', 0], 'Script', 0);
  for (const id of [sensor, blind, secret]) await fixture.call('SVC_SetVariableCustomAction', id, script);
  const card = { icon: '', position: 1, editable: false, passwordRequired: true, mobile: false };
  fixture.configurators.push({ ...card, id: 50_001, title: 'Ground floor', baseId: ground });
  fixture.configurators.push({ ...card, id: 50_002, title: 'Upper floor', baseId: upper, mobile: true });
  return { desk: fixture, house: gateway, ground, hall, upper, sensor, blind, secret, link, script };
}

t.test('anonymous callers may list the configurators and nothing else', async (t) => {
  const { desk: fixture } = await gateway();
  await using _ = fixture;
  t.strictSame((fixture.registry.call('WFC_GetConfigurators', [], anonymousCaller) as object[])[0], {
    ID: 50_001,
    Title: 'Ground floor',
    Icon: '',
    Position: 1,
    Editable: false,
    PasswordRequired: true,
    MobileEnabled: false,
  });
  const open: string[] = [];
  for (const { name, parameters } of fixture.registry.all()) {
    const params = parameters.map(({ kind }) => (kind === 'array' ? [] : 0));
    for (const [who, call] of [
      ['anybody', async () => fixture.registry.call(name, params, anonymousCaller)],
      ['a web front', () => fixture.callAsWebFront(50_001, name, ...params)],
      ['another web front', () => fixture.callAsWebFront(50_001, name, 50_002, ...params.slice(1))],
    ] as const)
      await call().then(
        () => open.push(`${who}: ${name}`),
        (thrown: { code: string }) =>
          thrown.code === 'ACCESS_DENIED' || open.push(`${who}: ${name} ${thrown.code}`),
      );
  }
  t.strictSame(
    open.filter((entry) => !entry.endsWith('PARAMETER_COUNT')),
    [
      'a web front: GW_Subscribe NOT_ALLOWED',
      'another web front: GW_Subscribe PARAMETER_TYPE',
      'anybody: WFC_GetConfigurators',
      'a web front: WFC_GetConfigurators',
    ],
  );
});

t.test(
  'the snapshot of a web front contains its area, the path to it and the targets of its links',
  async (t) => {
    const { desk: fixture, ...at } = await gateway();
    await using _ = fixture;
    const snapshot = (await completeResult(
      fixture.callAsWebFront(50_001, 'WFC_GetSnapshot', 50_001),
    )) as Snapshot;
    t.match(snapshot, { server: { platform: /^Linux$/, version: '7.0' }, compatibility: { version: '7.0' } });
    t.strictSame(
      (snapshot as unknown as { options: object }).options,
      {},
      'options are not sent to a web front',
    );
    const area = { configurator: 50_001, base: at.ground, title: 'Ground floor' };
    t.match(snapshot, { area });
    t.notMatch(await completeResult(fixture.call('SVC_GetSnapshot')), { area: {} }, 'the owner has no area');
    t.notMatch(JSON.stringify(snapshot), /6\.12/, 'nor is the version');
    const seen = [0, at.house, at.ground, at.hall, at.upper, at.sensor, at.link, at.blind];
    t.strictSame(Object.keys(snapshot.objects).sort(), seen.map((id) => `ID${id}`).sort());
    t.match(snapshot.objects[`ID${at.upper}`], { name: 'Upper floor', data: {} }, 'on the path to the blind');
    t.strictSame(Object.keys(snapshot.profiles), ['~Temperature']);
    const part = (await completeResult(
      fixture.callAsWebFront(50_001, 'WFC_GetSnapshotEx', 50_001, at.hall),
    )) as Snapshot;
    t.match(part, { area }, 'also in a part of it');
    t.strictSame(
      Object.keys(part.objects).sort(),
      [0, at.house, at.ground, at.hall, at.sensor].map((id) => `ID${id}`).sort(),
    );
    for (const outside of [at.upper, at.house, at.blind, 0, 12])
      await t.rejects(fixture.callAsWebFront(50_001, 'WFC_GetSnapshotEx', 50_001, outside), {
        code: 'OBJECT_MISSING',
      });
    await t.rejects(fixture.call('WFC_GetSnapshot', 12), { message: 'Configurator #12 does not exist' });
  },
);

t.test('the target of a link is complete; a link to a link has no effect', async (t) => {
  const { desk: fixture, ...at } = await gateway();
  await using _ = fixture;
  const shown = async () =>
    ((await completeResult(fixture.callAsWebFront(50_001, 'WFC_GetSnapshot', 50_001))) as Snapshot).objects;
  await fixture.call('SVC_SetInfo', at.house, 'notes');
  t.match((await shown())[`ID${at.house}`], { info: '', position: 0 });
  await fixture.call('SVC_SetLinkTargetID', at.link, at.house);
  t.match((await shown())[`ID${at.house}`], { info: 'notes' });
  t.notOk(`ID${at.secret}` in (await shown()), 'but not its children');
  const other = (await fixture.call('SVC_CreateLink')) as number;
  await fixture.call('SVC_SetLinkTargetID', other, at.secret);
  await fixture.call('SVC_SetLinkTargetID', at.link, other);
  t.notOk(`ID${other}` in (await shown()));
  t.notMatch(JSON.stringify(await shown()), String(at.secret));
});

t.test(
  'a web front receives the changes of its area, and needs a new snapshot if the area changes',
  async (t) => {
    const { desk: fixture, ...at } = await gateway();
    await using _ = fixture;
    const since = fixture.kernel.changes.counter;
    const changes = async (...params: unknown[]) =>
      (await completeResult(fixture.callAsWebFront(50_001, 'WFC_GetSnapshotChanges', 50_001, ...params))) as {
        SenderID: number;
      }[];
    for (const id of [at.sensor, at.blind, at.secret]) await fixture.call('SetValue', id, 1);
    t.strictSame(
      (await changes(since)).map(({ SenderID }) => SenderID),
      [at.sensor, at.blind],
    );
    const part = await completeResult(
      fixture.callAsWebFront(50_001, 'WFC_GetSnapshotChangesEx', 50_001, at.hall, since),
    );
    t.match(part, [{ SenderID: at.sensor }]);
    t.equal((part as object[]).length, 1);
    t.match(await changes(0), [{ Message: 0, TimeStamp: fixture.kernel.changes.counter }]);
    await t.rejects(fixture.callAsWebFront(50_001, 'WFC_GetSnapshotChangesEx', 50_001, at.upper, since), {
      code: 'OBJECT_MISSING',
    });
    await fixture.call('SVC_SetLinkTargetID', at.link, 0);
    await t.rejects(changes(since), { code: 'CHANGES_LOST' });
    t.strictSame(await changes(fixture.kernel.changes.counter), []);
  },
);

t.test('a web front can request actions in its area', async (t) => {
  const { desk: fixture, ...at } = await gateway();
  await using _ = fixture;
  const run = (target: number, value: unknown) =>
    fixture.callAsWebFront(50_001, 'WFC_Execute', 50_001, 0, target, value);
  t.equal(await run(at.sensor, '1.5'), `ran with {"VARIABLE":${at.sensor},"VALUE":1.5}`);
  t.match(fixture.scripts.runs.at(-1), {
    sender: 'WebFront',
    caller: { role: 'webfront', user: 'webfront' },
  });
  t.type(await run(at.blind, 3), 'string', 'the target of a link is in it');
  const { length } = fixture.scripts.runs;
  for (const outside of [at.secret, at.upper, 0, 12])
    await t.rejects(run(outside, 1), { code: 'ACCESS_DENIED' }, `${outside}`);
  await t.rejects(run(at.hall, 1), { code: 'NOT_OF_TYPE' });
  await t.rejects(run(at.sensor, null), { code: 'CANNOT_CONVERT' });
  t.equal(fixture.scripts.runs.length, length);
  t.match(fixture.audit.at(-1), { user: 'webfront', remote: '10.0.0.9', method: 'WFC_Execute', ok: false });
});

t.test('a web front sees the quality of values in its area only, in snapshot and changes', async (t) => {
  const { desk: fixture, sensor, blind, secret } = await gateway();
  await using _ = fixture;
  const { variables, changes } = fixture.kernel;
  const since = changes.counter;
  const suspect = { state: quality.stale, reason: 'OVERDUE', text: 'no value' } as const;
  for (const id of [sensor, blind, secret]) variables.setQualityProblem(variables.get(id), suspect);
  const { objects } = (await completeResult(
    fixture.callAsWebFront(50_001, 'WFC_GetSnapshot', 50_001),
  )) as Snapshot;
  t.match(objects[`ID${sensor}`]?.data, { quality: suspect });
  t.match(objects[`ID${blind}`]?.data, { quality: suspect }, 'through a link');
  t.equal(objects[`ID${secret}`], undefined);
  const messages = (await completeResult(
    fixture.callAsWebFront(50_001, 'WFC_GetSnapshotChanges', 50_001, since),
  )) as object[];
  t.match(messages, [
    { SenderID: sensor, Message: messageNumber.GW_QUALITY, Data: [1, 'OVERDUE', 'no value'] },
    { SenderID: blind, Message: messageNumber.GW_QUALITY },
  ]);
  t.equal(messages.length, 2);
});

t.test('a front sees roles, rules and scheduled changes in its area only', async (t) => {
  const { desk: fixture, sensor, blind, secret } = await gateway();
  await using _ = fixture;
  const { variables, changes } = fixture.kernel;
  const since = changes.counter;
  const rule = { code: 'INTERLOCK', untilMs: 0, group: 'pumps' } as const;
  for (const variable of [sensor, blind, secret].map((id) => variables.get(id))) {
    variables.setRole(variable, 'detail');
    variables.setRule(variable, rule);
    variables.setPending(variable, { value: variable.data.value, atMs: 5000, code: 'MAX_ON' });
  }
  const { objects } = (await completeResult(
    fixture.callAsWebFront(50_001, 'WFC_GetSnapshot', 50_001),
  )) as Snapshot;
  for (const id of [sensor, blind])
    t.match(objects[`ID${id}`]?.data, { role: 'detail', rule, pending: { atMs: 5000, code: 'MAX_ON' } });
  const messages = (await completeResult(
    fixture.callAsWebFront(50_001, 'WFC_GetSnapshotChanges', 50_001, since),
  )) as { SenderID: number; Message: number }[];
  const { GW_ROLE, GW_RULE, GW_PENDING } = messageNumber;
  t.strictSame(
    messages.map(({ SenderID, Message }) => [SenderID, Message]),
    [sensor, blind].flatMap((id) => [GW_ROLE, GW_RULE, GW_PENDING].map((number) => [id, number])),
  );
});
