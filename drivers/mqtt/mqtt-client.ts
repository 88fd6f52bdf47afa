import { coded, type Text } from '../../src/base/codes/coded-text.js';
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
import { withAdvancedHelp, withHelp } from '../../src/device/toolkit/property-help.js';

/** How long publishing the offline message may take before the connection is closed without it. */
const OFFLINE_MESSAGE_TIMEOUT_MS = 1_000;

const file = () => Type.String({ default: '', maxLength: 4096, refers: referenceKind.file });

const properties = Type.Object({
  Url: withHelp(
    Type.String({ default: '', maxLength: 2000 }),
    'Broker',
    'The address of the broker: mqtt://host or mqtts://host for TLS.',
  ),
  ClientID: withAdvancedHelp(
    Type.String({ default: '', maxLength: 256 }),
    'Broker',
    'The name under which the broker knows this client; generated if empty.',
  ),
  UserName: withHelp(Type.String({ default: '', maxLength: 1000 }), 'Broker', 'The user name at the broker.'),
  Password: withHelp(
    Type.String({ default: '', maxLength: 1000, secret: true }),
    'Broker',
    'The password at the broker.',
  ),
  KeepAliveInterval: withAdvancedHelp(
    Type.Integer({ default: 30, minimum: 5, maximum: 65_535 }),
    'Broker',
    'The client sends something at least this often, in seconds.',
  ),
  ProtocolVersion: withAdvancedHelp(
    Type.Integer({ default: 4, minimum: 4, maximum: 5 }),
    'Broker',
    '4 is MQTT 3.1.1, 5 is MQTT 5.',
  ),
  CleanSession: withAdvancedHelp(
    Type.Boolean({ default: true }),
    'Broker',
    'If off, the broker queues messages while the gateway is disconnected.',
  ),
  CaFile: withAdvancedHelp(
    file(),
    'TLS',
    'A PEM file with the authorities that may have issued the certificate of the broker.',
  ),
  CertificateFile: withAdvancedHelp(file(), 'TLS', 'A PEM file with the certificate of this client.'),
  KeyFile: withAdvancedHelp(file(), 'TLS', 'A PEM file with the key of this client.'),
  WillTopic: withAdvancedHelp(
    Type.String({ default: '', maxLength: 1000 }),
    'Last will',
    'The topic on which the broker reports that the connection to the gateway is lost.',
  ),
  WillPayload: withAdvancedHelp(
    Type.String({ default: 'offline', maxLength: 10_000 }),
    'Last will',
    'What the broker publishes then.',
  ),
  WillQoS: withAdvancedHelp(
    Type.Integer({ default: 1, minimum: 0, maximum: 2 }),
    'Last will',
    'The quality of service of the will.',
  ),
  WillRetain: withAdvancedHelp(
    Type.Boolean({ default: true }),
    'Last will',
    'Whether the broker keeps the will for later subscribers.',
  ),
  BirthPayload: withAdvancedHelp(
    Type.String({ default: 'online', maxLength: 10_000 }),
    'Last will',
    'What the gateway publishes on the same topic after connecting.',
  ),
  Subscriptions: withAdvancedHelp(
    Type.Array(Type.String({ maxLength: 1000 }), { default: [], maxItems: 100 }),
    'Broker',
    'More topics to subscribe to, so that the list of known devices contains them.',
  ),
});
type Properties = Static<typeof properties>;

const MODULE = { id: '{F7A0DD2E-7684-95C0-64C2-D2A9DC47577B}', name: 'MQTT Client' } as const;

const PROTOCOLS: readonly string[] = ['mqtt:', 'mqtts:', 'ws:', 'wss:'];
const SECURE: readonly string[] = ['mqtts:', 'wss:'];

/** The module **MQTT Client**: the connection to one broker, for the devices connected to it. */
export function mqttClient(brokers: BrokerConnector): ModuleDefinition<typeof properties> {
  return {
    ...MODULE,
    description: 'The connection to an MQTT broker.',
    icon: 'Database',
    page: 'hardware/mqtt.md',
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

function check(checked: Properties): Text | undefined {
  const { Url, ClientID, CleanSession, CaFile, CertificateFile, KeyFile, WillTopic, Subscriptions } = checked;
  if (Url === '')
    return coded`URL_EMPTY: Url is empty: give the address of the broker, like mqtt://192.168.1.2:1883`;
  if (!URL.canParse(Url))
    return coded`URL_INVALID: Url ${Url} is not a URL; use the form mqtt://192.168.1.2:1883`;
  const { protocol, username, password, hostname } = new URL(Url);
  if (!PROTOCOLS.includes(protocol) || hostname === '') {
    return coded`URL_NOT_MQTT: Url ${Url} must begin with mqtt://, mqtts://, ws:// or wss:// and name a host`;
  }
  if (username !== '' || password !== '') {
    return coded`URL_WITH_LOGIN: Url must not contain a user name or password; set UserName and Password`;
  }
  if (!CleanSession && ClientID === '')
    return coded`CLIENT_ID_REQUIRED: ClientID must be set if CleanSession is false: the broker identifies the session by it`;
  if ((CertificateFile === '') !== (KeyFile === ''))
    return coded`CERTIFICATE_AND_KEY_TOGETHER: CertificateFile and KeyFile must be set together`;
  if (CaFile + KeyFile !== '' && !SECURE.includes(protocol)) {
    return coded`CERTIFICATE_WITHOUT_TLS: CaFile and CertificateFile only apply to mqtts:// and wss:// URLs`;
  }
  const topicError = WillTopic === '' ? undefined : validateTopic(WillTopic);
  if (topicError !== undefined) return coded`WILL_TOPIC_INVALID: WillTopic: ${topicError}`;
  return Subscriptions.map(validateFilter).find((error) => error !== undefined);
}

async function open(host: Host<Properties>, brokers: BrokerConnector): Promise<OpenInstance> {
  const { properties: settings } = host;
  const topics = new SubscriptionRouter(host, {
    hasSession: !settings.CleanSession,
    ...(settings.WillTopic !== '' && {
      connectionTopic: {
        topic: settings.WillTopic,
        available: settings.BirthPayload,
        notAvailable: settings.WillPayload,
      },
    }),
    openSecondaryConnection: (secondary) => {
      const { will: _will, ...options } = connectOptions(host);
      return brokers.connect(
        { ...options, clientId: generateClientId(host.id), cleanSession: true },
        secondary,
        host.signal,
      );
    },
  });
  const connection = await brokers.connect(connectOptions(host), topics, host.signal);
  topics.attach(connection);
  const say = (payload: string) =>
    topics.publish(settings.WillTopic, payload, {
      qos: settings.WillQoS as QoS,
      retain: settings.WillRetain,
    });
  try {
    if (settings.WillTopic !== '' && settings.BirthPayload !== '') {
      await say(settings.BirthPayload);
      repeatBirth(host, topics, say);
    }
    for (const filter of settings.Subscriptions) observe({ host, topics }, filter, () => undefined);
  } catch (thrown) {
    await connection.close();
    throw thrown;
  }
  return {
    provided: topics,
    knownDevices: () => topics.knownTopics(),
    async close() {
      // After a graceful disconnect the broker does not publish the will, so we publish it ourselves.
      if (settings.WillTopic !== '') {
        const timeout = new Promise((resolve) =>
          host.clock.after(OFFLINE_MESSAGE_TIMEOUT_MS, () => resolve(undefined)),
        );
        const published = say(settings.WillPayload).catch(() => undefined); // we disconnect either way
        await Promise.race([published, timeout]);
      }
      await connection.close();
    },
  };
}

/** At most 23 letters and digits, which every broker must accept [MQTT-3.1.3-5]. */
function generateClientId(id: number): string {
  return `stellwerk${id}x${crypto.randomUUID().slice(0, 8)}`;
}

function connectOptions({ id, properties: settings }: Host<Properties>): ConnectOptions {
  const { WillTopic, WillPayload, WillQoS, WillRetain } = settings;
  return {
    url: settings.Url,
    clientId: settings.ClientID === '' ? generateClientId(id) : settings.ClientID,
    userName: settings.UserName,
    password: settings.Password,
    keepAliveS: settings.KeepAliveInterval,
    version: settings.ProtocolVersion as 4 | 5,
    cleanSession: settings.CleanSession,
    caFile: settings.CaFile,
    certificateFile: settings.CertificateFile,
    keyFile: settings.KeyFile,
    ...(WillTopic === ''
      ? {}
      : { will: { topic: WillTopic, payload: WillPayload, qos: WillQoS as QoS, retain: WillRetain } }),
  };
}

/**
 * Publishes BirthPayload again when WillPayload arrives. If the network was interrupted, the broker notices up to
 * 1.5 keep-alive intervals later, when the gateway has reconnected, and then publishes the will of the earlier
 * connection, which would stay.
 */
function repeatBirth(
  host: Host<Properties>,
  topics: SubscriptionRouter,
  say: (payload: string) => Promise<void>,
): void {
  const { WillTopic, WillPayload, BirthPayload } = host.properties;
  if (BirthPayload === WillPayload) return;
  let last: string | undefined;
  let isPublishing = false;
  const repeat = async () => {
    isPublishing = true;
    // While closing, it is our own offline message.
    while (last === WillPayload && !host.signal.aborted) {
      last = undefined;
      await say(BirthPayload);
    }
    isPublishing = false;
  };
  observe({ host, topics }, WillTopic, ({ text }) => {
    last = text;
    if (!isPublishing) repeat().catch(() => undefined); // the connection is lost, and the next one publishes it
  });
}

interface Observer {
  readonly host: Host;
  readonly topics: SubscriptionRouter;
}

function observe({ host, topics }: Observer, filter: string, listener: (message: Message) => void): void {
  topics
    .subscribe(host, { filter, qos: 0 }, listener)
    .ready.catch((thrown: unknown) =>
      host.log.warn({ instance: host.id, filter, err: thrown }, 'subscription failed'),
    );
}
