import t from 'tap';
import { Type, type Static } from '@sinclair/typebox';
import { Outbox } from '../../../src/api/socket/outbox.js';
import { ManualClock } from '../../../src/base/clock.js';
import { silentLog } from '../../../src/base/log.js';
import { yieldToEventLoop } from '../../../src/base/event-loop.js';
import { Devices } from '../../../src/device/devices.js';
import {
  moduleKind,
  quality,
  variableType,
  type Host,
  type ModuleDefinition,
} from '../../../src/device/module.js';
import { ModuleRegistry } from '../../../src/device/module-registry.js';
import { reportedVariables } from '../../../src/device/instance-variables.js';
import type { Instance } from '../../../src/kernel/instances.js';
import { Kernel } from '../../../src/kernel/kernel.js';
import { message } from '../../../src/kernel/messages.js';
import { SnapshotReader } from '../../../src/kernel/snapshot.js';
import { qualityOf } from '../../tools/devices/variable-quality.js';
import { Replica, type Entry, type Frame } from '../../tools/client/replica.js';
import { BoardFixture } from '../../tools/devices/board-fixture.js';
import { DeviceFixture, passTime } from '../../tools/devices/device-fixture.js';
import { messageNumber } from '../../tools/client/message-numbers.js';

const schema = Type.Object({
  Count: Type.Integer({ default: 2 }),
  StaleAfterS: Type.Integer({ default: 0 }),
  ReportsOnOpen: Type.Boolean({ default: true }),
});
type Properties = Static<typeof schema>;

/** Their module; open hosts are added to `hosts`. */
function gaugesModule(hosts: Host<Properties>[]): ModuleDefinition {
  const module: ModuleDefinition<typeof schema> = {
    id: '{GAUGES}',
    name: 'Gauges',
    kind: moduleKind.device,
    prefix: 'HW',
    properties: schema,
    variables: ({ Count, StaleAfterS }) =>
      Array.from({ length: Count }, (_, n) => ({
        ident: `G${n}`,
        name: `Gauge ${n}`,
        type: variableType.float,
        role: 'main' as const,
        ...(StaleAfterS > 0 && { staleAfterS: StaleAfterS }),
      })),
    open: async (host) => {
      hosts.push(host);
      if (host.properties.ReportsOnOpen) host.report('G0', 20);
      return { close: async () => undefined };
    },
  };
  return module as unknown as ModuleDefinition;
}

/** Gauges `G0`, `G1`, … whose values the test reports; `G0` is also reported when it is opened. */
class Gauges extends DeviceFixture {
  readonly hosts: Host<Properties>[];
  readonly clock: ManualClock;

  constructor() {
    const clock = new ManualClock();
    const hosts: Host<Properties>[] = [];
    super([gaugesModule(hosts)], clock);
    this.clock = clock;
    this.hosts = hosts;
  }

  get host(): Host<Properties> {
    const host = this.hosts.at(-1);
    if (host === undefined) throw new Error('nothing was opened');
    return host;
  }

  idOf(instance: Instance, ident: string): number {
    return instance.children?.byIdent(ident)?.id ?? 0;
  }

  /** The messages that clients receive about these variables while `act` runs: message and data. */
  messagesDuring(ids: readonly number[], act: () => void): [number, readonly unknown[]][] {
    const before = this.kernel.changes.counter;
    act();
    return this.kernel.changes
      .since(before)
      .flatMap(({ SenderID, Message, Data }) => (ids.includes(SenderID) ? [[Message, Data]] : []));
  }
}

t.test('when a device appears, is lost and comes back, no earlier value looks fresh', async (t) => {
  await using fixture = new Gauges();
  const gauges = fixture.devices.create('Gauges');
  t.equal(fixture.quality(gauges, 'G0'), 'bad NO_VALUE');
  await fixture.waitForLink(gauges, 'online');
  t.equal(fixture.quality(gauges, 'G0'), 'good', 'reported while it was opened');
  t.equal(fixture.quality(gauges, 'G1'), 'bad NO_VALUE');
  t.equal(fixture.quality(gauges, 'LINK'), 'good');
  fixture.host.report('G1', 1);
  t.equal(fixture.quality(gauges, 'G1'), 'good');
  fixture.host.reportLost(new Error('the cable was pulled'));
  await fixture.waitForLink(gauges, 'waiting');
  t.equal(fixture.quality(gauges, 'G0'), 'bad UNREACHABLE');
  t.equal(fixture.quality(gauges, 'G1'), 'bad UNREACHABLE');
  t.equal(fixture.quality(gauges, 'STATUS'), 'good', 'the gateway’s own text');
  await passTime(fixture.clock, 2000);
  await fixture.waitForLink(gauges, 'online');
  t.equal(fixture.quality(gauges, 'G0'), 'good');
  t.equal(fixture.quality(gauges, 'G1'), 'stale NOT_REPORTED');
  fixture.host.report('G1', 1);
  t.equal(fixture.quality(gauges, 'G1'), 'good', 'the same value, reported again');
});

t.test('each change of quality is reported once, and no value ever looks better than it is', async (t) => {
  await using fixture = new Gauges();
  const gauges = fixture.devices.create('Gauges');
  await fixture.waitForLink(gauges, 'online');
  const id = fixture.idOf(gauges, 'G0');
  const suspect = { state: quality.bad, reason: 'UNREADABLE', text: 'the sensor is broken' } as const;
  const now = fixture.clock.nowMs() / 1000;
  t.strictSame(
    fixture.messagesDuring([id], () => {
      fixture.host.markUncertain('G0', suspect);
      fixture.host.markUncertain('G0', { ...suspect, text: 'still broken' });
      fixture.host.report('G0', 7);
      fixture.host.report('G0', 7);
      fixture.host.reportUncertain('G0', 8, suspect);
    }),
    [
      [messageNumber.GW_QUALITY, [2, 'UNREADABLE', 'the sensor is broken']],
      [messageNumber.VM_UPDATE, [7, true, 20, now, now, now]],
      [messageNumber.GW_QUALITY, [0, '', '']],
      [messageNumber.VM_UPDATE, [7, false, 7, now, now, now]],
      [messageNumber.GW_QUALITY, [2, 'UNREADABLE', 'the sensor is broken']],
      [messageNumber.VM_UPDATE, [8, true, 7, now, now, now]],
    ],
  );
});

t.test('a slow client gets no value across the message that it is no longer good', async (t) => {
  await using fixture = new Gauges();
  const gauges = fixture.devices.create('Gauges');
  await fixture.waitForLink(gauges, 'online');
  const from = fixture.kernel.changes.counter;
  fixture.host.report('G0', 1);
  fixture.host.report('G0', 2);
  fixture.host.markUncertain('G0', { state: quality.bad, reason: 'UNREADABLE', text: '' });
  fixture.host.report('G0', 3);
  fixture.host.report('G0', 4);
  const outbox = new Outbox({ budget: 1, limit: 1e6 });
  for (const change of fixture.kernel.changes.since(from)) outbox.put(change);
  t.strictSame(
    outbox.take(1e6).map(({ Data }) => Data[0]),
    [2, 2, 3, 0, 4],
  );
});

t.test('a value is stale if the next is overdue, and good with the next', async (t) => {
  await using fixture = new Gauges();
  const gauges = await fixture.add('Gauges', { StaleAfterS: 60 });
  await fixture.waitForLink(gauges, 'online');
  await passTime(fixture.clock, 59_000);
  t.equal(fixture.quality(gauges, 'G0'), 'good');
  fixture.host.report('G0', 20);
  await passTime(fixture.clock, 59_000);
  t.equal(fixture.quality(gauges, 'G0'), 'good');
  await passTime(fixture.clock, 2000);
  t.equal(fixture.quality(gauges, 'G0'), 'stale OVERDUE');
  t.equal(
    fixture.quality(gauges, 'G1'),
    'bad NO_VALUE',
    'a value that was never reported cannot become stale',
  );
  fixture.host.report('G0', 20);
  t.equal(fixture.quality(gauges, 'G0'), 'good');
  await fixture.change(gauges, { StaleAfterS: 0 });
  await fixture.waitForLink(gauges, 'online');
  await passTime(fixture.clock, 120_000);
  t.equal(fixture.quality(gauges, 'G0'), 'good', 'no deadline applies any more');
  await fixture.change(gauges, { StaleAfterS: 60 });
  fixture.devices.setProperty(gauges.id, 'Count', 1);
  await fixture.devices.applyChanges(gauges.id);
  await fixture.waitForLink(gauges, 'online');
  t.equal(fixture.quality(gauges, 'G1'), 'bad NO_VALUE', 'it is no longer declared, and stays');
  await fixture.devices.close();
  t.equal(fixture.clock.pendingTimers, 0);
});

t.test('a device’s own time counts: an old value is stale immediately', async (t) => {
  await using fixture = new Gauges();
  const gauges = await fixture.add('Gauges', { StaleAfterS: 60, ReportsOnOpen: false });
  await fixture.waitForLink(gauges, 'online');
  const { host, clock } = fixture;
  const variable = [...reportedVariables(gauges)][0];
  host.report('G0', 1, clock.nowMs() - 50_000);
  t.equal(fixture.quality(gauges, 'G0'), 'good');
  t.strictSame(variable?.data.reportTimes, { sourceMs: clock.nowMs() - 50_000, receivedMs: clock.nowMs() });
  await passTime(clock, 11_000);
  t.equal(fixture.quality(gauges, 'G0'), 'stale OVERDUE', '60 s after its own time, not after its arrival');
  host.report('G0', 2, clock.nowMs());
  t.equal(fixture.quality(gauges, 'G0'), 'good');
  const messages = fixture.messagesDuring([variable?.id ?? 0], () =>
    host.report('G0', 3, clock.nowMs() - 61_000),
  );
  t.match(messages, [
    [messageNumber.GW_QUALITY, [1, 'OVERDUE']],
    [messageNumber.VM_UPDATE, [3]],
  ]);
  host.report('G0', 4, clock.nowMs() + 59_000);
  t.equal(fixture.quality(gauges, 'G0'), 'good', 'a device whose clock is slightly ahead');
  const future = fixture.messagesDuring([variable?.id ?? 0], () =>
    host.report('G0', 4, clock.nowMs() + 61_000),
  );
  t.match(future[0], [messageNumber.GW_QUALITY, [1, 'FUTURE']], 'marked suspect before it is reported');
  host.report('G0', 4, clock.nowMs() + 61_000);
  t.equal(fixture.quality(gauges, 'G0'), 'stale FUTURE');
  await passTime(clock, 61_000);
  t.equal(fixture.quality(gauges, 'G0'), 'stale OVERDUE', 'the deadline applies nevertheless');
  host.report('G0', 4, clock.nowMs());
  t.equal(fixture.quality(gauges, 'G0'), 'good');
  host.report('G0', 5, 0);
  t.equal(fixture.quality(gauges, 'G0'), 'stale OVERDUE', 'its time is unknown');
  clock.hasTrustedTime = false;
  host.report('G0', 6, clock.nowMs() - 61_000);
  t.equal(fixture.quality(gauges, 'G0'), 'good', 'without a clock to compare it with');
  host.report('G0', 6, clock.nowMs() + 3_600_000);
  t.equal(fixture.quality(gauges, 'G0'), 'good', 'nor with one that is ahead');
  host.report('G0', 7, clock.monotonicNs() - 2_000_000_000n);
  t.equal(variable?.data.reportTimes?.sourceMs, clock.nowMs() - 2000, 'the kernel’s time of an edge');
  host.report('G0', 8);
  t.equal(variable?.data.reportTimes, undefined, 'without a time: its arrival');
});

t.test(
  'a snapshot and the following changes agree, and only values that are not good have the key',
  async (t) => {
    await using fixture = new Gauges();
    const gauges = await fixture.add('Gauges', { Count: 1000, StaleAfterS: 60 });
    await fixture.waitForLink(gauges, 'online');
    for (let n = 0; n < 1000; n += 2) fixture.host.report(`G${n}`, n);
    const snapshot = () => {
      const reader = new SnapshotReader(fixture.kernel.tree);
      const parts: string[] = [];
      for (let part = reader.read(); part !== undefined; part = reader.read()) parts.push(part);
      return JSON.parse(`{${parts.join(',')}}`) as Record<string, Entry>;
    };
    const doubted = (objects: Record<string, Entry>) =>
      Object.values(objects).filter(({ data }) => 'quality' in data).length;
    const first = snapshot();
    t.equal(doubted(first), 500);
    const replica = new Replica(first);
    const since = fixture.kernel.changes.counter;
    fixture.host.reportLost(new Error('gone'));
    await fixture.waitForLink(gauges, 'waiting');
    const messages = fixture.kernel.changes.since(since);
    const link = fixture.idOf(gauges, 'LINK');
    const [bad, gone] = [
      messages.findLastIndex(({ Message }) => Message === messageNumber.GW_QUALITY),
      messages.findIndex(({ SenderID }) => SenderID === link),
    ];
    t.ok(bad < gone, 'before LINK reports it');
    t.equal(
      messages.filter(({ Message }) => Message === messageNumber.GW_QUALITY).length,
      1000,
      'one message each',
    );
    t.equal(doubted(snapshot()), 1000);
    await passTime(fixture.clock, 2000);
    await fixture.waitForLink(gauges, 'online');
    fixture.host.report('G7', 7);
    for (const change of fixture.kernel.changes.since(since))
      replica.apply(JSON.parse(change.frame) as Frame);
    t.strictSame(
      Object.fromEntries([...replica.objects].map(([id, entry]) => [`ID${id}`, entry])),
      snapshot(),
    );
  },
);

t.test('stored values are not good until their device has reported them, without a message', async (t) => {
  const clock = new ManualClock();
  const kernel = new Kernel({ counter: 0, random: Math.random });
  const hosts: Host<Properties>[] = [];
  const stored = (module: { id: string; name: string; kind: number }, idents: readonly string[]) => {
    const instance = kernel.instances.create(module, {}, { nowMs: 0 });
    for (const ident of [...idents, 'LINK']) {
      const type = ident === 'LINK' ? variableType.string : variableType.float;
      const variable = kernel.variables.create(type, { parent: instance, ident, readOnly: true });
      if (ident !== 'G2') kernel.variables.update(variable, ident === 'LINK' ? 'online' : 7, 1000);
    }
    return instance;
  };
  const module = gaugesModule(hosts);
  const gauges = stored(module, ['G0', 'G1', 'G2', 'GONE']);
  const orphan = stored({ id: '{NO}', name: 'No', kind: 3 }, ['G0']);
  const since = kernel.changes.counter;
  const devices = new Devices({ kernel, clock, modules: new ModuleRegistry([module]), log: silentLog });
  devices.start();
  const qualities = () => ['G0', 'G1', 'G2', 'GONE', 'LINK'].map((ident) => qualityOf(gauges, ident));
  const old = 'stale NOT_REPORTED';
  t.strictSame(qualities(), [old, old, 'bad NO_VALUE', old, 'good']);
  t.equal(qualityOf(orphan, 'G0'), 'bad MODULE_MISSING');
  await yieldToEventLoop();
  t.strictSame(qualities(), ['good', old, 'bad NO_VALUE', old, 'good']);
  const messages = kernel.changes.since(since).filter(({ Message }) => Message === message.GW_QUALITY);
  t.match(messages, [{ Data: [2, 'MODULE_MISSING'] }, { Data: [0, '', ''] }]);
  t.equal(messages.length, 2);
  await devices.close();
});

t.test('two gateways do not share their qualities', async (t) => {
  await using one = new Gauges();
  await using other = new Gauges();
  const [mine, yours] = [
    await one.add('Gauges', { StaleAfterS: 5 }),
    await other.add('Gauges', { StaleAfterS: 5 }),
  ];
  await one.waitForLink(mine, 'online');
  await other.waitForLink(yours, 'online');
  await passTime(one.clock, 10_000);
  other.host.markUncertain('G1', { state: quality.bad, reason: 'UNREADABLE', text: '' });
  t.equal(one.quality(mine, 'G0'), 'stale OVERDUE');
  t.equal(other.quality(yours, 'G0'), 'good');
  t.equal(one.quality(mine, 'G1'), 'bad NO_VALUE');
  t.equal(other.quality(yours, 'G1'), 'bad UNREADABLE');
});

t.test(
  'the initial value of an input or an output is good immediately, even if it is reopened',
  async (t) => {
    const board = new BoardFixture(t);
    const made = [
      ['GPIO Input', { Line: 'BUTTON1' }],
      ['Button', { Line: 'BUTTON2' }],
      ['Counter', { Line: 'BUTTON3' }],
      ['Frequency', { Line: 'BUTTON4' }],
      ['Encoder', { LineA: 'SENSE1', LineB: 'SENSE2' }],
      ['Level Group', { Lines: ['SENSE3', 'SENSE4'] }],
      ['GPIO Output', { Line: 'RELAY5' }],
      ['Relay', { Line: 'RELAY6' }],
      ['Pulse', { Line: 'RELAY7' }],
    ] as const;
    // A counter has no previous day before the second one.
    const never = ['YESTERDAY', 'LAST_MONTH'];
    for (const [module, properties] of made) {
      const instance = await board.add(module, properties);
      for (const time of ['first', 'second']) {
        await board.waitForLink(instance, 'online');
        const idents = [...reportedVariables(instance)].map(({ ident }) => ident);
        t.strictSame(
          idents.filter((ident) => board.quality(instance, ident) !== 'good'),
          module === 'Counter' ? never : [],
          `${module}, the ${time} time`,
        );
        await board.devices.applyChanges(instance.id);
        await yieldToEventLoop();
      }
    }
  },
);
