import { Type } from '@sinclair/typebox';
import t from 'tap';
import { ManualClock } from '../../../src/base/clock.js';
import { silentLog } from '../../../src/base/log.js';
import { Devices } from '../../../src/device/devices.js';
import { moduleKind, variableType, type Host, type ModuleDefinition } from '../../../src/device/module.js';
import { ModuleRegistry } from '../../../src/device/module-registry.js';
import type { Instance } from '../../../src/kernel/instances.js';
import { Kernel } from '../../../src/kernel/kernel.js';
import { objectType } from '../../../src/kernel/object.js';
import { DeviceFixture } from '../../tools/devices/device-fixture.js';
import { messageNumber } from '../../tools/client/message-numbers.js';
import { Replica, snapshotOf } from '../../tools/client/replica.js';

const { GW_ROLE, GW_RULE, GW_PENDING } = messageNumber;

/** A module with a switch that has rules, and a variable whose role depends on a property. */
function lock(hosts: Host[] = []): ModuleDefinition {
  const properties = Type.Object({ IsTest: Type.Boolean({ default: false }) });
  const module: ModuleDefinition<typeof properties> = {
    id: '{00000000-0000-0000-0000-0000000000C1}',
    name: 'Door lock',
    kind: moduleKind.device,
    prefix: 'M',
    properties,
    variables: ({ IsTest }) => [
      { ident: 'STATE', name: 'State', type: variableType.boolean, role: 'main', action: true },
      { ident: 'FORCE', name: 'Force', type: variableType.float, role: IsTest ? 'detail' : 'diagnostic' },
    ],
    open: async (host) => {
      hosts.push(host);
      return { close: async () => undefined };
    },
  };
  return module as ModuleDefinition;
}

const variable = (instance: Instance, ident: string) => {
  const child = instance.children?.byIdent(ident);
  if (!child?.is(objectType.variable)) throw new Error(`no ${ident}`);
  return child;
};
const dataOf = (kernel: Kernel, instance: Instance, ident: string) =>
  snapshotOf(kernel)[`ID${variable(instance, ident).id}`]?.data;

t.test('the snapshot has the role of each variable, and changes report it', async (t) => {
  await using fixture = new DeviceFixture([lock()]);
  const { kernel } = fixture;
  const replica = new Replica(snapshotOf(kernel));
  const messages: unknown[] = [];
  kernel.changes.listen((change) => {
    replica.apply(change as never);
    if (change.Message === GW_ROLE) messages.push(change.Data);
  });
  const one = await fixture.add('Door lock', {});
  await fixture.waitForLink(one, 'online');
  const roles = () =>
    ['STATE', 'FORCE', 'LINK', 'STATUS'].map((ident) => dataOf(kernel, one, ident)?.['role']);
  t.strictSame(roles(), ['main', 'diagnostic', 'diagnostic', 'diagnostic']);
  t.strictSame(messages.splice(0), [['diagnostic'], ['diagnostic'], ['diagnostic']], 'main is the default');
  await fixture.change(one, { IsTest: true });
  t.strictSame(roles(), ['main', 'detail', 'diagnostic', 'diagnostic']);
  t.strictSame(messages, [['detail']]);
  const plain = kernel.variables.create(variableType.boolean);
  t.equal(snapshotOf(kernel)[`ID${plain.id}`]?.data['role'], 'main', 'a variable without a module');
  t.same(replica.objects, new Replica(snapshotOf(kernel)).objects);
});

t.test('a start reports the roles that have changed', async (t) => {
  const kernel = new Kernel({ counter: 0, random: Math.random });
  const devices = () =>
    new Devices({ kernel, modules: new ModuleRegistry([lock()]), clock: new ManualClock(), log: silentLog });
  const one = devices().create('Door lock');
  // As it comes from the store of a version without roles.
  variable(one, 'FORCE').data.role = 'main';
  const before = kernel.changes.counter;
  await using started = devices();
  started.start();
  t.equal(dataOf(kernel, one, 'FORCE')?.['role'], 'diagnostic');
  const reported = kernel.changes.since(before).filter(({ Message }) => Message === GW_ROLE);
  t.match(reported, [{ SenderID: variable(one, 'FORCE').id, Data: ['diagnostic'] }]);
});

t.test('rules and scheduled changes are records that end with the instance', async (t) => {
  const hosts: Host[] = [];
  await using fixture = new DeviceFixture([lock(hosts)]);
  const { kernel } = fixture;
  const one = await fixture.add('Door lock', {});
  await fixture.waitForLink(one, 'online');
  const replica = new Replica(snapshotOf(kernel));
  const messages: unknown[] = [];
  kernel.changes.listen((change) => {
    replica.apply(change as never);
    if (change.Message === GW_RULE || change.Message === GW_PENDING)
      messages.push([change.Message, ...change.Data]);
  });
  const rule = { code: 'MIN_ON', untilMs: 5000, group: '' } as const;
  const pending = { value: false, atMs: 9000, code: 'MAX_ON' } as const;
  for (let times = 0; times < 2; times++) {
    hosts[0]?.reportRule('STATE', { ...rule });
    hosts[0]?.reportPending('STATE', { ...pending });
  }
  t.match(dataOf(kernel, one, 'STATE'), { rule, pending });
  t.strictSame(
    messages.splice(0),
    [
      [GW_RULE, 'MIN_ON', 5000, ''],
      [GW_PENDING, false, 9000, 'MAX_ON'],
    ],
    'once each',
  );
  t.same(replica.objects, new Replica(snapshotOf(kernel)).objects);
  t.throws(() => hosts[0]?.reportPending('STATE', { ...pending, value: 1 }), { code: 'VARIABLE_TYPE' });
  await fixture.change(one, { IsTest: true });
  t.strictSame(messages, [
    [GW_RULE, '', 0, ''],
    [GW_PENDING, false, 0, ''],
  ]);
  t.notMatch(dataOf(kernel, one, 'STATE'), { rule: {} });
  hosts[0]?.reportRule('STATE', rule);
  t.equal(messages.length, 2, 'a closed instance reports nothing');
  t.same(replica.objects, new Replica(snapshotOf(kernel)).objects);
});
