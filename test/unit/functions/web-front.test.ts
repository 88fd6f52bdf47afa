import t from 'tap';
import { quality } from '../../../src/kernel/quality.js';
import { completeResult } from '../../tools/client/result-schema.js';
import { anonymousCaller, FunctionFixture } from '../../tools/gateway/function-fixture.js';

interface Snapshot {
  readonly objects: Record<string, { name: string; data: object }>;
  readonly profiles: Record<string, object>;
}

/** A house: a ground floor with a lamp, a sensor and a link upstairs, which is configurator 50001's; an upper floor. */
async function house() {
  const desk = new FunctionFixture();
  const make = async ([method, ...params]: readonly [string, ...unknown[]], name: string, parent: number) => {
    const id = (await desk.call(method, ...params)) as number;
    await desk.call('SVC_SetName', id, name);
    await desk.call('SVC_SetParent', id, parent);
    return id;
  };
  const house = await make(['SVC_CreateCategory'], 'House', 0);
  const ground = await make(['SVC_CreateCategory'], 'Ground floor', house);
  const hall = await make(['SVC_CreateCategory'], 'Hall', ground);
  const upper = await make(['SVC_CreateCategory'], 'Upper floor', house);
  const sensor = await make(['SVC_CreateVariable', 2], 'Sensor', hall);
  const blind = await make(['SVC_CreateVariable', 1], 'Blind', upper);
  const secret = await make(['SVC_CreateVariable', 3], 'Secret', upper);
  const link = await make(['SVC_CreateLink'], 'To the blind', ground);
  await desk.call('SVC_SetLinkTargetID', link, blind);
  await desk.call('SVC_SetVariableCustomProfile', sensor, '~Temperature');
  const script = await make(['SVC_CreateScript', 0], 'Script', 0);
  for (const id of [sensor, blind, secret]) await desk.call('SVC_SetVariableCustomAction', id, script);
  const card = { icon: '', position: 1, editable: false, passwordRequired: true, mobile: false };
  desk.configurators.push({ ...card, id: 50_001, title: 'Ground floor', baseId: ground });
  desk.configurators.push({ ...card, id: 50_002, title: 'Upper floor', baseId: upper, mobile: true });
  return { desk, house, ground, hall, upper, sensor, blind, secret, link, script };
}

t.test('everybody may list the configurators, and do nothing else', async (t) => {
  const { desk } = await house();
  await using _ = desk;
  t.strictSame((desk.registry.call('WFC_GetConfigurators', [], anonymousCaller) as object[])[0], {
    ID: 50_001,
    Title: 'Ground floor',
    Icon: '',
    Position: 1,
    Editable: false,
    PasswordRequired: true,
    MobileEnabled: false,
  });
  const open: string[] = [];
  for (const { name, parameters } of desk.registry.all()) {
    const params = parameters.map(({ kind }) => (kind === 'array' ? [] : 0));
    for (const [who, call] of [
      ['anybody', async () => desk.registry.call(name, params, anonymousCaller)],
      ['a front', () => desk.callAsWebFront(50_001, name, ...params)],
      ['another front', () => desk.callAsWebFront(50_001, name, 50_002, ...params.slice(1))],
    ] as const)
      await call().then(
        () => open.push(`${who}: ${name}`),
        (thrown: { code: string }) =>
          thrown.code === 'ACCESS_DENIED' || open.push(`${who}: ${name} ${thrown.code}`),
      );
  }
  t.strictSame(
    open.filter((entry) => !entry.endsWith('PARAMETER_COUNT')),
    ['anybody: WFC_GetConfigurators', 'a front: WFC_GetConfigurators'],
  );
});

t.test(
  'a front’s snapshot holds its area, the way to it, and what its links point to (decision 14)',
  async (t) => {
    const { desk, ...at } = await house();
    await using _ = desk;
    const snapshot = (await completeResult(
      desk.callAsWebFront(50_001, 'WFC_GetSnapshot', 50_001),
    )) as Snapshot;
    t.match(snapshot, { server: { platform: /^Linux$/, version: '7.0' }, compatibility: { version: '7.0' } });
    t.strictSame((snapshot as unknown as { options: object }).options, {}, 'no option is a front’s');
    t.notMatch(JSON.stringify(snapshot), /6\.12/, 'nor is the release of the kernel');
    const seen = [0, at.house, at.ground, at.hall, at.upper, at.sensor, at.link, at.blind];
    t.strictSame(Object.keys(snapshot.objects).sort(), seen.map((id) => `ID${id}`).sort());
    t.match(snapshot.objects[`ID${at.upper}`], { name: 'Upper floor', data: {} }, 'on the way to the blind');
    t.strictSame(Object.keys(snapshot.profiles), ['~Temperature']);
    const part = (await completeResult(
      desk.callAsWebFront(50_001, 'WFC_GetSnapshotEx', 50_001, at.hall),
    )) as Snapshot;
    t.strictSame(
      Object.keys(part.objects).sort(),
      [0, at.house, at.ground, at.hall, at.sensor].map((id) => `ID${id}`).sort(),
    );
    for (const outside of [at.upper, at.house, at.blind, 0, 12])
      await t.rejects(desk.callAsWebFront(50_001, 'WFC_GetSnapshotEx', 50_001, outside), {
        code: 'OBJECT_MISSING',
      });
    await t.rejects(desk.call('WFC_GetSnapshot', 12), { message: 'Configurator #12 does not exist' });
  },
);

t.test('what a link points to is whole, on the way too; a link to a link leads nowhere', async (t) => {
  const { desk, ...at } = await house();
  await using _ = desk;
  const shown = async () =>
    ((await completeResult(desk.callAsWebFront(50_001, 'WFC_GetSnapshot', 50_001))) as Snapshot).objects;
  await desk.call('SVC_SetInfo', at.house, 'notes');
  t.match((await shown())[`ID${at.house}`], { info: '', position: 0 });
  await desk.call('SVC_SetLinkTargetID', at.link, at.house);
  t.match((await shown())[`ID${at.house}`], { info: 'notes' });
  t.notOk(`ID${at.secret}` in (await shown()), 'but not what stands below it');
  const other = (await desk.call('SVC_CreateLink')) as number;
  await desk.call('SVC_SetLinkTargetID', other, at.secret);
  await desk.call('SVC_SetLinkTargetID', at.link, other);
  t.notOk(`ID${other}` in (await shown()));
  t.notMatch(JSON.stringify(await shown()), String(at.secret));
});

t.test(
  'a front’s changes are those of its area; when the area itself changes it is told to begin anew',
  async (t) => {
    const { desk, ...at } = await house();
    await using _ = desk;
    const since = desk.kernel.changes.counter;
    const changes = async (...params: unknown[]) =>
      (await completeResult(desk.callAsWebFront(50_001, 'WFC_GetSnapshotChanges', 50_001, ...params))) as {
        SenderID: number;
      }[];
    for (const id of [at.sensor, at.blind, at.secret]) await desk.call('SetValue', id, 1);
    t.strictSame(
      (await changes(since)).map(({ SenderID }) => SenderID),
      [at.sensor, at.blind],
    );
    const part = await completeResult(
      desk.callAsWebFront(50_001, 'WFC_GetSnapshotChangesEx', 50_001, at.hall, since),
    );
    t.match(part, [{ SenderID: at.sensor }]);
    t.equal((part as object[]).length, 1);
    t.match(await changes(0), [{ Message: 0, TimeStamp: desk.kernel.changes.counter }]);
    await t.rejects(desk.callAsWebFront(50_001, 'WFC_GetSnapshotChangesEx', 50_001, at.upper, since), {
      code: 'OBJECT_MISSING',
    });
    await desk.call('SVC_SetLinkTargetID', at.link, 0);
    await t.rejects(changes(since), { code: 'CHANGES_LOST' });
    t.strictSame(await changes(desk.kernel.changes.counter), []);
  },
);

t.test('a front may have done what stands in its area', async (t) => {
  const { desk, ...at } = await house();
  await using _ = desk;
  const run = (target: number, value: unknown) =>
    desk.callAsWebFront(50_001, 'WFC_Execute', 50_001, 0, target, value);
  t.equal(await run(at.sensor, '1.5'), `ran with {"VARIABLE":${at.sensor},"VALUE":1.5}`);
  t.match(desk.scripts.runs.at(-1), { sender: 'WebFront', caller: { role: 'webfront', user: 'webfront' } });
  t.type(await run(at.blind, 3), 'string', 'what a link points to is in it');
  const { length } = desk.scripts.runs;
  for (const outside of [at.secret, at.upper, 0, 12])
    await t.rejects(run(outside, 1), { code: 'ACCESS_DENIED' }, `${outside}`);
  await t.rejects(run(at.hall, 1), { code: 'NOT_OF_TYPE' });
  await t.rejects(run(at.sensor, null), { code: 'CANNOT_CONVERT' });
  t.equal(desk.scripts.runs.length, length);
  t.match(desk.audit.at(-1), { user: 'webfront', remote: '10.0.0.9', method: 'WFC_Execute', ok: false });
});

t.test(
  'a front sees how values in its area stand, in the snapshot and in the changes, and none elsewhere',
  async (t) => {
    const { desk, sensor, blind, secret } = await house();
    await using _ = desk;
    const { variables, changes } = desk.kernel;
    const since = changes.counter;
    const doubt = { state: quality.stale, reason: 'OVERDUE', text: 'nothing came' } as const;
    for (const id of [sensor, blind, secret]) variables.setQualityProblem(variables.get(id), doubt);
    const { objects } = (await completeResult(
      desk.callAsWebFront(50_001, 'WFC_GetSnapshot', 50_001),
    )) as Snapshot;
    t.match(objects[`ID${sensor}`]?.data, { quality: doubt });
    t.match(objects[`ID${blind}`]?.data, { quality: doubt }, 'by a link');
    t.equal(objects[`ID${secret}`], undefined);
    const told = (await completeResult(
      desk.callAsWebFront(50_001, 'WFC_GetSnapshotChanges', 50_001, since),
    )) as object[];
    t.match(told, [
      { SenderID: sensor, Message: 20400, Data: [1, 'OVERDUE', 'nothing came'] },
      { SenderID: blind, Message: 20400 },
    ]);
    t.equal(told.length, 2);
  },
);
