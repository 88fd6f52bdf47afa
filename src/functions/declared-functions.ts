import type { Clock } from '../base/clock.js';
import { silentLog } from '../base/log.js';
import type { FunctionDeclaration } from '../device/declare.js';
import { Devices } from '../device/devices.js';
import type { ModuleRegistry } from '../device/module-registry.js';
import { Kernel } from '../kernel/kernel.js';
import { createRegistry } from './command-reference.js';
import type { Ports } from './ports.js';

/**
 * The declarations of all functions of a gateway with these modules. They describe the functions and cannot
 * be called.
 */
export function declaredFunctions(modules: ModuleRegistry, clock: Clock): readonly FunctionDeclaration[] {
  const kernel = new Kernel({ counter: 0, random: () => clock.random() });
  const devices = new Devices({ kernel, modules, clock, log: silentLog });
  // Scripts, options and the process are only used by calls.
  const ports = { kernel, devices, clock, log: silentLog } as Ports;
  const extraFunctions = modules.functions(devices);
  const durability = { version: 0, committed: async () => undefined };
  return createRegistry(ports, {
    extraFunctions,
    durability,
    audit: { record: () => undefined },
  }).all();
}
