import { type Static, Type } from '@sinclair/typebox';
import {
  moduleKind,
  type Host,
  type ModuleDefinition,
  referenceKind,
  type OpenInstance,
} from '../../src/device/module.js';
import type { BrokerConnector, ConnectOptions, QoS } from './broker.js';
import { validateFilter, validateTopic } from './topic-filter.js';
import { mqttFunctions } from './client-functions.js';
import type { Message } from './message.js';
import { SubscriptionRouter, mqttFlow } from './subscription-router.js';

/** How long the last word may take before the connection is closed without it. */
const OFFLINE_MESSAGE_TIMEOUT_MS = 1_000;

const file = () => Type.String({ default: '', maxLength: 4096, refers: referenceKind.file });

const properties = Type.Object({
  /** `mqtt://host:1883`, `mqtts://host:8883`, `ws://host/path`, `wss://host/path`. */
  Url: Type.String({ default: '', maxLength: 2000 }),
  /** Empty: a new one at every connection. */
  ClientID: Type.String({ default: '', maxLength: 256 }),
  UserName: Type.String({ default: '', maxLength: 1000 }),
  Password: Type.String({ default: '', maxLength: 1000, secret: true }),
  /** Seconds; a broker that went silent is noticed after one and a half of them. */
  KeepAliveInterval: Type.Integer({ default: 30, minimum: 5, maximum: 65_535 }),
  /** 4 is MQTT 3.1.1. */
  ProtocolVersion: Type.Integer({ default: 4, minimum: 4, maximum: 5 }),
  /** False: the broker keeps messages for us while we are away. */
  CleanSession: Type.Boolean({ default: true }),
  /** PEM files: whom to trust, and who we are. */
  CaFile: file(),
  CertificateFile: file(),
  KeyFile: file(),
  /** What the broker publishes when we are gone without leave; we publish BirthPayload there when we come. */
  WillTopic: Type.String({ default: '', maxLength: 1000 }),
  WillPayload: Type.String({ default: 'offline', maxLength: 10_000 }),
  WillQoS: Type.Integer({ default: 1, minimum: 0, maximum: 2 }),
  WillRetain: Type.Boolean({ default: true }),
  BirthPayload: Type.String({ default: 'online', maxLength: 10_000 }),
  /** Filters to listen to beside the devices', so that `MQTT_GetKnownDevices` shows what is there. */
  Subscriptions: Type.Array(Type.String({ maxLength: 1000 }), { default: [], maxItems: 100 }),
});
type Properties = Static<typeof properties>;

const MODULE = { id: '{F7A0DD2E-7684-95C0-64C2-D2A9DC47577B}', name: 'MQTT Client' } as const;

const PROTOCOLS: readonly string[] = ['mqtt:', 'mqtts:', 'ws:', 'wss:'];
const SECURE: readonly string[] = ['mqtts:', 'wss:'];

/** The module **MQTT Client**: the connection to one broker, for the devices connected to it. */
export function mqttClient(brokers: BrokerConnector): ModuleDefinition<typeof properties> {
  return {
    ...MODULE,
    kind: moduleKind.io,
    prefix: 'MQTT',
    properties,
    variables: () => [],
    provides: mqttFlow,
    check,
    functions: (instances) => mqttFunctions(instances, MODULE),
    open: (host) => open(host, brokers),
  };
}

function check(checked: Properties): string | undefined {
  const { Url, ClientID, CleanSession, CaFile, CertificateFile, KeyFile, WillTopic, Subscriptions } = checked;
  if (Url === '') return 'Url is empty: give the address of the broker, like mqtt://192.168.1.2:1883';
  if (!URL.canParse(Url)) return `Url ${Url} is no address; write it like mqtt://192.168.1.2:1883`;
  const { protocol, username, password, hostname } = new URL(Url);
  if (!PROTOCOLS.includes(protocol) || hostname === '') {
    return `Url ${Url} must begin with mqtt://, mqtts://, ws:// or wss:// and name a host`;
  }
  if (username !== '' || password !== '') {
    return 'Url must not hold a user or a password; set UserName and Password';
  }
  if (!CleanSession && ClientID === '')
    return 'without CleanSession a ClientID must be set: the broker knows us by it';
  if ((CertificateFile === '') !== (KeyFile === '')) return 'CertificateFile and KeyFile go together';
  if (CaFile + KeyFile !== '' && !SECURE.includes(protocol)) {
    return 'CaFile and CertificateFile are of use with mqtts:// and wss:// only';
  }
  if (WillTopic !== '' && validateTopic(WillTopic) !== undefined)
    return `WillTopic: ${validateTopic(WillTopic)}`;
  return Subscriptions.map(validateFilter).find((mistake) => mistake !== undefined);
}

async function open(host: Host<Properties>, brokers: BrokerConnector): Promise<OpenInstance> {
  const { properties: wished } = host;
  const topics = new SubscriptionRouter({
    clock: host.clock,
    log: host.log,
    hasSession: !wished.CleanSession,
    onSent: (topic, payload) => host.debug('sent', payload, topic),
    onStalled: (cause) => host.reportLost(cause),
    openSecondaryConnection: (asker) => {
      const { will: _will, ...options } = connectOptions(host);
      return brokers.connect(
        { ...options, clientId: generateClientId(host.id), cleanSession: true },
        asker,
        host.signal,
      );
    },
    signal: host.signal,
  });
  const listener = {
    onMessage: (message: Message) => {
      host.debug('received', message.payload, message.topic);
      topics.dispatch(message);
    },
    onLost: (cause: Error) => host.reportLost(cause),
  };
  const connection = await brokers.connect(connectOptions(host), listener, host.signal);
  topics.attach(connection);
  const say = (payload: string) =>
    topics.publish(wished.WillTopic, payload, { qos: wished.WillQoS as QoS, retain: wished.WillRetain });
  try {
    if (wished.WillTopic !== '' && wished.BirthPayload !== '') await say(wished.BirthPayload);
    for (const filter of wished.Subscriptions) observeTopics(host, topics, filter);
  } catch (thrown) {
    await connection.close();
    throw thrown;
  }
  return {
    provided: topics,
    knownDevices: () => topics.knownTopics(),
    async close() {
      // A leave that is taken keeps the broker from publishing the will, so we say it ourselves.
      if (wished.WillTopic !== '') {
        const late = new Promise((resolve) =>
          host.clock.after(OFFLINE_MESSAGE_TIMEOUT_MS, () => resolve(undefined)),
        );
        await Promise.race([say(wished.WillPayload).catch(() => undefined), late]);
      }
      await connection.close();
    },
  };
}

/** At most 23 letters and digits, which every broker must take [MQTT-3.1.3-5]. */
function generateClientId(id: number): string {
  return `stellwerk${id}x${crypto.randomUUID().slice(0, 8)}`;
}

function connectOptions({ id, properties: wished }: Host<Properties>): ConnectOptions {
  const { WillTopic, WillPayload, WillQoS, WillRetain } = wished;
  return {
    url: wished.Url,
    clientId: wished.ClientID === '' ? generateClientId(id) : wished.ClientID,
    userName: wished.UserName,
    password: wished.Password,
    keepAliveS: wished.KeepAliveInterval,
    version: wished.ProtocolVersion as 4 | 5,
    cleanSession: wished.CleanSession,
    caFile: wished.CaFile,
    certificateFile: wished.CertificateFile,
    keyFile: wished.KeyFile,
    ...(WillTopic === ''
      ? {}
      : { will: { topic: WillTopic, payload: WillPayload, qos: WillQoS as QoS, retain: WillRetain } }),
  };
}

/** Listens only to have the topics known. */
function observeTopics(host: Host, topics: SubscriptionRouter, filter: string): void {
  topics
    .subscribe(filter, 0, () => undefined)
    .ready.catch((thrown: unknown) =>
      host.log.warn({ instance: host.id, filter, err: thrown }, 'not subscribed'),
    );
}
