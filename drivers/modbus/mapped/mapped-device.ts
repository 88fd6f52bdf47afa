import { Type, type Static } from '@sinclair/typebox';
import { coded, type Text } from '../../../src/base/codes/coded-text.js';
import { moduleKind, type ModuleDefinition, type VariableDeclaration } from '../../../src/device/module.js';
import type { HardwareFinder } from '../../../src/device/hardware-search.js';
import { describeValue, SERIAL } from '../../../src/device/toolkit/meter-variables.js';
import { withAdvancedHelp, withHelp } from '../../../src/device/toolkit/property-help.js';
import type { MapCatalog } from '../maps/map-catalog.js';
import type { RegisterMap } from '../maps/register-map.js';
import { modbusFlow } from '../modbus-unit.js';

const DAY_MS = 86_400_000;
/** Shortest poll interval: no line replies faster. */
const MIN_EVERY_MS = 50;
const VALUES_LIMIT = 1000;

const properties = Type.Object({
  Map: withHelp(
    Type.String({ default: '', maxLength: 64 }),
    'Device',
    'The name of the register map of the device, such as eastron-sdm630.',
  ),
  Values: withHelp(
    Type.Array(Type.String({ maxLength: 64 }), { default: [], maxItems: VALUES_LIMIT }),
    'Device',
    'The values of the map that have a variable; all if the list is empty.',
  ),
  EveryMs: withHelp(
    Type.Integer({ default: 0, minimum: 0, maximum: DAY_MS }),
    'Device',
    'Milliseconds between two polls; 0 for the intervals of the map.',
  ),
  Meter: withAdvancedHelp(
    Type.String({ default: '', maxLength: 64 }),
    'Device',
    'The number of the meter instead of the one that it sends. Another number accepts lower counts.',
  ),
});
/** The properties of a ModBus Mapped Device. */
export type MappedProperties = Static<typeof properties>;

/** The module **ModBus Mapped Device**: a device whose registers a map describes. */
export function mappedDevice(
  catalog: MapCatalog,
  findHardware: HardwareFinder,
): ModuleDefinition<typeof properties> {
  return {
    id: '{5D0B7B3E-92C4-4E16-8A7F-1C63E2D94B08}',
    name: 'ModBus Mapped Device',
    description: 'A meter, inverter or I/O module whose registers a map describes.',
    icon: 'Gauge',
    page: 'hardware/modbus-devices.md',
    kind: moduleKind.device,
    prefix: 'ModBus',
    properties,
    requires: modbusFlow,
    variables: (set) => variablesOf(mapOf(catalog, set)),
    check: (set) => check(catalog, set),
    findHardware,
    open: async (host) => {
      // Before the first await: afterwards the unit may be gone.
      const unit = host.parent(modbusFlow);
      const map = mapOf(catalog, host.properties);
      const { MappedInstance } = await import('./mapped-instance.js');
      host.signal.throwIfAborted();
      return new MappedInstance(
        host,
        unit,
        map ?? { id: '', name: '', kind: 'io', limit: 1, identify: [], blocks: [] },
      );
    },
  };
}

/** The map of a device, with the values that it uses. */
function mapOf(catalog: MapCatalog, { Map: id, Values, EveryMs }: MappedProperties): RegisterMap | undefined {
  const map = catalog.find(id, 'device', EveryMs);
  if (map === undefined || Values.length === 0) return map;
  const used = new Set(Values);
  const blocks = map.blocks.map((block) => ({
    ...block,
    values: block.values.filter(({ ident }) => used.has(ident)),
  }));
  return { ...map, blocks: blocks.filter(({ values }) => values.length > 0) };
}

function variablesOf(map: RegisterMap | undefined): VariableDeclaration[] {
  const declared = map?.blocks.flatMap(({ values }) => values.map(({ declaration }) => declaration)) ?? [];
  const hasNumber = declared.some(({ ident }) => ident === SERIAL);
  // The owner can give a meter its number.
  const serial =
    hasNumber || !declared.some(({ counter }) => counter === true) ? [] : [describeValue(SERIAL)];
  return [...declared, ...serial.filter((one) => one !== undefined)].map((one, index) => ({
    ...one,
    position: index + 1,
  }));
}

function check(catalog: MapCatalog, { Map: id, Values, EveryMs }: MappedProperties): Text | undefined {
  if (EveryMs > 0 && EveryMs < MIN_EVERY_MS)
    return coded`EVERY_MS_SHORT: EveryMs must be 0 or at least ${MIN_EVERY_MS}`;
  const error = catalog.check(id, 'device');
  if (error !== undefined) return error;
  const known = new Set(
    catalog.find(id, 'device')?.blocks.flatMap(({ values }) => values.map(({ ident }) => ident)),
  );
  const unknown = known.size === 0 ? undefined : Values.find((ident) => !known.has(ident));
  return unknown === undefined
    ? undefined
    : coded`MAP_VALUE_UNKNOWN: Values has ${unknown}, which the map ${id} does not have`;
}
