/**
 * The rules of Sparkplug 3.0 for edge nodes that the official kit tests, by id. The sessions of an edge node are
 * observed at the packets that reach the broker.
 */
import t, { type Test } from 'tap';
import type { Metric } from '../../../drivers/bridge/sparkplug/payload.js';
import { EDGE_RULES, isHostRule } from '../../tools/bridge/sparkplug-rule-ids.js';
import {
  kindsOf,
  type SparkplugObserver,
  type ObservedMessage,
  type ObservedSession,
} from '../../tools/bridge/sparkplug-observer.js';
import { rehearse } from '../../tools/bridge/sparkplug-node.js';

const TOPICS: Readonly<Record<string, RegExp>> = {
  NBIRTH: /^spBv1\.0\/plant\/NBIRTH\/box$/,
  NDEATH: /^spBv1\.0\/plant\/NDEATH\/box$/,
  DBIRTH: /^spBv1\.0\/plant\/DBIRTH\/box\/(hall|lamp)$/,
  DDATA: /^spBv1\.0\/plant\/DDATA\/box\/(hall|lamp)$/,
  DDEATH: /^spBv1\.0\/plant\/DDEATH\/box\/lamp$/,
};
/** Sparkplug basic data types, and those of template and data set. */
const BASIC_TYPES: readonly number[] = Array.from({ length: 15 }, (_, n) => n + 1);

const observer = await (async () => {
  let done: SparkplugObserver | undefined;
  await t.test('an edge node is born, sends, is born again and dies', async (t) => {
    done = await rehearse(t);
    t.equal(done.sessions.length, 2);
  });
  return done as SparkplugObserver;
})();
const [first, second] = observer.sessions as [ObservedSession, ObservedSession];
const all = [...first.messages, ...second.messages];
const of = (...kinds: string[]): ObservedMessage[] => all.filter(({ kind }) => kinds.includes(kind));
const births = of('NBIRTH', 'DBIRTH');
const data = of('DDATA');
const metricsOf = (messages: readonly ObservedMessage[]): Metric[] =>
  messages.flatMap(({ metrics }) => metrics);
const named = (message: ObservedMessage, name: string): Metric | undefined =>
  message.metrics.find((metric) => metric.name === name);

/** A test for each of these rules. */
const covered = new Set<string>();
function rules(ids: string, check: (t: Test) => void): void {
  for (const id of ids.trim().split(/\s+/)) {
    covered.add(id);
    t.test(id, async (t) => check(t));
  }
}

rules(
  `topics-nbirth-topic message-flow-edge-node-birth-publish-nbirth-topic topics-dbirth-topic
  message-flow-device-birth-publish-dbirth-topic message-flow-device-birth-publish-dbirth-match-edge-node-topic
  topics-ddata-topic topics-ddeath-topic topics-ndeath-topic
  message-flow-edge-node-birth-publish-will-message-topic`,
  (t) => {
    for (const { topic, kind } of [...all, first.will]) t.match(topic, TOPICS[kind] ?? /^$/);
    t.strictSame([...new Set(all.map(({ kind }) => kind))].sort(), Object.keys(TOPICS).sort());
  },
);

rules(
  `topics-nbirth-mqtt payloads-nbirth-qos payloads-nbirth-retain message-flow-edge-node-birth-publish-nbirth-qos
  message-flow-edge-node-birth-publish-nbirth-retained topics-dbirth-mqtt payloads-dbirth-qos
  payloads-dbirth-retain message-flow-device-birth-publish-dbirth-qos
  message-flow-device-birth-publish-dbirth-retained topics-ddata-mqtt payloads-ddata-qos payloads-ddata-retain
  topics-ddeath-mqtt`,
  (t) => {
    const flags = of('NBIRTH', 'DBIRTH', 'DDATA', 'DDEATH').map(({ qos, retain }) => `${qos} ${retain}`);
    t.strictSame([...new Set(flags)], ['0 false']);
  },
);

rules(
  `message-flow-edge-node-birth-publish-will-message payloads-ndeath-will-message
  message-flow-edge-node-birth-publish-will-message-qos payloads-ndeath-will-message-qos
  message-flow-edge-node-birth-publish-will-message-will-retained payloads-ndeath-will-message-retain
  message-flow-edge-node-birth-publish-will-message-payload topics-ndeath-payload payloads-ndeath-seq`,
  (t) => {
    for (const { will } of observer.sessions) {
      t.match(will, { kind: 'NDEATH', qos: 1, retain: false, seq: undefined });
      t.match(will.metrics, [{ name: 'bdSeq', dataType: 4, value: { kind: 'long' } }]);
      t.equal(will.metrics.length, 1);
    }
  },
);

rules(
  `payloads-nbirth-bdseq payloads-nbirth-bdseq-repeat topics-nbirth-bdseq-included topics-nbirth-bdseq-matching
  payloads-ndeath-bdseq operational-behavior-data-commands-rebirth-action-3`,
  (t) => {
    for (const [index, { will, messages }] of observer.sessions.entries()) {
      const numbers = messages
        .filter(({ kind }) => kind === 'NBIRTH' || kind === 'NDEATH')
        .map((message) => named(message, 'bdSeq')?.value?.value);
      t.ok(numbers.length > 0);
      t.strictSame([...new Set([...numbers, named(will, 'bdSeq')?.value?.value])], [BigInt(index)]);
    }
  },
);

rules(
  `topics-nbirth-seq-num payloads-nbirth-seq payloads-sequence-num-req-nbirth
  message-flow-edge-node-birth-publish-nbirth-payload-seq`,
  (t) => {
    for (const { seq } of of('NBIRTH')) t.equal(seq, 0);
  },
);

rules(
  `payloads-sequence-num-always-included topics-dbirth-seq payloads-dbirth-seq payloads-dbirth-seq-inc
  topics-ddata-seq-num payloads-ddata-seq topics-ddeath-seq-num payloads-ddeath-seq payloads-ddeath-seq-inc
  payloads-ddeath-seq-number`,
  (t) => {
    for (const { messages } of observer.sessions) {
      const numbered = messages.filter(({ kind }) => kind !== 'NDEATH');
      t.ok(numbered.length > 3);
      for (const [index, { kind, seq }] of numbered.entries()) {
        const before = numbered[index - 1]?.seq ?? -1;
        t.equal(seq, kind === 'NBIRTH' ? 0 : (before + 1) % 256);
      }
    }
    t.ok(
      first.messages.some(({ seq }, index) => seq === 0 && index > 0),
      'the numbers start again',
    );
  },
);

rules(
  `payloads-nbirth-timestamp topics-nbirth-timestamp payloads-dbirth-timestamp topics-dbirth-timestamp
  payloads-ddata-timestamp topics-ddata-timestamp payloads-ddeath-timestamp payloads-name-birth-data-requirement`,
  (t) => {
    const isRecent = (timestamp: number | undefined) => Math.abs(Date.now() - (timestamp ?? 0)) < 3600_000;
    t.ok(all.every(({ timestamp }) => isRecent(timestamp)));
    t.ok(metricsOf(all).every(({ timestamp }) => isRecent(timestamp)));
  },
);

rules(
  `message-flow-edge-node-birth-publish-nbirth-payload message-flow-device-birth-publish-dbirth-payload`,
  (t) => {
    for (const { metrics } of births) t.ok(metrics.length > 0, 'the payload can be decoded');
  },
);

rules(
  `topics-nbirth-metrics topics-dbirth-metrics payloads-metric-datatype-req payloads-metric-datatype-value
  payloads-metric-datatype-value-type payloads-alias-birth-requirement`,
  (t) => {
    for (const { name, alias, dataType, value, isNull } of metricsOf(births)) {
      t.ok((name ?? '') !== '');
      t.ok(BASIC_TYPES.includes(dataType ?? 0));
      t.not(value === undefined, isNull !== true, `${name} has a value or is null`);
      t.equal(alias === undefined, name === 'Node Control/Rebirth');
    }
  },
);

rules(
  `operational-behavior-data-publish-nbirth-values operational-behavior-data-publish-dbirth-values`,
  (t) => {
    for (const { value, isNull } of metricsOf(births)) t.equal(isNull === true, value === undefined);
    const [, unknown] = first.messages;
    t.match(unknown && named(unknown, 'COUNT'), { isNull: true, value: undefined });
    const hall = first.messages.findLast(({ topic }) => topic === 'spBv1.0/plant/DBIRTH/box/hall');
    t.match(hall && named(hall, 'TEMPERATURE'), { value: { kind: 'double', value: 300 } });
    t.match(hall && named(hall, 'COUNT'), { quality: 0, value: { kind: 'long', value: 299n } });
    t.match(hall && named(hall, 'TEXT'), { value: { kind: 'string', value: 'grün' } });
  },
);

rules(`payloads-alias-uniqueness`, (t) => {
  for (const { messages } of observer.sessions) {
    const birth = messages.slice(0, 3);
    t.strictSame(kindsOf(birth), ['NBIRTH', 'DBIRTH', 'DBIRTH']);
    const aliases = metricsOf(birth).flatMap(({ alias }) => alias ?? []);
    t.equal(new Set(aliases).size, aliases.length);
  }
});

rules(
  `payloads-alias-data-cmd-requirement payloads-name-requirement payloads-metric-datatype-not-req
  topics-ddata-payload`,
  (t) => {
    const aliases = new Map<number | undefined, string>();
    for (const { kind, topic, metrics } of all)
      for (const { name, alias, dataType } of metrics) {
        if (kind === 'DBIRTH') aliases.set(alias, topic.replace('DBIRTH', 'DDATA'));
        if (kind !== 'DDATA') continue;
        t.equal(name, undefined);
        t.equal(dataType, undefined);
        t.equal(aliases.get(alias), topic, 'the alias is of a metric of this device');
      }
    t.equal(metricsOf(data).filter(({ value }) => value?.kind === 'double').length >= 150, true);
  },
);

rules(
  `payloads-nbirth-rebirth-req topics-nbirth-rebirth-metric operational-behavior-data-commands-rebirth-name
  operational-behavior-data-commands-rebirth-name-aliases operational-behavior-data-commands-rebirth-datatype
  operational-behavior-data-commands-rebirth-value`,
  (t) => {
    for (const message of of('NBIRTH'))
      t.match(named(message, 'Node Control/Rebirth'), {
        alias: undefined,
        dataType: 11,
        value: { kind: 'boolean', value: false },
      });
  },
);

rules(
  `operational-behavior-data-commands-rebirth-action-1 operational-behavior-data-commands-rebirth-action-2`,
  (t) => {
    const kinds = kindsOf(first.messages);
    const again = kinds.lastIndexOf('NBIRTH');
    t.ok(again > 3);
    t.strictSame(kinds.slice(again, again + 4), ['NBIRTH', 'DBIRTH', 'DBIRTH', 'DDATA']);
  },
);

rules(
  `message-flow-edge-node-birth-publish-connect message-flow-device-birth-publish-nbirth-wait
  payloads-dbirth-order payloads-ddata-order payloads-ndata-order principles-birth-certificates-order`,
  (t) => {
    for (const { messages } of observer.sessions) {
      t.strictSame(kindsOf(messages).slice(0, 3), ['NBIRTH', 'DBIRTH', 'DBIRTH']);
      t.equal(kindsOf(messages).findIndex((kind) => kind === 'DDATA') >= 3, true);
    }
  },
);

rules(`message-flow-edge-node-ncmd-subscribe message-flow-device-dcmd-subscribe`, (t) => {
  for (const { events } of observer.sessions) {
    const before = events.slice(
      0,
      events.findIndex((event) => typeof event === 'object' && 'kind' in event),
    );
    t.strictSame(before, [
      { filter: 'spBv1.0/plant/NCMD/box', qos: 1 },
      { filter: 'spBv1.0/plant/DCMD/box/lamp', qos: 1 },
    ]);
  }
});

rules(`operational-behavior-device-ddeath payloads-ddeath-timestamp`, (t) => {
  const kinds = first.messages.filter(({ topic }) => topic.endsWith('/lamp')).map(({ kind }) => kind);
  const death = kinds.indexOf('DDEATH');
  t.ok(death > 0);
  t.equal(kinds[death + 1], 'DBIRTH', 'no data until it is born again');
});

rules(
  `payloads-ndeath-will-message-publisher payloads-ndeath-will-message-publisher-disconnect-mqtt311
  operational-behavior-edge-node-intentional-disconnect-ndeath
  operational-behavior-edge-node-intentional-disconnect-packet`,
  (t) => {
    t.match(second.events.slice(-2), [{ kind: 'NDEATH', qos: 1, retain: false }, 'disconnect']);
  },
);

rules(`principles-persistence-clean-session-311`, (t) => {
  for (const { options } of observer.sessions) t.match(options, { version: 4, cleanSession: true });
});

rules(
  `principles-persistence-clean-session-50 payloads-ndeath-will-message-publisher-disconnect-mqtt50`,
  (t) => {
    for (const { options } of observer.sessions) t.equal(options.version, 4, 'MQTT 5 is not used');
  },
);

rules(
  `payloads-propertyset-keys-array-size payloads-propertyset-values-array-size
  payloads-propertyset-quality-value-type payloads-propertyset-quality-value-value
  payloads-metric-propertyvalue-type-type payloads-metric-propertyvalue-type-value
  payloads-metric-propertyvalue-type-req`,
  (t) => {
    const codes = new Set(metricsOf(all).flatMap((metric) => metric.quality ?? []));
    t.strictSame(
      [...codes].sort((a, b) => a - b),
      [0, 192, 500],
    );
    // One key, and one value of type 3: field 9 of the metric, with its bytes.
    const sets = data[0]?.bytes.includes(Buffer.from('4a100a075175616c6974791205080318c001', 'hex'));
    t.equal(sets, true);
  },
);

rules(`case-sensitivity-metric-names`, (t) => {
  for (const { metrics } of births) {
    const names = metrics.map(({ name }) => name?.toLowerCase());
    t.equal(new Set(names).size, names.length);
  }
});

/** The node has no values of its own, only those of its devices. */
rules(
  `topics-ndata-topic topics-ndata-timestamp topics-ndata-payload topics-ndata-seq-num topics-ndata-mqtt
  payloads-ndata-seq payloads-ndata-timestamp payloads-ndata-retain payloads-ndata-qos`,
  (t) => {
    t.strictSame(of('NDATA'), []);
    for (const { metrics } of of('NBIRTH'))
      t.strictSame(
        metrics.map(({ name }) => name),
        ['bdSeq', 'Node Control/Rebirth'],
      );
  },
);

/** Templates and data sets are not used: no metric has their type. */
rules(EDGE_RULES.filter((id) => /^payloads-(template|dataset)-/.test(id)).join(' '), (t) => {
  const types = new Set(metricsOf(births).map(({ dataType }) => dataType));
  t.notOk(types.has(16) || types.has(19));
  t.ok(metricsOf(data).every(({ value, isNull }) => isNull === true || value !== undefined));
});

t.test('every rule has a test', async (t) => {
  t.equal(EDGE_RULES.length, 161);
  t.strictSame(
    EDGE_RULES.filter((id) => !covered.has(id) && !isHostRule(id)),
    [],
  );
});
