import type { ModuleDefinition } from '../../src/device/module.js';
import { dsmrMeter } from './dsmr-meter.js';
import { iecMeter } from './iec-meter.js';
import { mbusMeter } from './mbus-meter.js';
import { smlMeter } from './sml-meter.js';

/** The modules of meters. Their protocols are loaded when the first instance opens. */
export function meterModules(): readonly ModuleDefinition[] {
  return [smlMeter, dsmrMeter, iecMeter, mbusMeter()] as readonly ModuleDefinition[];
}
