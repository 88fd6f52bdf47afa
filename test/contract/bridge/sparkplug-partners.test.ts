/**
 * All messages of a session of an edge node, read by other decoders; and the rules of Sparkplug 3.0 for edge nodes
 * that the official kit does not test, by id.
 */
import { createRequire } from 'node:module';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import type { Metric } from '../../../drivers/bridge/sparkplug/payload.js';
import { sparkplugEdgeNode } from '../../../drivers/bridge/sparkplug/sparkplug-edge-node.js';
import { PACKAGE_ROOT } from '../../../src/base/package-root.js';
import { joined, protocAgain } from '../../tools/bridge/protoc.js';
import { environmentIn } from '../../tools/bridge/bridge-fixture.js';
import { rehearse } from '../../tools/bridge/sparkplug-node.js';
import type { ObservedMessage, SparkplugObserver } from '../../tools/bridge/sparkplug-observer.js';
import { hasProgram } from '../../tools/program.js';
import { tempDirectory } from '../../tools/temp-directory.js';

const observer = await (async () => {
  let done: SparkplugObserver | undefined;
  await t.test('a session', async (t) => void (done = await rehearse(t)));
  return done as unknown as SparkplugObserver;
})();
const all = observer.sessions.flatMap(({ will, messages }) => [will, ...messages]);
const of = (...kinds: string[]): ObservedMessage[] => all.filter(({ kind }) => kinds.includes(kind));
const metricsOf = (messages: readonly ObservedMessage[]): Metric[] =>
  messages.flatMap(({ metrics }) => metrics);

const skip = hasProgram('protoc') ? false : 'protoc is not installed (Debian package protobuf-compiler)';
t.test('protoc reads each field of all messages, and writes the same bytes', { skip }, async (t) => {
  const payloads = all.map(({ bytes }) => bytes);
  t.ok(payloads.length > 300);
  const { text, bytes } = protocAgain(payloads, await tempDirectory(t));
  t.notMatch(text, /^\s*\d+:/m, 'there is no unknown field');
  t.ok(bytes.equals(joined(payloads)));
});

/** As `sparkplug-payload` decodes it, as far as it is compared. */
interface PartnerPayload {
  readonly timestamp?: { toNumber(): number };
  readonly seq?: { toNumber(): number };
  readonly metrics: readonly {
    readonly name?: string;
    readonly alias?: { toNumber(): number };
    readonly timestamp?: { toNumber(): number };
    readonly isHistorical?: boolean;
    readonly type?: string;
    readonly value: unknown;
    readonly properties?: { readonly Quality?: { readonly value: number; readonly type: string } };
  }[];
}

/** Where `.ci/run` installs it: its licence (EPL-2.0) is not one of those of our dependencies. */
const PARTNERS = join(PACKAGE_ROOT, 'build/partners');

/** Undefined if it is not installed. */
function partner(): { decodePayload(bytes: Buffer): PartnerPayload } | undefined {
  try {
    const { get } = createRequire(join(PARTNERS, 'package.json'))('sparkplug-payload') as {
      get(name: string): never;
    };
    return get('spBv1.0');
  } catch {
    return undefined;
  }
}

const TYPES: Readonly<Record<number, string>> = { 4: 'Int64', 10: 'Double', 11: 'Boolean', 12: 'String' };
const decoder = partner();
const without =
  decoder === undefined &&
  'sparkplug-payload is not installed (npm install --prefix build/partners sparkplug-payload)';
t.test('sparkplug-payload reads all messages', { skip: without }, async (t) => {
  for (const message of all) {
    const payload = decoder?.decodePayload(message.bytes);
    t.equal(payload?.timestamp?.toNumber(), message.timestamp);
    t.equal(payload?.seq?.toNumber(), message.seq);
    t.equal(payload?.metrics.length, message.metrics.length);
    for (const [index, metric] of message.metrics.entries()) {
      const read = payload?.metrics[index];
      t.equal(read?.name || undefined, metric.name);
      t.equal(read?.alias?.toNumber(), metric.alias);
      t.equal(read?.timestamp?.toNumber(), metric.timestamp);
      t.equal(read?.properties?.Quality?.value, metric.quality);
      if (metric.dataType === undefined) continue;
      // It reads values by their type, which data messages do not have.
      t.equal(read?.type, TYPES[metric.dataType]);
      t.equal(String(read?.value ?? null), String(metric.value?.value ?? null));
    }
  }
});

function rules(ids: string, check: (t: Test) => void | Promise<void>): void {
  for (const id of ids.trim().split(/\s+/)) void t.test(id, async (t) => check(t));
}

rules(
  `intro-edge-node-id-string intro-edge-node-id-chars topic-structure-namespace-valid-edge-node-id`,
  async (t) => {
    const { check } = sparkplugEdgeNode(observer, environmentIn(await tempDirectory(t)));
    const rejected = (EdgeNodeID: string) =>
      String(
        check?.({
          Url: 'mqtt://a',
          MoreUrls: [],
          CaFile: '',
          CertificateFile: '',
          KeyFile: '',
          GroupID: 'g',
          EdgeNodeID,
          PrimaryHostID: '',
        } as never),
      );
    t.equal(rejected('büro 7'), 'undefined');
    for (const id of ['', 'a+', 'a/b', '#', 'a\0', '\ud800'])
      t.match(rejected(id), /EdgeNodeID|id/, JSON.stringify(id));
  },
);

rules(
  `topics-nbirth-bdseq-increment message-flow-edge-node-birth-publish-will-message-payload-bdSeq
  message-flow-edge-node-birth-publish-nbirth-payload-bdSeq`,
  (t) => {
    const numbers = observer.sessions.map(({ will }) => will.metrics[0]?.value?.value);
    t.strictSame(numbers, [0n, 1n]);
    for (const { will, messages } of observer.sessions)
      for (const { metrics } of messages.filter(({ kind }) => kind === 'NBIRTH'))
        t.match(
          metrics.find(({ name }) => name === 'bdSeq'),
          { dataType: 4, value: will.metrics[0]?.value },
        );
  },
);

rules(
  `payloads-sequence-num-incrementing payloads-ddata-seq-inc payloads-ndata-seq-inc
  message-flow-device-birth-publish-dbirth-payload-seq`,
  (t) => {
    for (const { messages } of observer.sessions) {
      let last: number | undefined;
      for (const { kind, seq } of messages.filter((message) => message.kind !== 'NDEATH')) {
        t.equal(seq, kind === 'NBIRTH' ? 0 : ((last ?? NaN) + 1) % 256);
        last = seq;
      }
    }
  },
);

rules(
  `topics-nbirth-metric-reqs topics-dbirth-metric-reqs operational-behavior-data-publish-nbirth
  operational-behavior-data-publish-dbirth`,
  (t) => {
    for (const { messages } of observer.sessions) {
      const born = new Set<number | undefined>();
      for (const { kind, metrics } of messages)
        for (const { alias } of metrics) {
          if (kind.endsWith('BIRTH')) born.add(alias);
          if (kind.endsWith('DATA')) t.ok(born.has(alias));
        }
    }
  },
);

rules(
  `operational-behavior-data-publish-dbirth-change operational-behavior-data-publish-nbirth-change`,
  (t) => {
    // The session sets 300 values, and four more: each is one metric of one message.
    t.equal(metricsOf(of('DDATA')).filter(({ value }) => value?.kind === 'double').length, 151);
    t.strictSame(of('NDATA'), []);
  },
);

rules(
  `operational-behavior-data-publish-dbirth-order operational-behavior-data-publish-nbirth-order`,
  (t) => {
    const last = new Map<number | undefined, number>();
    for (const { metrics } of of('DDATA'))
      for (const { alias, timestamp = 0, isHistorical } of metrics) {
        if (isHistorical === true) continue;
        t.ok(timestamp >= (last.get(alias) ?? 0));
        last.set(alias, timestamp);
      }
  },
);

rules(`payloads-timestamp-in-UTC payloads-metric-timestamp-in-UTC`, (t) => {
  const nowMs = Date.now();
  for (const { timestamp, metrics } of all)
    for (const at of [timestamp, ...metrics.map((metric) => metric.timestamp)])
      t.ok(at !== undefined && Math.abs(nowMs - at) < 3600_000);
});

rules(
  `topic-structure-namespace-unique-edge-node-descriptor intro-edge-node-id-uniqueness
  payloads-nbirth-edge-node-descriptor topic-structure-namespace-duplicate-device-id-across-edge-node`,
  (t) => {
    // The names are those of the configuration, and the same in all messages.
    const nodes = new Set(
      all.map(({ topic }) =>
        topic
          .split('/')
          .filter((_, n) => n === 1 || n === 3)
          .join(' '),
      ),
    );
    t.strictSame([...nodes], ['plant box']);
  },
);
