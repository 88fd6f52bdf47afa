import { type Static, Type } from '@sinclair/typebox';
import { coded } from '../../../src/base/codes/coded-text.js';
import { moduleKind, type ModuleDefinition } from '../../../src/device/module.js';
import { withHelp } from '../../../src/device/toolkit/property-help.js';
import type { BridgeEnvironment } from '../bridge.js';
import { brokerProperties, checkBroker } from '../mqtt/broker-properties.js';
import type { BrokerPort } from '../mqtt/broker-port.js';
import { bridgeVariables, queueProperties } from '../source/queue-properties.js';

const properties = Type.Object({
  ...brokerProperties,
  Topic: withHelp(
    Type.String({ default: 'stellwerk', minLength: 1, maxLength: 200 }),
    'Forwarding',
    'The first part of all topics. It must be different for each gateway at a broker.',
  ),
  Commands: withHelp(
    Type.Boolean({ default: false }),
    'Forwarding',
    'Whether clients of the broker may send commands to the forwarded variables.',
  ),
  ...queueProperties,
});
export type JsonBridgeProperties = Static<typeof properties>;

/** The module **MQTT Bridge**: values as JSON at a broker, with store and forward. */
export function mqttBridge(
  brokers: BrokerPort,
  environment: BridgeEnvironment,
): ModuleDefinition<typeof properties> {
  return {
    id: '{0B6E2C7A-54D1-4E6B-9C0D-7F3A18E2B5C4}',
    name: 'MQTT Bridge',
    description: 'Forwards values to an MQTT broker as JSON, and keeps them while it is not available.',
    icon: 'Database',
    page: 'use/bridge.md',
    kind: moduleKind.device,
    prefix: 'MQTT',
    properties,
    variables: () => bridgeVariables,
    check(checked) {
      const isTopic = !/[+#\0]/.test(checked.Topic) && !checked.Topic.startsWith('$');
      if (!isTopic)
        return coded`TOPIC_CONTAINS_WILDCARDS_GIVE: the topic ${checked.Topic} contains wildcards; give a single topic`;
      return checkBroker(checked);
    },
    async open(host) {
      const [{ Bridge }, { JsonSender }] = await Promise.all([
        import('../bridge.js'),
        import('./json-sender.js'),
      ]);
      return Bridge.open(
        host,
        { kind: 'json', environment },
        (parts) => new JsonSender(host, brokers, parts),
      );
    },
  };
}
