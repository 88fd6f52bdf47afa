import type { ModuleDefinition } from '../../src/device/module.js';
import { smlMeter } from './sml-meter.js';

/** The modules of meters. Their protocols are loaded when the first instance opens. */
export function meterModules(): readonly ModuleDefinition[] {
  return [smlMeter] as readonly ModuleDefinition[];
}
