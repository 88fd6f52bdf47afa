import { type Static, Type } from '@sinclair/typebox';
import { coded, type Text } from '../../../src/base/codes/coded-text.js';
import { moduleKind, variableType, type ModuleDefinition } from '../../../src/device/module.js';
import { enumProperty } from '../../../src/device/toolkit/enum-property.js';
import { withAdvancedHelp, withHelp } from '../../../src/device/toolkit/property-help.js';
import { mqttFlow } from '../subscription-router.js';
import { validateTopic } from '../topic-filter.js';
import { discoveryFlow } from './discovery-flow.js';
import type { DiscoveryHub } from './discovery-hub.js';

const ADOPT_RULES = ['none', 'listed', 'all'] as const;

const names = () => Type.Array(Type.String({ maxLength: 1000 }), { default: [], maxItems: 1000 });

const properties = Type.Object({
  Prefix: withHelp(
    Type.String({ default: 'homeassistant', minLength: 1, maxLength: 200 }),
    'Discovery',
    'The first part of the topics on which devices announce themselves.',
  ),
  Adopt: withHelp(
    enumProperty(ADOPT_RULES, 'none'),
    'Discovery',
    'Which devices become instances automatically: none, those in Devices, or all.',
  ),
  Devices: withHelp(
    names(),
    'Discovery',
    'Names or identifiers of devices that become instances if Adopt is listed; * is any text.',
  ),
  Ignore: withAdvancedHelp(
    names(),
    'Discovery',
    'Names or identifiers of devices that never become instances automatically; * is any text.',
  ),
  PublishBirth: withHelp(
    Type.Boolean({ default: true }),
    'Discovery',
    'Whether the gateway publishes online after connecting, so that devices announce themselves and their states.',
  ),
  StatusTopic: withAdvancedHelp(
    Type.String({ default: '', maxLength: 1000 }),
    'Discovery',
    'Where online is published; status below the prefix if empty.',
  ),
  Tasmota: withHelp(
    Type.Boolean({ default: true }),
    'Discovery',
    'Whether to find devices with Tasmota by their own announcements.',
  ),
  Shelly: withHelp(
    Type.Boolean({ default: true }),
    'Discovery',
    'Whether to find Shelly devices of generation 2 and later, which reply to requests.',
  ),
});
export type DiscoveryProperties = Static<typeof properties>;

/** The module **MQTT Discovery**: the devices that announce themselves to a broker. */
export function mqttDiscovery(): ModuleDefinition<typeof properties> {
  const open = new Set<DiscoveryHub>();
  return {
    id: '{C2F0B0A7-5D1E-4B7A-9E35-7A4C1D8E6F03}',
    name: 'MQTT Discovery',
    description: 'Finds the devices that announce themselves to an MQTT broker.',
    icon: 'Database',
    page: 'hardware/mqtt-discovery.md',
    kind: moduleKind.configurator,
    prefix: 'MQTT',
    properties,
    requires: mqttFlow,
    provides: discoveryFlow,
    variables: () => [
      { ident: 'FOUND', name: 'Found', type: variableType.integer, role: 'diagnostic', position: 1 },
    ],
    findHardware: async () => [...open].flatMap((hub) => hub.items()),
    check,
    async open(host) {
      const { openDiscovery } = await import('./open-discovery.js');
      return openDiscovery(host, open);
    },
  };
}

function check({ Prefix, StatusTopic }: DiscoveryProperties): Text | undefined {
  const prefixError = validateTopic(Prefix);
  if (prefixError !== undefined) return coded`PREFIX_INVALID: Prefix: ${prefixError}`;
  const error = StatusTopic === '' ? undefined : validateTopic(StatusTopic);
  return error === undefined ? undefined : coded`STATUS_TOPIC_INVALID: StatusTopic: ${error}`;
}
