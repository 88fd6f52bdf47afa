import t from 'tap';
import { FunctionFixture } from '../../tools/gateway/function-fixture.js';

t.test('a device tells which variables it has, and which properties', async (t) => {
  await using desk = new FunctionFixture();
  const lamp = await desk.lamp();
  const note = desk.kernel.variables.create(3, { parent: desk.kernel.tree.get(lamp), ident: 'NOTE' });
  const told = JSON.parse((await desk.call('HW_GetDeviceDescription', lamp)) as string) as {
    Variables: { Ident: string }[];
  };
  t.match(told, {
    ModuleID: '{00000000-0000-0000-0000-0000000000A1}',
    ModuleName: 'Lamp',
    Variables: [
      { Ident: 'LEVEL', Name: 'Level', Type: 'integer', Profile: '', Writable: true },
      { Ident: 'STATE', Name: 'State', Type: 'boolean', Profile: '~Switch', Writable: true },
      { Ident: 'LINK', Type: 'string', Writable: false },
      { Ident: 'STATUS', Type: 'string', Writable: false },
    ],
  });
  t.equal(told.Variables.length, 4, 'what is not of the device is not told');
  await desk.call('SVC_SetProperty', lamp, 'Password', 'tulip');
  await desk.call('SVC_ApplyChanges', lamp);
  const properties = (await desk.call('HW_GetParamsetDescription', lamp)) as string;
  t.match(JSON.parse(properties), {
    Place: { type: 'string', default: '' },
    Password: { type: 'string', default: '' },
    Broken: { type: 'boolean', default: false },
  });
  t.notMatch(properties, /tulip/);
  for (const name of ['HW_GetDeviceDescription', 'HW_GetParamsetDescription'])
    await t.rejects(desk.call(name, note.id), { code: 'NOT_OF_TYPE' });
});
