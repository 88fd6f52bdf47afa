import { Type } from '@sinclair/typebox';
import t from 'tap';
import type { HardwareItem } from '../../../src/device/hardware-search.js';
import { moduleKind, referenceKind, type ModuleDefinition } from '../../../src/device/module.js';
import { withAdvancedHelp, withHelp } from '../../../src/device/toolkit/property-help.js';
import { FunctionFixture } from '../../tools/gateway/function-fixture.js';

const free: HardwareItem = {
  id: 'line chip/4',
  kind: 'line',
  name: 'GPIO4',
  about: 'chip/4',
  usedBy: '',
  instance: 0,
  makes: [{ module: 'Valve', properties: { Line: 'GPIO4' } }],
};
const nameless = { ...free, id: 'line chip/5', name: 'chip/5', about: '' };
const items: readonly HardwareItem[] = [
  free,
  { ...free, id: 'line chip/2', name: 'GPIO2', usedBy: 'spi0', makes: [] },
  { ...nameless, makes: [{ module: 'Valve', properties: { Chip: 'chip', Line: '5' } }] },
  { ...nameless, id: 'line chip/6', name: 'chip/6', usedBy: 'kernel', makes: [] },
  { ...free, id: 'chip chip', kind: 'chip', name: 'chip', about: '54 lines', makes: [] },
];

const properties = Type.Object({
  Chip: withAdvancedHelp(Type.String({ default: '', source: 'chip' }), 'Line', 'The chip.'),
  Line: withHelp(Type.String({ default: '', refers: referenceKind.line }), 'Line', 'The line.'),
  Turns: Type.Integer({ default: 1, minimum: 1 }),
  Follows: Type.String({ default: '', refers: referenceKind.switch }),
});
const valve: ModuleDefinition<typeof properties> = {
  id: '{00000000-0000-0000-0000-0000000000D1}',
  name: 'Valve',
  description: 'A valve on a line.',
  icon: 'Drops',
  page: 'hardware/outputs.md',
  kind: moduleKind.device,
  prefix: 'HW',
  properties,
  variables: () => [],
  check: ({ Line }) => (Line === '' ? 'Line is empty' : undefined),
  findHardware: async () => items,
  open: async () => ({ close: async () => undefined }),
};
const fixtureWithValve = () => new FunctionFixture([], '/nowhere', [valve as ModuleDefinition]);

t.test('the form of a module has help, groups and sources before an instance exists', async (t) => {
  await using fixture = fixtureWithValve();
  const form = JSON.parse((await fixture.call('SVC_GetModuleForm', 'Valve')) as string) as object;
  t.match(form, {
    elements: [
      { name: 'Chip', group: 'Line', help: 'The chip.', advanced: true, source: 'chip' },
      { name: 'Line', group: 'Line', help: 'The line.', advanced: undefined, source: 'line' },
      {
        name: 'Turns',
        type: 'NumberSpinner',
        default: 1,
        help: undefined,
        group: undefined,
        source: undefined,
      },
      { name: 'Follows' },
    ],
  });
  const { id } = fixture.devices.create('Valve');
  t.strictSame(JSON.parse((await fixture.call('SVC_GetConfigurationForm', id)) as string), form);
  await t.rejects(fixture.call('SVC_GetModuleForm', 'Tap'), { code: 'MODULE_MISSING' });
});

t.test('a module says what it is for', async (t) => {
  await using fixture = fixtureWithValve();
  t.match(await fixture.call('SVC_GetModule', 'Valve'), {
    Description: 'A valve on a line.',
    Icon: 'Drops',
    Page: 'hardware/outputs.md',
  });
  t.match(await fixture.call('SVC_GetModule', 'Lamp'), { Description: '', Icon: '', Page: '' });
});

t.test('the choices for a property are what the machine has, with who uses it', async (t) => {
  await using fixture = fixtureWithValve();
  const { id } = fixture.devices.create('Valve', { name: 'Garden' }, { Line: 'GPIO4' });
  t.strictSame(await fixture.call('GW_GetChoices', 'line'), [
    { Value: 'GPIO4', Caption: 'GPIO4: chip/4', UsedBy: `Garden (#${id})`, Properties: { Line: 'GPIO4' } },
    { Value: 'GPIO2', Caption: 'GPIO2: chip/4', UsedBy: 'spi0', Properties: {} },
    { Value: '5', Caption: 'chip/5', UsedBy: '', Properties: { Chip: 'chip', Line: '5' } },
  ]);
  t.strictSame(await fixture.call('GW_GetChoices', 'chip'), [
    { Value: 'chip', Caption: 'chip: 54 lines', UsedBy: '', Properties: { Chip: 'chip' } },
  ]);
  t.strictSame(await fixture.call('GW_GetChoices', 'led'), []);
  const lamp = await fixture.lamp();
  await fixture.call('SVC_SetIdent', lamp, 'lamp');
  t.match(await fixture.call('GW_GetChoices', 'output'), [{ Value: 'lamp', UsedBy: '', Properties: {} }]);
  await t.rejects(fixture.call('GW_GetChoices', 'tree'), { code: 'PARAMETER_TYPE' });
});

t.test('a path that can never work is an error, one that may work later a warning', async (t) => {
  await using fixture = fixtureWithValve();
  const { kernel } = fixture;
  const lampId = await fixture.lamp();
  await fixture.call('SVC_SetIdent', lampId, 'lamp');
  kernel.variables.create(0, { ident: 'flag' });
  kernel.tree.create(0, {}, { ident: 'attic' });
  const check = async (Follows: string) =>
    (await fixture.call('GW_CheckProperties', 'Valve', 0, { Line: 'GPIO4', Follows })) as object[];
  t.strictSame(await check('lamp'), []);
  t.strictSame(await check('/lamp/STATE'), []);
  t.match(await check('lamp/LEVEL'), [
    { Property: 'Follows', Severity: 'error', Text: /no boolean variable/ },
  ]);
  t.match(await check('attic'), [{ Property: 'Follows', Severity: 'error', Text: /no boolean variable/ }]);
  t.match(await check('flag'), [{ Property: 'Follows', Severity: 'error', Text: /flag has no action/ }]);
  t.match(await check('the lamp'), [{ Property: 'Follows', Severity: 'error', Text: /not an ident path/ }]);
  const missing = 'there is no object at attic/fan yet';
  t.strictSame(await check('attic/fan'), [
    {
      Property: 'Follows',
      Severity: 'warning',
      Text: missing,
      CodedText: { Code: 'NO_OBJECT_YET', Parameters: ['attic/fan'], Text: missing },
    },
  ]);
});

t.test('properties are checked without changing anything', async (t) => {
  await using fixture = fixtureWithValve();
  const garden = fixture.devices.create('Valve', { name: 'Garden' }, { Line: 'GPIO4' });
  const check = (id: number, properties: object, module = 'Valve') =>
    fixture.call('GW_CheckProperties', module, id, properties);
  t.strictSame(await check(0, { Line: 'GPIO9' }), []);
  t.strictSame(await check(0, {}), [
    {
      Property: 'Line',
      Severity: 'error',
      Text: 'Line is empty',
      CodedText: { Code: 'TEXT', Parameters: ['Line is empty'], Text: 'Line is empty' },
    },
  ]);
  const used = `line GPIO4 is used by Garden (#${garden.id}); choose another`;
  const line = { Code: 'LINE_NAMED', Parameters: ['GPIO4'], Text: 'line GPIO4' };
  t.strictSame(await check(0, { Line: 'GPIO4' }), [
    {
      Property: 'Line',
      Severity: 'error',
      Text: used,
      CodedText: { Code: 'RESOURCE_USED', Parameters: [line, 'Garden', garden.id], Text: used },
    },
  ]);
  t.match(await check(garden.id, { Turns: 0, Speed: 1 }), [{ Property: 'Turns' }, { Property: 'Speed' }]);
  t.strictSame(await check(garden.id, { Turns: 2 }), [], 'its own line is not in use');
  t.strictSame(await fixture.call('SVC_GetProperty', garden.id, 'Turns'), 1);
  t.equal(await fixture.call('SVC_HasChanges', garden.id), false);
  t.match(await check(0, {}, 'Lamp'), [{ Property: '', Text: /^it must be connected to an instance of / }]);
  const lamp = await fixture.lamp();
  t.strictSame(await check(lamp, { Password: '***' }, 'Lamp'), []);
  await t.rejects(check(lamp, {}), { code: 'WRONG_MODULE' });
  await t.rejects(check(0, [1]), { code: 'PARAMETER_TYPE' });
});
