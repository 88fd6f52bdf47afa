import type { ModuleDefinition } from '../../src/device/module.js';
import type { BusRegistry } from './bus-registry.js';
import { modbusAddress } from './modbus-address.js';
import { modbusGateway } from './modbus-gateway.js';

/** The modules of this driver for one gateway. What they do is loaded when the first one is opened. */
export function modbusModules(): readonly ModuleDefinition[] {
  let loading: Promise<BusRegistry> | undefined;
  const buses = () => (loading ??= import('./bus-registry.js').then((loaded) => new loaded.BusRegistry()));
  return [modbusGateway(buses), modbusAddress] as readonly ModuleDefinition[];
}
