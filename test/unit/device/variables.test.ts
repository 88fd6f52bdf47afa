import { Type } from '@sinclair/typebox';
import t from 'tap';
import { ManualClock } from '../../../src/base/clock.js';
import { silentLog } from '../../../src/base/log.js';
import { Devices } from '../../../src/device/devices.js';
import { moduleKind, variableType, type Host, type ModuleDefinition } from '../../../src/device/module.js';
import { ModuleRegistry } from '../../../src/device/module-registry.js';
import type { Instance } from '../../../src/kernel/instances.js';
import { Kernel } from '../../../src/kernel/kernel.js';
import { message } from '../../../src/kernel/messages.js';
import { snapshotOf, Replica } from '../../tools/client/replica.js';
import { until } from '../../tools/until.js';
import { DeviceFixture } from '../../tools/devices/device-fixture.js';

const rows = Type.Array(
  Type.Object({
    Ident: Type.String(),
    Type: Type.Integer({ minimum: 0, maximum: 3 }),
    Profile: Type.Optional(Type.String()),
  }),
  { default: [] },
);

/** A meter with configured rows; `hosts` are its openings. */
function meter(hosts: Host[] = []): ModuleDefinition {
  return {
    id: '{00000000-0000-0000-0000-0000000000E1}',
    name: 'Meter',
    kind: moduleKind.io,
    prefix: 'M',
    properties: Type.Object({ Rows: rows, Odd: Type.Boolean({ default: false }) }),
    check: ({ Odd }) => {
      if (Odd === true) throw new TypeError('odd');
      return undefined;
    },
    variables: ({ Rows }) =>
      (Rows as { Ident: string; Type: 0 | 1 | 2 | 3; Profile?: string }[]).map((row, n) => ({
        ident: row.Ident,
        name: row.Ident,
        type: row.Type,
        role: 'main' as const,
        ...(row.Profile !== undefined && { profile: row.Profile, profileProperty: `Rows[${n}].Profile` }),
      })),
    open: async (host) => {
      hosts.push(host);
      return { close: async () => undefined };
    },
  };
}

const variable = (fixture: DeviceFixture, instance: Instance, ident: string) =>
  fixture.kernel.variables.get(instance.children?.byIdent(ident)?.id ?? 0);

t.test('a missing profile, or one of another type, is reported; the instance works without it', async (t) => {
  await using fixture = new DeviceFixture([meter()]);
  const Rows = [
    { Ident: 'TEMP', Type: variableType.float, Profile: 'Warmth' },
    { Ident: 'ON', Type: variableType.boolean, Profile: '~Temperature' },
  ];
  const one = await fixture.add('Meter', { Rows });
  await fixture.waitForLink(one, 'online');
  t.strictSame(
    [variable(fixture, one, 'TEMP').data.profile, variable(fixture, one, 'ON').data.profile],
    ['', ''],
  );
  const missing = /Rows\[0\]\.Profile: there is no profile Warmth/;
  t.match(fixture.devices.problems(one.id), [
    { code: 'PROFILE', text: missing },
    {
      code: 'PROFILE',
      text: /Rows\[1\]\.Profile: the profile ~Temperature is of type float, and ON is of type boolean/,
    },
  ]);
  t.match(fixture.status(one), missing);

  const { profiles } = fixture.kernel;
  profiles.create('Warmth', variableType.float);
  t.equal(variable(fixture, one, 'TEMP').data.profile, 'Warmth', 'created later, it is used');
  t.notMatch(fixture.status(one), missing);
  profiles.delete('Warmth');
  t.equal(variable(fixture, one, 'TEMP').data.profile, '');
  t.match(fixture.status(one), missing, 'deleted, it is missing again');
  t.equal(fixture.value(one, 'LINK'), 'online');

  await fixture.change(one, { Rows: [{ Ident: 'TEMP', Type: variableType.float, Profile: '~Temperature' }] });
  t.strictSame(fixture.devices.problems(one.id), []);
});

t.test('a stored tree with missing profiles starts', async (t) => {
  const kernel = new Kernel({ counter: 0, random: Math.random });
  const devices = () => {
    const modules = new ModuleRegistry([meter()]);
    return new Devices({ kernel, modules, clock: new ManualClock(), log: silentLog });
  };
  const Rows = [{ Ident: 'TEMP', Type: variableType.float, Profile: '~Wat' }];
  const one = devices().create('Meter', {}, { Rows });
  await using started = devices();
  started.start();
  await until('online', () => one.data.status === 102);
  t.match(started.problems(one.id), [{ text: /Rows\[0\]\.Profile: there is no profile ~Wat/ }]);
});

t.test('a variable with a changed type keeps its id, and clients are notified', async (t) => {
  const hosts: Host[] = [];
  await using fixture = new DeviceFixture([meter(hosts)]);
  const one = await fixture.add('Meter', { Rows: [{ Ident: 'TEMP', Type: variableType.string }] });
  await fixture.waitForLink(one, 'online');
  hosts.at(-1)?.report('TEMP', 'warm');
  const before = variable(fixture, one, 'TEMP');
  fixture.kernel.variables.setCustomProfile(before, '~String');
  const replica = new Replica(await snapshotOf(fixture.kernel));
  const messages: number[] = [];
  fixture.kernel.changes.listen((change) => {
    replica.apply(change as never);
    if (change.SenderID === before.id) messages.push(change.Message);
  });
  await fixture.change(one, {
    Rows: [{ Ident: 'TEMP', Type: variableType.float, Profile: '~Temperature' }],
  });
  await fixture.waitForLink(one, 'online');
  const after = variable(fixture, one, 'TEMP');
  t.equal(after, before);
  t.match(after.data, { type: variableType.float, value: 0, profile: '~Temperature', customProfile: '' });
  t.equal(messages[0], message.VM_CREATE);
  t.notOk(messages.includes(message.VM_UPDATE), 'an initial value triggers nothing');
  t.equal(hosts.at(-1)?.lastValue('TEMP'), undefined, 'the device never reported this one');
  hosts.at(-1)?.report('TEMP', 21.5);
  t.equal(fixture.value(one, 'TEMP'), 21.5);
  t.same(replica.objects, new Replica(await snapshotOf(fixture.kernel)).objects);
});

t.test('an ident names one variable', async (t) => {
  await using fixture = new DeviceFixture([meter()]);
  const row = (Ident: string) => ({ Ident, Type: variableType.float });
  const one = await fixture.add('Meter', { Rows: [row('TEMP')] });
  await fixture.waitForLink(one, 'online');
  for (const [Rows, messages] of [
    [[row('STATUS')], /^closed .*the ident STATUS is reserved/],
    [[row('A'), row('A')], /^closed .*two variables have the ident A/],
  ] as const) {
    await fixture.change(one, { Rows });
    t.match(fixture.status(one), messages);
    t.equal(one.data.status, 200);
    t.match(fixture.devices.problems(one.id), [{ code: 'CLOSED' }]);
  }
  const { tree, variables } = fixture.kernel;
  tree.create(0, {}, { parent: one, ident: 'ROOM' });
  const users = variables.create(variableType.string, { parent: one, ident: 'MINE', value: 'kept' });
  await fixture.change(one, { Rows: [row('TEMP'), row('ROOM'), row('MINE')] });
  await fixture.waitForLink(one, 'online');
  t.match(fixture.devices.problems(one.id), [
    { code: 'VARIABLE', text: /no variable ROOM: #\d+ below it \(Category\) has this ident/ },
    { code: 'VARIABLE', text: /no variable MINE: #\d+ below it \(variable of type string\) has this ident/ },
  ]);
  t.match(users.data, { type: variableType.string, value: 'kept' });
  tree.set(users, 'ident', 'OTHER');
  await fixture.devices.applyChanges(one.id);
  t.match(fixture.devices.problems(one.id), { length: 1 });
  t.equal(variable(fixture, one, 'MINE').data.type, variableType.float);
});

t.test('a module that throws keeps its instance closed, and affects nothing else', async (t) => {
  const broken: ModuleDefinition = {
    ...meter(),
    id: '{00000000-0000-0000-0000-0000000000E2}',
    name: 'Broken',
    disabledReason: () => {
      throw new RangeError('off');
    },
  };
  await using fixture = new DeviceFixture([meter(), broken]);
  const odd = await fixture.add('Meter', { Odd: true });
  const other = await fixture.add('Broken', {});
  const fine = await fixture.add('Meter', {});
  await fixture.waitForLink(fine, 'online');
  t.match([fixture.status(odd), fixture.status(other)], [/^closed .*odd/, /^closed .*off/]);
});
