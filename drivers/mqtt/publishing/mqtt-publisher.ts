import { type Static, Type } from '@sinclair/typebox';
import { coded, type Text } from '../../../src/base/codes/coded-text.js';
import { moduleKind, variableType, type ModuleDefinition } from '../../../src/device/module.js';
import { withAdvancedHelp, withHelp } from '../../../src/device/toolkit/property-help.js';
import { mqttFlow } from '../subscription-router.js';
import { validateTopic } from '../topic-filter.js';

const properties = Type.Object({
  Paths: withHelp(
    Type.Array(Type.String({ minLength: 1, maxLength: 1000 }), { default: [], maxItems: 1000 }),
    'Publishing',
    'Ident paths of the objects that appear in Home Assistant, with everything below them.',
  ),
  Rules: withHelp(
    Type.Boolean({ default: true }),
    'Publishing',
    'Whether the rule publish of an object also counts: home-assistant adds the object, none leaves it out.',
  ),
  Prefix: withAdvancedHelp(
    Type.String({ default: 'homeassistant', minLength: 1, maxLength: 200 }),
    'Publishing',
    'The first part of the topics on which devices are announced.',
  ),
  Topic: withAdvancedHelp(
    Type.String({ default: 'stellwerk', minLength: 1, maxLength: 200 }),
    'Publishing',
    'The first part of the topics of states and commands.',
  ),
});
export type PublisherProperties = Static<typeof properties>;

/** The module **MQTT Publisher**: parts of the tree as devices of Home Assistant. */
export const mqttPublisher: ModuleDefinition<typeof properties> = {
  id: '{5E1B7D0C-93A4-4F0E-8A61-2D7C9B5F4E18}',
  name: 'MQTT Publisher',
  description: 'Publishes parts of the tree to an MQTT broker, as devices of Home Assistant.',
  icon: 'Database',
  page: 'hardware/mqtt-publisher.md',
  kind: moduleKind.device,
  prefix: 'MQTT',
  properties,
  requires: mqttFlow,
  variables: () => [
    { ident: 'PUBLISHED', name: 'Published', type: variableType.integer, role: 'diagnostic', position: 1 },
  ],
  check,
  async open(host) {
    const { Publisher } = await import('./publisher.js');
    const publisher = new Publisher(host, host.parent(mqttFlow));
    try {
      await publisher.start();
      return publisher;
    } catch (thrown) {
      await publisher.close();
      throw thrown;
    }
  },
};

function check({ Prefix, Topic }: PublisherProperties): Text | undefined {
  const prefixError = validateTopic(Prefix);
  if (prefixError !== undefined) return coded`PREFIX_INVALID: Prefix: ${prefixError}`;
  const topicError = validateTopic(Topic);
  return topicError === undefined ? undefined : coded`TOPIC_INVALID: Topic: ${topicError}`;
}
