import type { MeterRecord } from '../telegram.js';
import { exact, type Reading } from '../../../src/device/toolkit/reading.js';
import { conversionFactor, type Target } from './units.js';

/** One reading of a number; none for a text, or a unit that the variable cannot have. */
export function numeric(ident: string, record: MeterRecord | undefined, target: Target): Reading[] {
  if (record === undefined) return [];
  const factor = conversionFactor(record.unit, target);
  const number = numberOf(record);
  if (factor === undefined || number === undefined) return [];
  return [
    {
      ident,
      value: exact(exact(number * factor.multiply) / factor.divide),
      resolution: exact(exact(record.resolution * factor.multiply) / factor.divide),
      ...(record.atMs !== undefined && { atMs: record.atMs }),
    },
  ];
}

/** Larger numbers are not exact in a double; meters send them for "no value". */
function numberOf({ value, resolution }: MeterRecord): number | undefined {
  if (typeof value !== 'number' || !Number.isFinite(value)) return undefined;
  const digits = resolution > 0 ? Math.abs(value) / resolution : Math.abs(value);
  return digits <= Number.MAX_SAFE_INTEGER ? value : undefined;
}
