import type { ModuleDefinition } from '../../src/device/module.js';
import { virtualIo } from './virtual-io.js';

/** The virtual modules of one gateway. */
export function virtualModules(): readonly ModuleDefinition[] {
  return [virtualIo] as readonly ModuleDefinition[];
}
