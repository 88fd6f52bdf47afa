import { HIDDEN } from '../../../src/base/url-secrets.js';
import t from 'tap';
import { Type, type Static } from '@sinclair/typebox';
import { ManualClock } from '../../../src/base/clock.js';
import { fault } from '../../../src/base/fault.js';
import { silentLog } from '../../../src/base/log.js';
import { Devices } from '../../../src/device/devices.js';
import {
  moduleKind,
  variableType,
  type Flow,
  type Host,
  type ModuleDefinition,
  type OpenInstance,
} from '../../../src/device/module.js';
import { ModuleRegistry } from '../../../src/device/module-registry.js';
import { BACKOFF_FIRST_MS, BACKOFF_MAX_MS, backoffMs } from '../../../src/device/backoff.js';
import { OPEN_TIMEOUT_MS, PROBE_TIMEOUT_MS, PROBE_INTERVAL_MS } from '../../../src/device/supervisor.js';
import { WRITE_TIMEOUT_MS } from '../../../src/device/command-deadline.js';
import { Kernel } from '../../../src/kernel/kernel.js';
import type { Instance } from '../../../src/kernel/instances.js';
import { message } from '../../../src/kernel/messages.js';

interface Frame {
  readonly SenderID: number;
  readonly Message: number;
}

interface Wire {
  readonly name: string;
}
const wire: Flow<Wire> = { id: '{WIRE}' };
const schema = Type.Object({
  Port: Type.String({ default: '' }),
  Baud: Type.Integer({ default: 9600 }),
  Password: Type.String({ default: '', secret: true }),
  Topics: Type.Array(Type.Object({ Ident: Type.String() }), { default: [] }),
});
type Props = Static<typeof schema>;

/** A fixture with an I/O module and a device module whose openings the test controls. */
function makeFixture() {
  const kernel = new Kernel({ counter: 0, random: Math.random });
  const clock = new ManualClock();
  const opened: { host: Host<Props>; closed: boolean }[] = [];
  const driver = {
    open: async (): Promise<Partial<OpenInstance>> => ({}),
    opened,
    openCount: () => opened.filter((o) => !o.closed).length,
  };
  const make = (
    name: string,
    extra: Partial<ModuleDefinition<typeof schema>>,
  ): ModuleDefinition<typeof schema> => ({
    id: `{${name.toUpperCase()}}`,
    name,
    kind: moduleKind.io,
    prefix: 'X',
    properties: schema,
    variables: ({ Topics }) => [
      {
        ident: 'STATE',
        name: 'State',
        type: variableType.boolean,
        role: 'main',
        profile: '~Switch',
        action: true,
      },
      ...Topics.map(({ Ident }) => ({
        ident: Ident,
        name: Ident,
        type: variableType.float,
        role: 'detail' as const,
      })),
    ],
    open: async (host) => {
      const entry = { host, closed: false };
      const running = await driver.open();
      opened.push(entry);
      return {
        close: async () => {
          entry.closed = true;
        },
        provided: { name: 'wire' },
        ...running,
      };
    },
    ...extra,
  });
  const modules = new ModuleRegistry([
    make('Io', {
      provides: wire,
      check: ({ Port }) => (Port === '' ? 'Port is empty: name one' : undefined),
    }),
    make('Child', { kind: moduleKind.device, requires: wire }),
  ] as unknown as ModuleDefinition[]);
  const devices = new Devices({ kernel, modules, clock, log: silentLog });
  devices.start();
  const shown = (instance: Instance, ident: string) => {
    const child = instance.children?.byIdent(ident);
    return child?.is(2) ? child.data.value : undefined;
  };
  const isLink = async (instance: Instance, link: string) => {
    for (let turn = 0; turn < 1000 && shown(instance, 'LINK') !== link; turn++)
      await new Promise((r) => setImmediate(r));
    if (shown(instance, 'LINK') !== link)
      throw new Error(`LINK is ${String(shown(instance, 'LINK'))}, not ${link}`);
  };
  return { kernel, clock, driver, devices, shown, isLink };
}

t.test('an instance without a required property says what to do, and opens once it is set', async (t) => {
  const { devices, driver, shown, isLink, kernel } = makeFixture();
  const io = devices.create('Io', { name: 'Port' });
  t.equal(io.data.status, 200);
  t.match(shown(io, 'STATUS'), /^closed since .*: Port is empty: name one$/);
  t.match(devices.problems(io.id), [{ id: io.id, code: 'CLOSED', text: 'Port is empty: name one' }]);
  await t.rejects(devices.write(io.id, 'STATE', true), { code: 'IDENT_NOT_FOUND' });
  t.equal(devices.setProperty(io.id, 'Port', '/dev/x'), true);
  t.equal(devices.setProperty(io.id, 'Port', '/dev/x'), false, 'unchanged');
  t.equal(devices.setProperty(io.id, 'Nonsense', 1), false, 'unknown');
  t.throws(() => devices.setProperty(io.id, 'Baud', 'fast'), { code: 'PROPERTY_INVALID' });
  t.equal(devices.property(io.id, 'Port'), '', 'pending changes have no effect');
  t.ok(devices.hasChanges(io.id));
  await devices.applyChanges(io.id);
  t.notOk(devices.hasChanges(io.id));
  await isLink(io, 'online');
  t.equal(io.data.status, 102);
  t.equal(driver.opened[0]?.host.properties.Port, '/dev/x');
  const state = io.children?.byIdent('STATE');
  await devices.applyChanges(io.id);
  t.equal(io.children?.byIdent('STATE'), state, 'its variables stay');
  t.equal(kernel.variables.actionTargetOf(kernel.variables.get(state?.id ?? 0)), io.id);
  await devices.close();
  t.equal(driver.openCount(), 0);
});

t.test(
  'secrets are masked, kept when the mask is written back, and lists are accepted as JSON text',
  async (t) => {
    const { devices, kernel } = makeFixture();
    const io = devices.create('Io', {}, { Password: 'pw', Port: 'p' });
    t.equal(devices.property(io.id, 'Password'), HIDDEN);
    devices.setConfiguration(
      io.id,
      JSON.stringify({ ...devices.configuration(io.id), Topics: '[{"Ident":"T1"}]', Baud: '115200' }),
    );
    const from = kernel.changes.counter;
    await devices.applyChanges(io.id);
    t.match(io.data.properties, { Password: 'pw', Baud: 115200, Topics: [{ Ident: 'T1' }] });
    t.ok(io.children?.byIdent('T1'));
    t.notMatch(JSON.stringify(kernel.changes.since(from)), /"pw|pw\\"/);
    t.throws(() => devices.setConfiguration(io.id, '{"Port":1,"Nope":2}'), { code: 'PROPERTY_MISSING' });
    t.throws(() => devices.setConfiguration(io.id, 'x'), { code: 'CONFIGURATION_INVALID' });
    t.equal(devices.property(io.id, 'Port'), 'p');
    await devices.close();
  },
);

t.test('it is reopened with jittered backoff, which restarts once it was stable', async (t) => {
  for (let n = 0; n < 20; n++) {
    const most = Math.min(BACKOFF_MAX_MS, BACKOFF_FIRST_MS * 2 ** n);
    t.ok(backoffMs(n, 0) === most / 2 && backoffMs(n, 0.999_999) <= most);
  }
  const { devices, driver, clock, shown, isLink } = makeFixture();
  driver.open = () => Promise.reject(fault('DEVICE_CONFIGURATION', '/dev/x does not exist; plug it in'));
  const io = devices.create('Io', {}, { Port: '/dev/x' });
  await isLink(io, 'waiting');
  t.match(shown(io, 'STATUS'), /\/dev\/x does not exist; plug it in/);
  t.equal(io.data.status, 201);
  await t.rejects(devices.write(io.id, 'STATE', true), { code: 'DEVICE_OFFLINE', message: /plug it in/ });
  driver.open = async () => ({});
  clock.advance(BACKOFF_FIRST_MS);
  await isLink(io, 'online');
  driver.opened[0]?.host.report('STATE', true);
  t.equal(shown(io, 'STATE'), true);
  driver.opened[0]?.host.reportLost(new Error('unplugged'));
  await isLink(io, 'waiting');
  t.equal(driver.openCount(), 0, 'the lost instance was closed');
  t.ok(driver.opened[0]?.host.signal.aborted);
  driver.opened[0]?.host.report('STATE', false);
  t.equal(shown(io, 'STATE'), true, 'a report after the end is ignored');
  await devices.close();
  t.equal(clock.pendingTimers, 0, 'no timer is left');
});

t.test(
  'deadlines apply to a hanging open, a hanging write, and a device that disappears silently',
  async (t) => {
    const { devices, driver, clock, isLink, shown } = makeFixture();
    const late = Promise.withResolvers<Partial<OpenInstance>>();
    driver.open = () => late.promise;
    const io = devices.create('Io', {}, { Port: 'p' });
    await isLink(io, 'opening');
    clock.advance(OPEN_TIMEOUT_MS);
    await isLink(io, 'waiting');
    late.resolve({});
    while (driver.opened.length === 0 || driver.openCount() > 0) await new Promise((r) => setImmediate(r));
    t.equal(driver.openCount(), 0, 'what opened too late was closed');

    driver.open = async () => ({ write: () => new Promise<void>(() => undefined) });
    clock.advance(BACKOFF_MAX_MS);
    await isLink(io, 'online');
    const written = devices.write(io.id, 'STATE', true);
    clock.advance(WRITE_TIMEOUT_MS);
    await t.rejects(written, { code: 'TIMED_OUT' });
    await isLink(io, 'waiting');

    driver.open = async () => ({ probe: () => new Promise<void>(() => undefined) });
    clock.advance(BACKOFF_MAX_MS);
    await isLink(io, 'online');
    clock.advance(PROBE_INTERVAL_MS);
    clock.advance(PROBE_TIMEOUT_MS);
    await isLink(io, 'waiting');
    t.match(shown(io, 'STATUS'), /took too long/);
    await devices.close();
    t.equal(clock.pendingTimers, 0);
  },
);

t.test('a device follows the I/O instance that it is connected to', async (t) => {
  const { devices, driver, clock, isLink, shown, kernel } = makeFixture();
  const io = devices.create('Io', { name: 'Port A' }, { Port: 'p' });
  const child = devices.create('Child');
  t.match(shown(child, 'STATUS'), /not connected/);
  await t.rejects(devices.connect(io.id, child.id), { code: 'INCOMPATIBLE' });
  await devices.connect(child.id, io.id);
  await isLink(child, 'online');
  t.equal(driver.opened.at(-1)?.host.parent(wire).name, 'wire');
  driver.opened[0]?.host.reportLost(new Error('unplugged'));
  await isLink(io, 'waiting');
  await isLink(child, 'waiting');
  t.match(shown(child, 'STATUS'), /waiting for its Io/);
  t.match(
    devices.problems(io.id).map((problem) => problem.id),
    [io.id, child.id],
  );
  clock.advance(BACKOFF_FIRST_MS);
  await isLink(child, 'online');
  await devices.disconnect(child.id);
  t.equal(child.data.status, 200);
  const note = kernel.variables.create(3, { name: 'Note', parent: io });
  await t.rejects(
    devices.delete(io.id),
    { code: 'HAS_CHILDREN' },
    'not while it has another parent of its own',
  );
  kernel.tree.delete(note);
  await devices.delete(io.id);
  t.equal(kernel.tree.find(io.id), undefined);
  await devices.close();
  t.equal(driver.openCount(), 0);
});

t.test(
  'an instance that is deleted while another call disconnects it reports nothing afterwards',
  async (t) => {
    const { devices, isLink, kernel } = makeFixture();
    for (const order of ['parent first', 'child first']) {
      const io = devices.create('Io', {}, { Port: 'p' });
      const child = devices.create('Child');
      await devices.connect(child.id, io.id);
      await isLink(child, 'online');
      const both = order === 'parent first' ? [io, child] : [child, io];
      await Promise.allSettled([
        ...both.map(({ id }) => devices.delete(id)),
        ...both.map(({ id }) => devices.disconnect(id)),
      ]);
      for (const { id } of both) {
        t.equal(kernel.tree.find(id), undefined, order);
        const sent = kernel.changes.since(0).map(({ frame }) => JSON.parse(frame) as Frame);
        t.equal(sent.findLast(({ SenderID }) => SenderID === id)?.Message, message.OM_UNREGISTER, order);
      }
    }
    await devices.close();
  },
);
