import type { ModuleDefinition } from '../../src/device/module.js';
import type { BusRegistry } from './bus-registry.js';
import { modbusAddress } from './modbus-address.js';
import { modbusGateway } from './modbus-gateway.js';

/** The Modbus modules of one gateway. Their implementation is loaded when the first instance opens. */
export function modbusModules(): readonly ModuleDefinition[] {
  let loading: Promise<BusRegistry> | undefined;
  const buses = () => (loading ??= import('./bus-registry.js').then((loaded) => new loaded.BusRegistry()));
  return [modbusGateway(buses), modbusAddress] as readonly ModuleDefinition[];
}
