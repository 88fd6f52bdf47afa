import { type Static, Type } from '@sinclair/typebox';
import { coded, type Text } from '../../../src/base/codes/coded-text.js';
import { moduleKind, type ModuleDefinition } from '../../../src/device/module.js';
import { withAdvancedHelp, withHelp } from '../../../src/device/toolkit/property-help.js';
import type { BridgeEnvironment, BridgeParts } from '../bridge.js';
import { brokerProperties, checkBroker, checkUrl } from '../mqtt/broker-properties.js';
import type { BrokerPort } from '../mqtt/broker-port.js';
import { bridgeVariables, queueProperties } from '../source/queue-properties.js';

const id = (standard: string) => Type.String({ default: standard, maxLength: 200 });

const properties = Type.Object({
  ...brokerProperties,
  MoreUrls: withAdvancedHelp(
    Type.Array(Type.String({ maxLength: 2000 }), { default: [], maxItems: 10 }),
    'Broker',
    'Addresses of further brokers, which are tried one after the other.',
  ),
  GroupID: withHelp(id('stellwerk'), 'Forwarding', 'The group of edge nodes that this one belongs to.'),
  EdgeNodeID: withHelp(id(''), 'Forwarding', 'The name of this edge node, unique within its group.'),
  PrimaryHostID: withAdvancedHelp(
    id(''),
    'Forwarding',
    'The host application that must be online before values are sent; empty for none.',
  ),
  Commands: withHelp(
    Type.Boolean({ default: false }),
    'Forwarding',
    'Whether clients of the broker may send commands to the forwarded variables.',
  ),
  ...queueProperties,
});
export type SparkplugProperties = Static<typeof properties>;

/** The module **Sparkplug Edge Node**: values as an edge node of Sparkplug B 3.0, with store and forward. */
export function sparkplugEdgeNode(
  brokers: BrokerPort,
  environment: BridgeEnvironment,
): ModuleDefinition<typeof properties> {
  return {
    id: '{7D2A90E6-B15C-4F83-A0C9-5E64D8B7132F}',
    name: 'Sparkplug Edge Node',
    description:
      'Forwards values as an edge node of Sparkplug B, and keeps them while no broker is available.',
    icon: 'Database',
    page: 'use/sparkplug.md',
    kind: moduleKind.device,
    prefix: 'MQTT',
    properties,
    variables: () => bridgeVariables,
    check: (checked) =>
      checkBroker(checked) ??
      checked.MoreUrls.map(checkUrl).find((error) => error !== undefined) ??
      checkIds(checked),
    async open(host) {
      const [{ Bridge }, { SparkplugSender }] = await Promise.all([
        import('../bridge.js'),
        import('./sparkplug-sender.js'),
      ]);
      const makeSender = (parts: BridgeParts) => new SparkplugSender(host, brokers, parts);
      return Bridge.open(host, { kind: 'sparkplug', environment }, makeSender);
    },
  };
}

function checkIds({ GroupID, EdgeNodeID, PrimaryHostID }: SparkplugProperties): Text | undefined {
  if (GroupID === '' || EdgeNodeID === '')
    return coded`SPARKPLUG_ID_EMPTY: GroupID and EdgeNodeID must be set`;
  const invalid = [GroupID, EdgeNodeID, PrimaryHostID].find(
    (one) => /[+#/\0]/.test(one) || !one.isWellFormed(),
  );
  return invalid === undefined
    ? undefined
    : coded`SPARKPLUG_ID_INVALID: the id ${invalid} must not contain +, # or /`;
}
