import type { ModuleDefinition } from '../../src/device/module.js';
import type { BusRegistry } from './bus-registry.js';
import { mappedDevice } from './mapped/mapped-device.js';
import { MapCatalog, type MapSources } from './maps/map-catalog.js';
import { modbusAddress } from './modbus-address.js';
import { modbusGateway } from './modbus-gateway.js';
import { modbusServer } from './server/modbus-server.js';
import { UnitSearch } from './search/unit-search.js';

/** The Modbus modules of one gateway. Their implementation is loaded when the first instance opens. */
export function modbusModules(maps: MapSources): readonly ModuleDefinition[] {
  let loading: Promise<BusRegistry> | undefined;
  const buses = () => (loading ??= import('./bus-registry.js').then((loaded) => new loaded.BusRegistry()));
  const catalog = new MapCatalog(maps);
  const search = new UnitSearch(catalog);
  return [
    modbusGateway(buses, search),
    modbusAddress,
    mappedDevice(catalog, () => search.find()),
    modbusServer(catalog),
  ] as readonly ModuleDefinition[];
}
