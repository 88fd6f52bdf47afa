import t from 'tap';
import { coreModules } from '../../../src/modules/core-modules.js';
import { bus, FunctionFixture, lamp } from '../../tools/gateway/function-fixture.js';
import { until } from '../../tools/until.js';
import { messageNumber } from '../../tools/client/message-numbers.js';

t.test(
  'an instance is created by GUID, name or alias of its module, with its variables, and is closed until connected',
  async (t) => {
    await using fixture = new FunctionFixture();
    const ids: number[] = [];
    for (const module of [lamp.id, lamp.id.toLowerCase(), 'Lamp', 'lamp', 'Bulb'])
      ids.push((await fixture.call('SVC_CreateInstance', module)) as number);
    const [id = 0] = ids;
    t.strictSame(await fixture.call('SVC_GetInstance', id), {
      InstanceID: id,
      ConnectionID: 0,
      InstanceStatus: 200,
      InstanceChanged: 1_700_000_000,
      ModuleInfo: { ModuleID: lamp.id, ModuleName: 'Lamp', ModuleType: 3 },
    });
    t.strictSame(await fixture.call('SVC_GetInstanceListByModuleID', 'Bulb'), ids);
    for (const unknown of ['{0}', 'Nothing', ''])
      t.strictSame(
        await fixture.call('SVC_GetInstanceListByModuleID', unknown),
        [],
        `no module: "${unknown}"`,
      );
    t.strictSame(await fixture.call('SVC_GetInstanceListByModuleType', 3), ids);
    t.strictSame(await fixture.call('SVC_GetInstanceListByModuleType', 1), []);
    await fixture.call('SVC_SetName', ids[1], 'one');
    t.equal(await fixture.call('SVC_GetInstanceIDByName', 'one', 0), ids[1]);
    for (const [method, ...params] of [
      ['SVC_CreateInstance', 'Nothing'],
      ['SVC_CreateInstance', ''],
      ['SVC_GetModule', 'Nothing'],
    ] as const)
      await t.rejects(fixture.call(method, ...params), { code: 'MODULE_MISSING' });
    await t.rejects(fixture.call('SVC_GetInstanceListByModuleType', 7), { code: 'PARAMETER_BOUNDS' });
    for (const method of ['GetInstance', 'GetConfiguration', 'HasChanges', 'ApplyChanges', 'DeleteInstance'])
      await t.rejects(fixture.call(`SVC_${method}`, 12), { message: 'Instance #12 does not exist' }, method);
  },
);

t.test('a device connects to a compatible instance and follows its status', async (t) => {
  await using fixture = new FunctionFixture();
  const parent = (await fixture.call('SVC_CreateInstance', 'Bus')) as number;
  const device = (await fixture.call('SVC_CreateInstance', 'Lamp')) as number;
  t.strictSame(await fixture.call('SVC_GetCompatibleInstances', device), [parent]);
  t.strictSame(await fixture.call('SVC_GetCompatibleInstances', parent), []);
  t.equal(await fixture.call('SVC_IsInstanceCompatible', device, parent), true);
  t.equal(await fixture.call('SVC_IsInstanceCompatible', parent, device), false);
  await t.rejects(fixture.call('SVC_ConnectInstance', parent, device), {
    code: 'INCOMPATIBLE',
    message: 'The data flow is incompatible',
  });
  const messages = await fixture.messagesOfCall('SVC_ConnectInstance', device, parent);
  t.strictSame(messages[0], [device, messageNumber.IM_CONNECT, [parent]]);
  await until('the lamp is online', async () => {
    const { InstanceStatus } = (await fixture.call('SVC_GetInstance', device)) as { InstanceStatus: number };
    return InstanceStatus === 102;
  });
  t.strictSame(await fixture.call('SVC_GetReferenceList', device), [parent]);
  const children = await fixture.call('SVC_GetConfigurationsFromChildren', [parent]);
  t.match(children, [{ InstanceID: device, ConnectionID: parent, Configuration: /"Place":""/ }]);
  t.equal(await fixture.call('SVC_GetConfigurationForParent', device), '{}');
  t.equal(await fixture.call('SVC_Translate', device, 'Place'), 'Place');
  t.strictSame((await fixture.messagesOfCall('SVC_DisconnectInstance', device))[0], [
    device,
    messageNumber.IM_DISCONNECT,
    [parent],
  ]);
  t.strictSame(await fixture.call('SVC_GetReferenceList', device), []);
  t.match(await fixture.call('SVC_GetInstance', device), { ConnectionID: 0, InstanceStatus: 200 });
});

t.test('properties are pending until they are applied (§1)', async (t) => {
  await using fixture = new FunctionFixture();
  const id = (await fixture.call('SVC_CreateInstance', 'Lamp')) as number;
  t.equal(await fixture.call('SVC_SetProperty', id, 'Place', ''), false, 'unchanged');
  t.equal(await fixture.call('SVC_SetProperty', id, 'Nothing', 'x'), false, 'unknown');
  t.equal(await fixture.call('SVC_SetProperty', id, 'constructor', 'x'), false);
  t.equal(await fixture.call('SVC_HasChanges', id), false);
  t.equal(await fixture.call('SVC_SetProperty', id, 'Place', 'hall'), true);
  t.equal(
    await fixture.call('SVC_SetProperty', id, 'Broken', '1'),
    true,
    'text is not converted to a boolean',
  );
  t.equal(await fixture.call('SVC_SetProperty', id, 'Password', 'tulip'), true);
  t.equal(await fixture.call('SVC_HasChanges', id), true);
  t.equal(await fixture.call('SVC_GetProperty', id, 'Place'), '', 'the active one is returned');
  const messages = await fixture.messagesOfCall('SVC_ApplyChanges', id);
  t.strictSame(
    messages.filter(([, message]) => message === messageNumber.IM_CHANGESETTINGS),
    [[id, messageNumber.IM_CHANGESETTINGS, ['{"Place":"hall","Password":"***","Broken":true}']]],
    'secrets are not returned',
  );
  t.equal(await fixture.call('SVC_HasChanges', id), false);
  t.equal(await fixture.call('SVC_GetConfiguration', id), '{"Place":"hall","Password":"***","Broken":true}');
  t.equal(await fixture.call('SVC_GetProperty', id, 'Password'), '***');
  t.equal(
    await fixture.call('SVC_SetProperty', id, 'Password', '***'),
    false,
    'writing the masked value changes nothing',
  );
  await t.rejects(fixture.call('SVC_GetProperty', id, 'Nothing'), { code: 'PROPERTY_MISSING' });
  await t.rejects(fixture.call('SVC_GetProperty', id, 'toString'), { code: 'PROPERTY_MISSING' });
  for (const [name, value] of [
    ['Place', null],
    ['Place', ['x']],
    ['Broken', 'maybe'],
    ['Broken', 2],
  ] as const)
    await t.rejects(fixture.call('SVC_SetProperty', id, name, value), { code: 'PROPERTY_INVALID' });
  t.equal(await fixture.call('SVC_SetConfiguration', id, '{"Place":"attic","Broken":false}'), true);
  await fixture.call('SVC_ResetChanges', id);
  t.equal(await fixture.call('SVC_HasChanges', id), false);
  for (const [json, code] of [
    ['{', 'CONFIGURATION_INVALID'],
    ['[]', 'CONFIGURATION_INVALID'],
    ['null', 'CONFIGURATION_INVALID'],
    ['{"Place":"attic","Nothing":1}', 'PROPERTY_MISSING'],
    ['{"Place":"attic","Broken":"maybe"}', 'PROPERTY_INVALID'],
  ] as const)
    await t.rejects(fixture.call('SVC_SetConfiguration', id, json), { code });
  t.equal(await fixture.call('SVC_HasChanges', id), false, 'all or nothing');
  t.equal(await fixture.call('SVC_SetProperty', id, 'Place', 'attic'), true);
  t.equal(
    await fixture.call('SVC_SetProperty', id, 'Place', 'hall'),
    true,
    'back to the active configuration',
  );
  t.equal(await fixture.call('SVC_HasChanges', id), false);
});

t.test('an instance is deleted once, with its own variables only', async (t) => {
  await using fixture = new FunctionFixture();
  const parent = (await fixture.call('SVC_CreateInstance', 'Bus')) as number;
  const device = (await fixture.call('SVC_CreateInstance', 'Lamp')) as number;
  await fixture.call('SVC_ConnectInstance', device, parent);
  const below = await fixture.call('SVC_CreateCategory');
  await fixture.call('SVC_SetParent', below, parent);
  const own = await fixture.call('SVC_GetChildrenIDs', parent);
  await t.rejects(fixture.call('SVC_DeleteInstance', parent), { code: 'HAS_CHILDREN' });
  t.strictSame(await fixture.call('SVC_GetChildrenIDs', parent), own, 'nothing was deleted');
  await fixture.call('SVC_DeleteCategory', below);
  const { counter } = fixture.kernel.changes;
  const outcomes = await Promise.allSettled([
    fixture.call('SVC_DeleteInstance', parent),
    fixture.call('SVC_DeleteInstance', parent),
    fixture.call('SVC_DeleteInstance', parent),
  ]);
  const results = outcomes.map((one) =>
    one.status === 'fulfilled' ? one.value : (one.reason as Error).name,
  );
  t.strictSame(results.sort(), ['Fault', 'Fault', true].sort());
  const messages = fixture.kernel.changes.since(counter).map(({ SenderID, Message }) => [SenderID, Message]);
  const unregistered = messages
    .filter(([, message]) => message === messageNumber.OM_UNREGISTER)
    .map(([sender]) => sender);
  t.strictSame(unregistered, [...(own as number[]).filter((id) => id !== below), parent], 'each once');
  t.strictSame(
    messages.filter(([sender]) => sender === parent).at(-1),
    [parent, messageNumber.OM_UNREGISTER],
    'and then nothing more of it',
  );
  t.match(await fixture.call('SVC_GetInstance', device), { ConnectionID: 0, InstanceStatus: 200 });
});

t.test('objects are added below an instance, or connected to it, during its deletion', async (t) => {
  await using fixture = new FunctionFixture();
  const parent = (await fixture.call('SVC_CreateInstance', 'Bus')) as number;
  const device = (await fixture.call('SVC_CreateInstance', 'Lamp')) as number;
  for (const id of (await fixture.call('SVC_GetChildrenIDs', parent)) as number[])
    await fixture.call('SVC_DeleteVariable', id);
  const category = (await fixture.call('SVC_CreateCategory')) as number;
  const status = async () =>
    ((await fixture.call('SVC_GetInstance', parent)) as { InstanceStatus: number }).InstanceStatus;
  await until('the bus is online', async () => (await status()) === 102);
  const late = fixture.call('SVC_DeleteInstance', parent);
  await fixture.call('SVC_SetParent', category, parent);
  await t.rejects(late, { code: 'HAS_CHILDREN' });
  await until('the bus is online again', async () => (await status()) === 102);
  await fixture.call('SVC_SetParent', category, 0);
  for (const id of (await fixture.call('SVC_GetChildrenIDs', parent)) as number[])
    await fixture.call('SVC_DeleteVariable', id);
  const [deleted] = await Promise.all([
    fixture.call('SVC_DeleteInstance', parent),
    fixture.call('SVC_ConnectInstance', device, parent),
  ]);
  t.equal(deleted, true);
  t.match(await fixture.call('SVC_GetInstance', device), { ConnectionID: 0, InstanceStatus: 200 });
});

t.test('modules and their library', async (t) => {
  await using fixture = new FunctionFixture();
  const all = [bus, lamp, ...coreModules].map(({ id }) => id);
  t.strictSame(await fixture.call('SVC_GetModuleList'), all);
  t.strictSame(await fixture.call('SVC_GetModuleListByType', 1), [bus.id]);
  t.match(await fixture.call('SVC_GetModule', 'Bulb'), {
    ModuleID: lamp.id,
    ModuleName: 'Lamp',
    ModuleType: 3,
    Aliases: ['Bulb'],
    ParentRequirements: [bus.provides?.id],
    Implemented: [],
    Prefix: 'HW',
  });
  t.match(await fixture.call('SVC_GetModules', ['Bus']), [
    { ModuleID: bus.id, Implemented: [bus.provides?.id] },
  ]);
  t.equal(((await fixture.call('SVC_GetModules', [])) as object[]).length, all.length);
  t.strictSame(await fixture.call('SVC_GetCompatibleModules', lamp.id), [bus.id]);
  t.strictSame(await fixture.call('SVC_GetCompatibleModules', bus.id), []);
  t.equal(await fixture.call('SVC_IsModuleCompatible', lamp.id, bus.id), true);
  t.equal(await fixture.call('SVC_IsModuleCompatible', bus.id, lamp.id), false);
  t.equal(await fixture.call('SVC_ModuleExists', '{0}'), false);
  const [library] = (await fixture.call('SVC_GetLibraryList')) as string[];
  t.equal(await fixture.call('SVC_LibraryExists', library?.toLowerCase()), true);
  t.equal(await fixture.call('SVC_LibraryExists', 'nothing'), false);
  t.match(await fixture.call('SVC_GetLibrary', library), {
    LibraryID: library,
    Name: 'stellwerk',
    Version: '0.1',
  });
  t.strictSame(await fixture.call('SVC_GetLibraries', []), [await fixture.call('SVC_GetLibrary', library)]);
  t.strictSame(await fixture.call('SVC_GetLibraryModules', library), await fixture.call('SVC_GetModuleList'));
  for (const method of ['SVC_GetLibrary', 'SVC_GetLibraryModules'])
    await t.rejects(fixture.call(method, '{0}'), { code: 'LIBRARY_MISSING' });
  for (const [method, given] of [
    ['SVC_GetModules', [1]],
    ['SVC_GetModules', {}],
    ['SVC_GetFunctions', ['x']],
  ] as const)
    await t.rejects(fixture.call(method, given), { code: 'PARAMETER_TYPE', rpc: -32602 });
});

t.test('an instance whose module no longer exists reports that, and can be read and deleted', async (t) => {
  await using fixture = new FunctionFixture();
  const { id } = fixture.kernel.instances.create(
    { id: '{GONE}', name: 'Gone', kind: 3 },
    { Password: 'tulip' },
    { nowMs: 0 },
  );
  fixture.devices.start();
  t.match(await fixture.call('SVC_GetInstance', id), {
    InstanceStatus: 105,
    ModuleInfo: { ModuleName: 'Gone' },
  });
  t.equal(await fixture.call('SVC_GetProperty', id, 'Password'), false);
  t.equal(await fixture.call('SVC_GetConfiguration', id), '{}');
  t.match(await fixture.call('HW_ReadServiceMessages', id), [{ InstanceID: id, Code: 'MODULE_MISSING' }]);
  t.strictSame(await fixture.call('SVC_GetCompatibleInstances', id), []);
  t.strictSame(await fixture.call('SVC_GetFunctionList', id), []);
  for (const [method, ...params] of [
    ['SVC_SetProperty', 'Password', 'x'],
    ['SVC_SetConfiguration', '{}'],
    ['SVC_ApplyChanges'],
  ] as const)
    await t.rejects(fixture.call(method, id, ...params), { code: 'MODULE_MISSING' });
  t.equal(await fixture.call('SVC_DeleteInstance', id), true);
});

t.test('instances are listed', async (t) => {
  await using fixture = new FunctionFixture();
  const { id } = fixture.devices.create('Lamp');
  t.strictSame(await fixture.call('SVC_GetInstanceList'), [id]);
  t.equal(await fixture.call('SVC_InstanceExists', id), true);
  t.equal(await fixture.call('SVC_InstanceExists', 0), false);
});
