import { coded } from '../../../src/base/codes/coded-text.js';
import { codeOf, fault } from '../../../src/base/fault.js';
import type { ModbusUnit } from '../modbus-unit.js';
import { isBusy, readRequest } from '../pdu.js';

/** Where the marker may be (SunSpec Device Information Model Specification 1.1, 6.2). */
const MARKER_PLACES = [40_000, 50_000, 0];
/** `SunS`. */
const MARKER = 0x53756e53;
const END_MODEL = 0xffff;
/** A device has up to 30 models; a chain that goes on is broken. */
const MODELS_LIMIT = 100;
const LAST_ADDRESS = 65_535;

/** How a chain of models is read. */
interface ReadOptions {
  readonly priority: 'poll' | 'command' | 'probe';
  readonly signal: AbortSignal;
}

/**
 * The first address of each model of a unit, which is that of its ID; undefined if the unit has no SunSpec.
 * Rejects if a register cannot be read now: a part of the models is not kept as all of them.
 */
export async function findModels(
  unit: ModbusUnit,
  options: ReadOptions,
): Promise<ReadonlyMap<number, number> | undefined> {
  for (const place of MARKER_PLACES) {
    const marker = await readWords(unit, place, options);
    if (marker !== undefined && marker.readUInt32BE() === MARKER) return readChain(unit, place + 2, options);
  }
  return undefined;
}

async function readChain(
  unit: ModbusUnit,
  start: number,
  options: ReadOptions,
): Promise<Map<number, number>> {
  const found = new Map<number, number>();
  let at = start;
  for (let count = 0; count < MODELS_LIMIT && at < LAST_ADDRESS; count++) {
    const head = await readWords(unit, at, options);
    const model = head?.readUInt16BE(0) ?? END_MODEL;
    if (head === undefined || model === END_MODEL) break;
    // The first one of a kind: a meter behind another one has the second.
    if (!found.has(model)) found.set(model, at);
    at += 2 + head.readUInt16BE(2);
  }
  return found;
}

/**
 * Two registers; undefined if the unit rejects the address, for which units have several exceptions. Rejects if
 * the unit is busy.
 */
async function readWords(
  unit: ModbusUnit,
  at: number,
  { priority, signal }: ReadOptions,
): Promise<Buffer | undefined> {
  try {
    const pdu = await unit.execute(readRequest(3, at, 2), priority, signal);
    return pdu.subarray(2);
  } catch (thrown) {
    if (codeOf(thrown) === 'DEVICE_REFUSED' && !isBusy(thrown)) return undefined;
    throw thrown;
  }
}

/** The fault of a unit without the models of its map. */
export function noModels(models: readonly number[]): Error {
  return fault(
    'DEVICE_REFUSED',
    coded`SUNSPEC_MODELS_MISSING: the unit has none of the SunSpec models ${models.join(', ')}; check that SunSpec is switched on, and the map`,
  );
}
