import t from 'tap';
import { objectType, type TreeObject } from '../../../src/kernel/object.js';
import { FunctionFixture } from '../../tools/gateway/function-fixture.js';
import { messageNumber } from '../../tools/client/message-numbers.js';

/** A fixture with an instance of the utility control, and a function to call it. */
function makeFixture() {
  const fixture = new FunctionFixture();
  const { id } = fixture.devices.create('Utility Control');
  const uc = (name: string, ...params: unknown[]) => fixture.call(`UC_${name}`, id, ...params);
  const { tree, variables, links, scripts, instances } = fixture.kernel;
  const script = async (content: string, file?: string) => {
    const made = scripts.create(0);
    if (file !== undefined) scripts.setFile(made, file);
    await fixture.call('SVC_SetScriptContent', made.id, content);
    return made;
  };
  const category = (parent?: TreeObject) => tree.create(objectType.category, {}, parent && { parent });
  return { desk: fixture, control: id, uc, tree, variables, links, scripts, instances, script, category };
}

t.test('utility functions require the instance of the utility control', async (t) => {
  const { desk: fixture } = makeFixture();
  await using _ = fixture;
  const lamp = await fixture.lamp();
  const calls: [string, ...unknown[]][] = [
    ['UC_DeleteObjects', []],
    ['UC_DuplicateObject', 0, 0, true],
    ['UC_FindReferences', lamp],
    ['UC_FindInFiles', [], 'x'],
    ['UC_ReplaceInFiles', [], 'x', 'y'],
    ['UC_RenameScript', 0, 'x.js'],
    ['UC_FindInvalidStrings'],
    ['UC_FixInvalidStrings', []],
    ['UC_GetIconList'],
    ['UC_GetIconContent', 'Sun'],
  ];
  for (const [name, ...params] of calls) {
    await t.rejects(fixture.call(name, lamp, ...params), {
      message: `Instance #${lamp} is not an instance of Utility Control`,
    });
    await t.rejects(fixture.call(name, 0, ...params), { code: 'NOT_OF_TYPE' });
  }
});

t.test('objects are deleted with their subtrees, children first', async (t) => {
  const { desk: fixture, control, tree, uc, variables, links, category, script } = makeFixture();
  await using _ = fixture;
  const top = category();
  const below = category(top);
  const lamp = await fixture.lamp();
  tree.move(tree.get(lamp), below);
  const variable = variables.create(1, { parent: below });
  const made = await script('print(1)');
  tree.move(made, variable);
  const media = fixture.kernel.media.create(5, { parent: top });
  const link = links.create({ parent: top }, variable.id);
  const other = category();
  const count = tree.size;
  const gone = [
    top,
    below,
    tree.get(lamp),
    ...(tree.get(lamp).children ?? []),
    variable,
    made,
    media,
    link,
    other,
  ];
  const messages = await fixture.messagesOfCall('UC_DeleteObjects', control, [
    top.id,
    below.id,
    other.id,
    below.id,
  ]);
  t.equal(tree.size, count - gone.length);
  t.strictSame(
    gone.filter(({ id }) => tree.find(id) !== undefined),
    [],
  );
  const order = messages
    .filter(([, message]) => message === messageNumber.OM_UNREGISTER)
    .map(([sender]) => sender);
  t.strictSame([...order].sort(), gone.map(({ id }) => id).sort(), 'each once');
  for (const object of gone)
    if (object.parent !== null && gone.includes(object.parent))
      t.ok(order.indexOf(object.id) < order.indexOf(object.parent.id), 'a child before its parent');
  for (const [ids, code] of [
    [[variables.create(0).id, 9999], 'OBJECT_MISSING'],
    [[variables.create(0).id, 0], 'ROOT_FIXED'],
  ] as const) {
    await t.rejects(uc('DeleteObjects', ids), { code });
    t.ok(tree.find(ids[0]), 'nothing was deleted');
  }
});

t.test('a deletion that fails reports its progress', async (t) => {
  const { desk: fixture, uc, tree, category } = makeFixture();
  await using _ = fixture;
  const top = category();
  const lamp = await fixture.lamp();
  tree.move(tree.get(lamp), top);
  const children = tree.get(lamp).children?.size ?? 0;
  const late = Promise.withResolvers<TreeObject>();
  fixture.kernel.changes.listen(({ SenderID, Message, Data }) => {
    // The instance is being closed (IM_CHANGESTATUS, deleting): an object is created below it.
    if (SenderID === lamp && Message === messageNumber.IM_CHANGESTATUS && Data[0] === 103)
      queueMicrotask(() => late.resolve(category(tree.get(lamp))));
  });
  await t.rejects(uc('DeleteObjects', [top.id]), {
    code: 'HAS_CHILDREN',
    message: new RegExp(`^${children} of ${children + 2} objects are deleted; #${lamp}: `),
  });
  t.ok(tree.find((await late.promise).id) && tree.find(lamp) && tree.find(top.id));
});

t.test('uses of an object', async (t) => {
  const { desk: fixture, uc, tree, variables, links, script, category } = makeFixture();
  await using _ = fixture;
  const place = category();
  tree.set(place, 'ident', 'place');
  const lamp = await fixture.lamp();
  const bus = tree.get(lamp);
  const { connectionId } = fixture.kernel.instances.get(lamp).data;
  const state = tree.get(fixture.idOf(lamp, 'STATE'));
  const link = links.create({}, state.id);
  const action = await script('print(1)');
  const custom = variables.create(0);
  variables.setCustomAction(custom, action.id);
  const foreign = variables.create(0, { action: lamp });
  const text = await script(
    [
      '// nothing here',
      `  SetValue(${state.id}, true);`,
      `const a = 1${state.id}, b = ${state.id}.5, c = x${state.id};`,
      `f([${state.id}]) // ${state.id}.`,
    ].join('\n'),
  );
  const { events } = fixture.kernel;
  const event = events.create(0, 0);
  events.setTrigger(event.id, { variableId: custom.id });
  const acting = events.create(1, 0);
  events.set(acting, { actionId: '{0}', actionParameters: { TARGET: custom.id, VALUE: link.id } });
  const running = events.create(1, 0);
  events.set(running, { script: `print(1);\nSetValue(${custom.id}, true);` });
  await fixture.call('SVC_SetProperty', lamp, 'Place', 'place');
  await fixture.call('SVC_ApplyChanges', lamp);
  const found = async (id: number) =>
    ((await uc('FindReferences', id)) as object[]).map((one) => Object.values(one));
  t.strictSame(await found(state.id), [
    [link.id, 'link', 0, 'TargetID'],
    [text.id, 'script', 2, `SetValue(${state.id}, true);`],
    [text.id, 'script', 4, `f([${state.id}]) // ${state.id}.`],
  ]);
  t.strictSame(await found(action.id), [[custom.id, 'action', 0, 'VariableCustomAction']]);
  t.strictSame(await found(lamp), [[foreign.id, 'action', 0, 'VariableAction']], 'not by its own variables');
  t.strictSame(await found(connectionId), [[lamp, 'connection', 0, 'ConnectionID']]);
  t.strictSame(await found(place.id), [[bus.id, 'property', 0, 'Place']], 'by its ident path');
  t.strictSame(await found(custom.id), [
    [event.id, 'event', 0, 'trigger'],
    [acting.id, 'event', 0, 'actionParameters'],
    [running.id, 'event', 2, `SetValue(${custom.id}, true);`],
  ]);
  t.strictSame(await found(link.id), [], 'a value that equals its id is no use');
  await t.rejects(uc('FindReferences', 9999), { code: 'OBJECT_MISSING' });
});

t.test('uses of an object by the archive, web fronts and actions', async (t) => {
  const { desk: fixture, control, uc, tree, variables, category } = makeFixture();
  await using _ = fixture;
  const area = category();
  tree.set(area, 'ident', 'area');
  const [lamp, other] = [variables.create(0, { parent: area }), variables.create(0)];
  const archive = fixture.devices.create('Archive Control');
  const front = tree.get(control);
  const facts = { title: '', icon: '', position: 0, editable: false, passwordRequired: true, mobile: true };
  fixture.configurators.push({ id: front.id, baseId: area.id, ...facts });
  const item = async (id: string, configuration: object) =>
    fixture.call('WFC_AddItem', front.id, id, 'Lamp', JSON.stringify(configuration), '');
  await item('lamp', { shows: { of: lamp.id } });
  await item('both', { all: [lamp.id, other.id], width: 1 });
  await item('none', { width: Number(`${lamp.id}1`), title: `x${other.id}` });
  for (const { id } of [lamp, other]) await fixture.call('AC_SetLoggingStatus', archive.id, id, true);
  await fixture.call('AC_SetLoggingStatus', archive.id, other.id, false);
  const event = fixture.kernel.events.create(1, 0);
  const actionParameters = { TARGET: lamp.id, VALUE: true, PARENT: area.id };
  fixture.kernel.events.set(event, { actionId: '{0}', actionParameters });
  const rows = fixture.kernel.instances.get(await fixture.lamp());
  const properties = { Rows: [{ Of: 'nowhere' }, { Of: 'area' }] };
  fixture.kernel.instances.setProperties(rows, { properties, shown: '{}' }, 0);
  const found = async (id: number) =>
    ((await uc('FindReferences', id)) as object[]).map((one) => Object.values(one));
  t.strictSame(await found(lamp.id), [
    [front.id, 'front', 0, 'lamp'],
    [front.id, 'front', 0, 'both'],
    [archive.id, 'archive', 0, 'Logging'],
    [event.id, 'event', 0, 'actionParameters'],
  ]);
  t.strictSame(await found(other.id), [[front.id, 'front', 0, 'both']], 'no longer logged');
  t.strictSame(await found(area.id), [
    [front.id, 'front', 0, 'base'],
    [event.id, 'event', 0, 'actionParameters'],
    [rows.id, 'property', 0, 'Rows'],
  ]);
});

t.test('texts are found and replaced in script files only', async (t) => {
  const { desk: fixture, uc, script } = makeFixture();
  await using _ = fixture;
  const one = await script('const a = 1;\nprint(a);\n  print(A);', 'one.js');
  const two = await script('print(2)', 'two.js');
  const twin = await script('print(2)', 'two.js');
  const lines = [
    { File: 'one.js', Line: 2, Text: 'print(a);' },
    { File: 'one.js', Line: 3, Text: 'print(A);' },
    { File: 'two.js', Line: 1, Text: 'print(2)' },
  ];
  t.strictSame(await uc('FindInFiles', [], 'print('), lines);
  t.strictSame(await uc('FindInFiles', ['two.js', 'one.js'], 'print(a'), [lines[0]], 'A is not a');
  t.strictSame(await uc('FindInFiles', ['two.js'], 'a.c'), [], 'a text, not a pattern');
  for (const file of ['none.js', '../gateway.yaml', '/etc/passwd', '', 'two.js\0']) {
    await t.rejects(uc('FindInFiles', [file], 'x'), { code: 'FILE_MISSING' }, file);
    await t.rejects(uc('ReplaceInFiles', ['one.js', file], 'a', 'b'), { code: 'FILE_MISSING' }, file);
  }
  await t.rejects(uc('FindInFiles', [], ''), { code: 'PARAMETER_BOUNDS' });
  await t.rejects(uc('ReplaceInFiles', [], '', 'x'), { code: 'PARAMETER_BOUNDS' });
  const content = async (id: number) => fixture.call('SVC_GetScriptContent', id);
  t.equal(await content(one.id), 'const a = 1;\nprint(a);\n  print(A);', 'nothing has changed so far');
  t.strictSame(await uc('ReplaceInFiles', [], 'print', 'log\n$&'), [
    { File: 'one.js', Line: 2, Text: 'log' },
    { File: 'one.js', Line: 4, Text: 'log' },
    { File: 'two.js', Line: 1, Text: 'log' },
  ]);
  t.equal(await content(one.id), 'const a = 1;\nlog\n$&(a);\n  log\n$&(A);');
  t.strictSame([await content(two.id), await content(twin.id)], ['log\n$&(2)', 'log\n$&(2)']);
  t.strictSame(await uc('ReplaceInFiles', ['one.js'], 'absent', 'x'), []);
  const { params } = fixture.audit.filter(({ method }) => method === 'UC_ReplaceInFiles').at(-1) ?? {
    params: [],
  };
  t.strictSame(params.slice(1), ['["one.js"]', '(6 characters)', '(1 characters)']);
});

t.test('invalid characters in texts are found and removed', async (t) => {
  const { desk: fixture, uc, tree, variables, category } = makeFixture();
  await using _ = fixture;
  const fine = category();
  tree.set(fine, 'info', 'a\tb\r\nc ü 😀');
  const bad = category();
  tree.set(bad, 'name', 'Gar\ud83dten');
  tree.set(bad, 'summary', '\u0007bell\u009b');
  const text = variables.create(3, { value: 'a\0b' });
  const lamp = await fixture.lamp();
  const driver = variables.create(3, { parent: tree.get(lamp), value: '\u0001\u0002' });
  const { profiles } = fixture.kernel;
  profiles.create('Door', 1);
  profiles.setText('Door', '\u0007', ' m\ud83d');
  profiles.setIcon('Door', 'Do\0or');
  profiles.setAssociation('Door', { value: 1, name: 'op\u009ben', icon: '', color: 5 });
  profiles.setAssociation('Door', { value: 2, name: '\u0001', icon: '', color: 6 });
  profiles.setAssociation('Door', { value: 3, name: 'shut', icon: 'Lock', color: 7 });
  const found = (await uc('FindInvalidStrings')) as object[];
  t.strictSame(found, [
    { ObjectID: bad.id, Profile: '', Attribute: 'Name', Text: 'Gar\ud83dten' },
    { ObjectID: bad.id, Profile: '', Attribute: 'Summary', Text: '\u0007bell\u009b' },
    { ObjectID: text.id, Profile: '', Attribute: 'Value', Text: 'a\0b' },
    { ObjectID: 0, Profile: 'Door', Attribute: 'Icon', Text: 'Do\0or' },
    { ObjectID: 0, Profile: 'Door', Attribute: 'Prefix', Text: '\u0007' },
    { ObjectID: 0, Profile: 'Door', Attribute: 'Suffix', Text: ' m\ud83d' },
    { ObjectID: 0, Profile: 'Door', Attribute: 'Association', Text: 'op\u009ben' },
    { ObjectID: 0, Profile: 'Door', Attribute: 'Association', Text: '\u0001' },
  ]);
  for (const wrong of [
    [1],
    [null],
    [{}],
    [{ ObjectID: bad.id }],
    [{ ObjectID: bad.id, Attribute: 'Ident' }],
    [{ ObjectID: bad.id, Attribute: 'constructor' }],
    [{ ObjectID: '1', Attribute: 'Name' }],
    [{ ObjectID: bad.id, Attribute: 'Prefix' }],
    [{ ObjectID: 0, Profile: 'Door', Attribute: 'Name' }],
    [{ ObjectID: 0, Profile: 1, Attribute: 'Icon' }],
    {},
  ])
    await t.rejects(uc('FixInvalidStrings', wrong), { code: 'PARAMETER_TYPE' }, JSON.stringify(wrong));
  const gone = { ObjectID: 9999, Attribute: 'Name', Text: '' };
  await t.rejects(uc('FixInvalidStrings', [...found, gone]), { code: 'OBJECT_MISSING' });
  const none = { ObjectID: 0, Profile: 'Window', Attribute: 'Icon', Text: '' };
  await t.rejects(uc('FixInvalidStrings', [...found, none]), { code: 'PROFILE_MISSING' });
  t.equal(bad.name, 'Gar\ud83dten', 'all or none');
  const own = { ObjectID: driver.id, Attribute: 'Value', Text: '' };
  t.equal(
    await uc('FixInvalidStrings', [...found, { ...own, ObjectID: fine.id, Attribute: 'Info' }, own]),
    true,
  );
  t.strictSame([bad.name, bad.summary, text.data.value], ['Garten', 'bell', 'ab']);
  t.strictSame([fine.info, driver.data.value], ['a\tb\r\nc ü 😀', '\u0001\u0002'], 'and nothing else');
  const { icon, prefix, suffix, associations } = profiles.get('Door');
  t.strictSame([icon, prefix, suffix], ['Door', '', ' m']);
  t.strictSame(
    associations,
    [
      { value: 1, name: 'open', icon: '', color: 5 },
      { value: 3, name: 'shut', icon: 'Lock', color: 7 },
    ],
    'an empty one is deleted',
  );
  t.strictSame(await uc('FindInvalidStrings'), []);
});
