/** The rules of Sparkplug 3.0 for edge nodes with a primary host application, by id; and commands of hosts. */
import t, { type Test } from 'tap';
import { ManualClock } from '../../../src/base/clock.js';
import { encodePayload, type Metric } from '../../../drivers/bridge/sparkplug/payload.js';
import { kindsOf, SparkplugObserver } from '../../tools/bridge/sparkplug-observer.js';
import { openNode, requestRebirth } from '../../tools/bridge/sparkplug-node.js';
import { EDGE_RULES, isHostRule } from '../../tools/bridge/sparkplug-rule-ids.js';
import { until } from '../../tools/until.js';

const state = (online: boolean, timestamp: number): Buffer =>
  Buffer.from(JSON.stringify({ online, timestamp }));
const HOST = 'spBv1.0/STATE/scada';

async function withHost(t: Test) {
  const observer = new SparkplugObserver();
  const opened = await openNode(t, observer, { PrimaryHostID: 'scada' });
  await until('a subscription', () => observer.sessions[0]?.subscriptions.length === 3);
  return { observer, ...opened };
}

const hostRules = new Map<string, (t: Test) => Promise<void>>();
function hostRule(ids: string, check: (t: Test) => Promise<void>): void {
  for (const id of ids.trim().split(/\s+/)) {
    hostRules.set(id, check);
  }
}

hostRule(
  `operational-behavior-edge-node-birth-sequence-wait message-flow-edge-node-birth-publish-phid-wait
  message-flow-edge-node-birth-publish-phid-wait-id message-flow-edge-node-birth-publish-phid-wait-online
  message-flow-edge-node-birth-publish-phid-wait-timestamp
  operational-behavior-primary-application-state-with-multiple-servers-state-subs`,
  async (t) => {
    const { observer, fixture } = await withHost(t);
    t.match(observer.last.subscriptions.at(-1), { filter: HOST, qos: 1 });
    fixture.set('COUNT', 5);
    observer.send('spBv1.0/STATE/other', state(true, 100), true);
    for (const payload of ['online', '{}', '{"online":true}', '{"online":"true","timestamp":1}', 'null'])
      observer.send(HOST, Buffer.from(payload), true);
    await new Promise((resolve) => setImmediate(resolve));
    t.strictSame(observer.last.messages, []);
    observer.send(HOST, state(true, 100), true);
    await until('the births', () => observer.last.messages.length >= 3);
    t.strictSame(kindsOf(observer.last.messages).slice(0, 3), ['NBIRTH', 'DBIRTH', 'DBIRTH']);
  },
);

hostRule(`operational-behavior-edge-node-termination-host-offline-timestamp`, async (t) => {
  const { observer, fixture } = await withHost(t);
  observer.send(HOST, state(true, 100));
  observer.send(HOST, state(false, 99));
  fixture.set('COUNT', 5);
  await until('a value', () => observer.last.messages.at(-1)?.kind === 'DDATA');
  t.equal(observer.sessions.length, 1);
});

hostRule(
  `operational-behavior-edge-node-termination-host-offline message-flow-edge-node-birth-publish-phid-offline
  operational-behavior-edge-node-termination-host-offline-reconnect
  operational-behavior-primary-application-state-with-multiple-servers-walk
  operational-behavior-primary-application-state-with-multiple-servers-single-server`,
  async (t) => {
    const { observer } = await withHost(t);
    observer.send(HOST, state(true, 100));
    await until('the births', () => observer.last.messages.length === 3);
    observer.retained.set(HOST, state(false, 120));
    observer.send(HOST, state(false, 100));
    await until('two further servers', () => observer.sessions.length >= 3);
    const [born, walked] = observer.sessions;
    t.match(born?.events.slice(-2), [{ kind: 'NDEATH' }, 'disconnect']);
    t.strictSame(walked?.messages, [], 'nothing is sent where the host is offline');
    t.strictSame(
      observer.sessions.slice(0, 3).map(({ options }) => options.url),
      ['mqtt://first', 'mqtt://second', 'mqtt://first'],
    );
    t.equal(observer.maxOpen, 1);
  },
);

for (const [id, check] of hostRules) await t.test(id, check);

t.test('commands for devices', async (t) => {
  const observer = new SparkplugObserver();
  const { fixture, host } = await openNode(t, observer);
  await until('the births', () => observer.sessions[0]?.messages.length === 3);
  const birth = observer.last.messages.find(({ topic }) => topic.endsWith('DBIRTH/box/lamp'));
  const { alias } = birth?.metrics.find(({ name }) => name === 'STATE') ?? {};
  const command = (metric: Metric) =>
    observer.send('spBv1.0/plant/DCMD/box/lamp', encodePayload({ timestamp: 1, metrics: [metric] }));
  command({ name: 'STATE', value: { kind: 'string', value: 'on' } });
  command({ name: 'OTHER', value: { kind: 'boolean', value: true } });
  command({ alias: 9999, value: { kind: 'boolean', value: true } });
  observer.send('spBv1.0/plant/DCMD/box/lamp', Buffer.from([0xff, 0xff]));
  t.equal(host.lastValue('STATE'), false);
  command({ alias, value: { kind: 'boolean', value: true } });
  await until('the lamp is on', () => host.lastValue('STATE') === true);
  command({ name: 'STATE', value: { kind: 'boolean', value: false } });
  await until('the lamp is off', () => host.lastValue('STATE') === false);
  t.equal(fixture.variable('LIGHT').data.value, false);
});

t.test('requests for a rebirth within a second after one cause one more, at its end', async (t) => {
  const clock = new ManualClock();
  const observer = new SparkplugObserver();
  await openNode(t, observer, { clock });
  await until('the births', () => observer.sessions[0]?.messages.length === 3);
  const births = () => kindsOf(observer.last.messages).filter((kind) => kind === 'NBIRTH').length;
  requestRebirth(observer);
  t.equal(births(), 2, 'the first immediately');
  for (let n = 0; n < 5; n++) requestRebirth(observer);
  clock.advance(999);
  t.equal(births(), 2);
  clock.advance(1);
  t.equal(births(), 3, 'the others after a second');
  requestRebirth(observer);
  t.equal(births(), 3);
  clock.advance(1000);
  t.equal(births(), 4, 'one that came after the second birth, too');
  clock.advance(10_000);
  t.equal(births(), 4);
  requestRebirth(observer);
  t.equal(births(), 5);
});

t.test('every rule about primary hosts has a test', async (t) => {
  t.strictSame(
    EDGE_RULES.filter(isHostRule).filter((id) => !hostRules.has(id)),
    [],
  );
});
