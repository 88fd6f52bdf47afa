import { Type, type Static } from '@sinclair/typebox';
import { coded, type Text } from '../../../src/base/codes/coded-text.js';
import { moduleKind, type ModuleDefinition } from '../../../src/device/module.js';
import { byteStream } from '../../../src/device/byte-stream.js';
import { enumProperty } from '../../../src/device/toolkit/enum-property.js';
import { withHelp } from '../../../src/device/toolkit/property-help.js';
import type { MapCatalog } from '../maps/map-catalog.js';

const properties = Type.Object({
  Protocol: withHelp(enumProperty(['TCP', 'RTU'], 'TCP'), 'Unit', 'The protocol of the clients.'),
  UnitID: withHelp(
    Type.Integer({ default: 1, minimum: 0, maximum: 247 }),
    'Unit',
    'The unit number that this gateway replies to; 0 for every unit number (Modbus TCP only).',
  ),
  Map: withHelp(
    Type.String({ default: '', maxLength: 64 }),
    'Values',
    'The name of the register map that says which variables are served.',
  ),
});
/** The properties of a ModBus Server. */
export type ServerProperties = Static<typeof properties>;

/** The module **ModBus Server**: variables of the tree as registers and coils for Modbus clients. */
export function modbusServer(catalog: MapCatalog): ModuleDefinition<typeof properties> {
  return {
    id: '{8E3C1F5A-7D24-4B09-A6E1-52F08C9B7D36}',
    name: 'ModBus Server',
    description: 'Serves variables of the tree to Modbus clients.',
    icon: 'Plug',
    page: 'hardware/modbus-server.md',
    kind: moduleKind.device,
    prefix: 'ModBus',
    properties,
    requires: byteStream,
    variables: () => [],
    check: (set) => check(catalog, set),
    open: async (host) => {
      // Before the first await: afterwards the stream may be closed.
      const stream = host.parent(byteStream);
      const { ServerInstance } = await import('./server-instance.js');
      host.signal.throwIfAborted();
      return new ServerInstance(host, stream, catalog.find(host.properties.Map, 'server')?.blocks ?? []);
    },
  };
}

function check(catalog: MapCatalog, { Protocol, UnitID, Map: id }: ServerProperties): Text | undefined {
  if (Protocol === 'RTU' && UnitID === 0)
    return coded`UNIT_ID_RTU: UnitID must be 1 to 247 on an RTU line: 0 is the broadcast address`;
  return catalog.check(id, 'server');
}
