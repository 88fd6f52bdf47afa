import t from 'tap';
import { FunctionFixture } from '../../tools/gateway/function-fixture.js';

t.test('the description of a device lists its variables and properties', async (t) => {
  await using fixture = new FunctionFixture();
  const lamp = await fixture.lamp();
  const note = fixture.kernel.variables.create(3, { parent: fixture.kernel.tree.get(lamp), ident: 'NOTE' });
  const messages = JSON.parse((await fixture.call('HW_GetDeviceDescription', lamp)) as string) as {
    Variables: { Ident: string }[];
  };
  t.match(messages, {
    ModuleID: '{00000000-0000-0000-0000-0000000000A1}',
    ModuleName: 'Lamp',
    Variables: [
      { Ident: 'LEVEL', Name: 'Level', Type: 'integer', Profile: '', Writable: true },
      { Ident: 'STATE', Name: 'State', Type: 'boolean', Profile: '~Switch', Writable: true },
      { Ident: 'LINK', Type: 'string', Writable: false },
      { Ident: 'STATUS', Type: 'string', Writable: false },
    ],
  });
  t.equal(messages.Variables.length, 4, 'other objects are not described');
  await fixture.call('SVC_SetProperty', lamp, 'Password', 'tulip');
  await fixture.call('SVC_ApplyChanges', lamp);
  const properties = (await fixture.call('HW_GetParamsetDescription', lamp)) as string;
  t.match(JSON.parse(properties), {
    Place: { type: 'string', default: '' },
    Password: { type: 'string', default: '' },
    Broken: { type: 'boolean', default: false },
  });
  t.notMatch(properties, /tulip/);
  for (const name of ['HW_GetDeviceDescription', 'HW_GetParamsetDescription'])
    await t.rejects(fixture.call(name, note.id), { code: 'NOT_OF_TYPE' });
});
