import t from 'tap';
import { FunctionFixture } from '../../tools/gateway/function-fixture.js';
import { messageNumber } from '../../tools/client/message-numbers.js';

/** Messages by their numbers in the interface (§3.5), as clients know them. */
const [REGISTER, UNREGISTER, PARENT, NAME, INFO] = [
  messageNumber.OM_REGISTER,
  messageNumber.OM_UNREGISTER,
  messageNumber.OM_CHANGEPARENT,
  messageNumber.OM_CHANGENAME,
  messageNumber.OM_CHANGEINFO,
];
const [POSITION, HIDDEN, ICON, ADDED, REMOVED, IDENT, DISABLED] = [
  messageNumber.OM_CHANGEPOSITION,
  messageNumber.OM_CHANGEHIDDEN,
  messageNumber.OM_CHANGEICON,
  messageNumber.OM_CHILDADDED,
  messageNumber.OM_CHILDREMOVED,
  messageNumber.OM_CHANGEIDENT,
  messageNumber.OM_CHANGEDISABLED,
];

const makers = [
  ['Category', 0, []],
  ['Variable', 2, [1]],
  ['Script', 3, [0]],
  ['Link', 6, []],
] as const;

t.test('creation and deletion emit messages in the documented order', async (t) => {
  await using fixture = new FunctionFixture();
  const reported = async (method: string, ...params: unknown[]) => {
    const messages = await fixture.messagesOfCall(method, ...params);
    return messages.map(([sender, message, data]) => [sender === 0 ? 0 : 'it', message, ...data]);
  };
  const ids = new Set<number>();
  const since = async (method: string, ...params: unknown[]) => {
    const all = await reported(method, ...params);
    for (const [, message, id] of all) if (message === ADDED) ids.add(id as number);
    return all.map((entry) => entry.map((item) => (ids.has(item as number) ? 'it' : item)));
  };
  t.strictSame(await since('SVC_CreateCategory'), [
    ['it', REGISTER, 0],
    [0, ADDED, 'it'],
  ]);
  t.strictSame(await since('SVC_CreateVariable', 2), [
    ['it', REGISTER, 2],
    ['it', messageNumber.VM_CREATE, 2],
    [0, ADDED, 'it'],
  ]);
  const script = await since('SVC_CreateScript', 0);
  t.match(script, [
    ['it', REGISTER, 3],
    ['it', messageNumber.SM_CREATE, 0],
    ['it', messageNumber.SM_CHANGEFILE, /^\d{5}\.js$/],
    [0, ADDED, 'it'],
  ]);
  t.strictSame(await since('SVC_CreateLink'), [
    ['it', REGISTER, 6],
    ['it', messageNumber.LM_CREATE],
    [0, ADDED, 'it'],
  ]);
  const [category, variable, made, link] = ids;
  const ends = [
    ['SVC_DeleteCategory', category, 0, []],
    ['SVC_DeleteVariable', variable, 2, [['it', messageNumber.VM_DELETE]]],
    ['SVC_DeleteLink', link, 6, [['it', messageNumber.LM_DELETE]]],
  ] as const;
  for (const [method, id, type, own] of ends)
    t.strictSame(await since(method, id), [[0, REMOVED, 'it'], ...own, ['it', UNREGISTER, type]], method);
  t.strictSame(await since('SVC_DeleteScript', made, true), [
    [0, REMOVED, 'it'],
    ['it', messageNumber.SM_DELETE],
    ['it', UNREGISTER, 3],
  ]);
});

t.test('the messages of a new instance precede those of its variables', async (t) => {
  await using fixture = new FunctionFixture();
  const { counter } = fixture.kernel.changes;
  const id = (await fixture.call('SVC_CreateInstance', 'Bulb')) as number;
  const messages = fixture.kernel.changes.since(counter).map(({ SenderID, Message }) => [SenderID, Message]);
  t.strictSame(messages.slice(0, 4), [
    [id, REGISTER],
    [id, messageNumber.IM_CREATE],
    [id, messageNumber.IM_CHANGESTATUS],
    [0, ADDED],
  ]);
  for (const ident of ['STATE', 'LEVEL', 'LINK', 'STATUS']) {
    const variable = fixture.idOf(id, ident);
    const own = messages.filter(([sender]) => sender === variable).map(([, message]) => message);
    t.strictSame(own.slice(0, 2), [REGISTER, messageNumber.VM_CREATE], ident);
    t.ok(own.indexOf(PARENT) > own.indexOf(IDENT), `${ident} is moved when it is complete`);
  }
});

t.test('every setter emits one message for a change, and none otherwise', async (t) => {
  await using fixture = new FunctionFixture();
  const id = (await fixture.call('SVC_CreateCategory')) as number;
  for (const [method, message, values] of [
    ['SVC_SetName', NAME, ['Hall', 'Ünïcode 😀']],
    ['SVC_SetIdent', IDENT, ['hall', '1st_floor', '']],
    ['SVC_SetPosition', POSITION, [-3, 7]],
    ['SVC_SetHidden', HIDDEN, [true, false]],
    ['SVC_SetDisabled', DISABLED, [true, false]],
    ['SVC_SetIcon', ICON, ['Bulb', '']],
    ['SVC_SetInfo', INFO, ['notes', '']],
    ['GW_SetPublishRule', messageNumber.GW_PUBLISH, ['home-assistant', 'none', '']],
  ] as const) {
    for (const value of values) {
      t.strictSame(
        await fixture.messagesOfCall(method, id, value),
        [[id, message, [value]]],
        `${method} ${value}`,
      );
      t.strictSame(await fixture.messagesOfCall(method, id, value), [], 'the same again');
    }
    await t.rejects(fixture.call(method, 12, values[0]), { code: 'OBJECT_MISSING', rpc: -32603 });
    await t.rejects(fixture.call(method, 0, values[0]), {
      code: 'ROOT_FIXED',
      message: 'Cannot change root',
    });
    await t.rejects(fixture.call(method, id, []), { code: 'PARAMETER_TYPE' });
    await t.rejects(fixture.call(method, id), { code: 'PARAMETER_COUNT' });
  }
  const unnamed = `Unnamed Object (ID: ${id})`;
  t.strictSame(await fixture.messagesOfCall('SVC_SetName', id, ''), [[id, NAME, [unnamed]]]);
  t.equal(await fixture.call('SVC_GetName', id), unnamed);
  t.equal(await fixture.call('SVC_GetObjectIDByName', unnamed, 0), id);
  for (const [method, length] of [
    ['SVC_SetName', 1025],
    ['SVC_SetIcon', 1025],
    ['SVC_SetInfo', 65_537],
  ] as const)
    await t.rejects(fixture.call(method, id, 'x'.repeat(length)), { code: 'TEXT_TOO_LONG' });
});

t.test(
  'idents have letters, digits and underscores, are unique among siblings, and can be removed (§5)',
  async (t) => {
    await using fixture = new FunctionFixture();
    const [a, b, room] = (await Promise.all(
      Array.from({ length: 3 }, () => fixture.call('SVC_CreateCategory')),
    )) as [number, number, number];
    for (const ident of ['a b', 'ä', 'a-b', 'a.b', ' ', 'a\n', '%'])
      await t.rejects(
        fixture.call('SVC_SetIdent', a, ident),
        { code: 'IDENT_INVALID' },
        JSON.stringify(ident),
      );
    await fixture.call('SVC_SetIdent', a, 'lamp');
    await t.rejects(fixture.call('SVC_SetIdent', b, 'lamp'), {
      message: 'Ident must be unique for each category/level',
    });
    await fixture.call('SVC_SetIdent', b, 'Lamp');
    await fixture.call('SVC_SetParent', b, room);
    await fixture.call('SVC_SetIdent', b, 'lamp');
    await t.rejects(fixture.call('SVC_SetParent', b, 0), { code: 'IDENT_TAKEN' }, 'there is one already');
    t.equal(await fixture.call('SVC_GetObjectIDByIdent', 'lamp', room), b);
    t.equal(await fixture.call('SVC_GetObjectIDByIdent', 'lamp', 0), a);
    await fixture.call('SVC_SetIdent', a, '');
    await fixture.call('SVC_SetParent', b, 0);
    t.equal(await fixture.call('SVC_FindObjectIDByIdent', 'lamp', 0), b);
    t.equal(await fixture.call('SVC_FindObjectIDByIdent', '', 0), 0, 'an empty ident is none');
    t.equal(await fixture.call('SVC_FindObjectIDByName', 'nobody', 0), 0);
    await fixture.call('SVC_SetName', room, 'Room');
    t.equal(await fixture.call('SVC_FindObjectIDByName', 'Room', 0), room);
    for (const method of ['SVC_GetObjectIDByIdent', 'SVC_GetObjectIDByName', 'SVC_GetVariableIDByName'])
      await t.rejects(fixture.call(method, 'nobody', 0), {
        message: /^Object with (ident|name) nobody could not/,
      });
    await t.rejects(fixture.call('SVC_FindObjectIDByIdent', 'lamp', 12), { code: 'OBJECT_MISSING' });
  },
);

t.test('a variable that a device reports keeps its place and its ident', async (t) => {
  await using fixture = new FunctionFixture();
  const lamp = await fixture.lamp();
  const room = await fixture.call('SVC_CreateCategory');
  const state = await fixture.call('SVC_GetObjectIDByIdent', 'STATE', lamp);
  await t.rejects(fixture.call('SVC_SetParent', state, room), {
    code: 'NOT_ALLOWED',
    message: /create a link instead/,
  });
  await t.rejects(fixture.call('SVC_SetIdent', state, 'OTHER'), { code: 'NOT_ALLOWED' });
  t.equal(await fixture.call('SVC_SetIdent', state, 'STATE'), true, 'the same one');
  const own = await fixture.call('SVC_CreateVariable', 0);
  const place = { parent: fixture.kernel.tree.get(lamp), ident: 'OLD', readOnly: true };
  const old = fixture.kernel.variables.create(0, place).id;
  t.equal(await fixture.call('SVC_SetIdent', old, 'OLDER'), true, 'the device knows it no more');
  for (const parent of [lamp, room])
    for (const id of [own, old]) t.equal(await fixture.call('SVC_SetParent', id, parent), true);
});

t.test('objects are moved, sorted and located', async (t) => {
  await using fixture = new FunctionFixture();
  const make = async (name: string, parent: number) => {
    const id = (await fixture.call('SVC_CreateCategory')) as number;
    await fixture.call('SVC_SetName', id, name);
    await fixture.call('SVC_SetParent', id, parent);
    return id;
  };
  const gateway = await make('House', 0);
  const [b, a, c] = [await make('b', gateway), await make('A', gateway), await make('c', gateway)];
  const variable = (await fixture.call('SVC_CreateVariable', 0)) as number;
  await fixture.call('SVC_SetParent', variable, gateway);
  await fixture.call('SVC_SetPosition', c, -1);
  t.strictSame(await fixture.call('SVC_GetChildrenIDs', gateway), [c, a, b, variable]);
  t.equal(await fixture.call('SVC_GetLocation', a), 'House\\A');
  t.equal(await fixture.call('SVC_GetLocation', 0), '');
  t.strictSame(await fixture.messagesOfCall('SVC_SetParent', b, a), [
    [b, PARENT, [a]],
    [gateway, REMOVED, [b]],
    [a, ADDED, [b]],
  ]);
  t.strictSame(await fixture.messagesOfCall('SVC_SetParent', b, a), [], 'it is there already');
  t.equal(await fixture.call('SVC_GetParent', b), a);
  t.equal(await fixture.call('SVC_IsChild', b, gateway, false), false);
  t.equal(await fixture.call('SVC_IsChild', b, gateway, true), true);
  t.equal(await fixture.call('SVC_IsChild', b, a, false), true);
  t.equal(await fixture.call('SVC_IsChild', a, b, true), false);
  t.equal(await fixture.call('SVC_HasChildren', a), true);
  t.equal(await fixture.call('SVC_HasChildren', b), false);
  for (const below of [a, b, gateway])
    await t.rejects(fixture.call('SVC_SetParent', gateway, below), { code: 'PARENT_LOOP' });
  await t.rejects(fixture.call('SVC_SetParent', 0, gateway), { code: 'ROOT_FIXED' });
  await t.rejects(fixture.call('SVC_SetParent', b, 12), { code: 'OBJECT_MISSING' });
  await t.rejects(fixture.call('SVC_DeleteCategory', a), {
    message: 'Cannot call UnregisterObject if a children is present',
  });
  await fixture.call('SVC_DeleteCategory', b);
  await fixture.call('SVC_DeleteCategory', a);
  t.equal(await fixture.call('SVC_ObjectExists', a), false);
});

t.test('records have all fields, and functions of a type reject other types', async (t) => {
  await using fixture = new FunctionFixture();
  for (const [word, type, given] of makers) {
    const id = (await fixture.call(`SVC_Create${word}`, ...given)) as number;
    t.match(await fixture.call('SVC_GetObject', id), {
      ObjectID: id,
      ObjectType: type,
      ObjectName: `Unnamed Object (ID: ${id})`,
      ObjectIdent: '',
      ObjectIsHidden: false,
      ObjectPosition: 0,
      ParentID: 0,
      ChildrenIDs: [],
      HasChildren: false,
    });
    await fixture.call('SVC_SetName', id, 'one');
    t.equal(await fixture.call(`SVC_Get${word}IDByName`, 'one', 0), id, `${word}: other types are skipped`);
    for (const [other] of makers) {
      t.equal(await fixture.call(`SVC_${other}Exists`, id), other === word);
      const list = (await fixture.call(`SVC_Get${other}List`)) as number[];
      t.equal(list.includes(id), other === word);
      const get = fixture.call(`SVC_Get${other}`, id);
      if (other === word) t.type(await get, 'object');
      else await t.rejects(get, { code: 'NOT_OF_TYPE', message: `${other} #${id} does not exist` });
    }
    for (const odd of [12, -1, 70_000, 2 ** 50]) t.equal(await fixture.call(`SVC_${word}Exists`, odd), false);
    const params = word === 'Script' ? [id, false] : [id];
    const wrong = makers.filter(([other]) => other !== word).map(([other]) => other);
    for (const other of wrong)
      await t.rejects(fixture.call(`SVC_Delete${other}`, ...(other === 'Script' ? [id, false] : [id])), {
        code: 'NOT_OF_TYPE',
      });
    t.equal(await fixture.call(`SVC_Delete${word}`, ...params), true);
    await t.rejects(fixture.call(`SVC_Delete${word}`, ...params), { code: 'NOT_OF_TYPE' });
  }
  t.strictSame(await fixture.call('SVC_GetObjectList'), [0]);
  t.match(await fixture.call('SVC_GetObject', 0), {
    ObjectID: 0,
    ObjectType: 0,
    ParentID: 0,
    ObjectName: 'stellwerk',
  });
  await t.rejects(fixture.call('SVC_DeleteCategory', 0), { code: 'ROOT_FIXED' });
});

t.test('the target of a link is any object or 0, and may be deleted', async (t) => {
  await using fixture = new FunctionFixture();
  const link = (await fixture.call('SVC_CreateLink')) as number;
  const target = (await fixture.call('SVC_CreateVariable', 0)) as number;
  t.strictSame(await fixture.call('SVC_GetLink', link), { LinkID: link, TargetID: 0 });
  t.strictSame(await fixture.messagesOfCall('SVC_SetLinkTargetID', link, target), [
    [link, messageNumber.LM_CHANGETARGET, [target]],
  ]);
  t.strictSame(await fixture.messagesOfCall('SVC_SetLinkTargetID', link, target), []);
  await t.rejects(fixture.call('SVC_SetLinkTargetID', link, 12), { code: 'OBJECT_MISSING' });
  await t.rejects(fixture.call('SVC_SetLinkTargetID', target, link), {
    message: `Link #${target} does not exist`,
  });
  await fixture.call('SVC_DeleteVariable', target);
  t.strictSame(await fixture.call('SVC_GetLink', link), { LinkID: link, TargetID: target });
  await fixture.call('SVC_SetLinkTargetID', link, 0);
  t.strictSame(await fixture.call('SVC_GetLink', link), { LinkID: link, TargetID: 0 });
});
