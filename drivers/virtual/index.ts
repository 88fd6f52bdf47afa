import type { ModuleDefinition } from '../../src/device/module.js';
import { virtualIo } from './virtual-io.js';

/** The modules of this driver. */
export function virtualModules(): readonly ModuleDefinition[] {
  return [virtualIo] as readonly ModuleDefinition[];
}
