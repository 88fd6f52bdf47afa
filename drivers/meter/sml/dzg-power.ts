import type { SmlEntry } from './messages.js';

/** OBIS codes: the identification of the meter, and the power. */
const IDENTIFICATION = Buffer.from([1, 0, 96, 1, 0, 255]);
const POWER = Buffer.from([1, 0, 16, 7, 0, 255]);
/** The identification of an electricity meter of DZG; five bytes with its number follow. */
const DZG = Buffer.from([0x0a, 0x01, 0x44, 0x5a, 0x47]);
/** The numbers of the series DVS74 with the defect. */
const DEFECTIVE = [
  [42_000_000n, 48_999_999n],
  [55_000_000n, 58_999_999n],
] as const;
/** Positive values of up to 3 bytes are affected; these meters send negative ones in 4 bytes. */
const AFFECTED_BYTES = 3;

/**
 * Corrects a defect of the DZG DVS74: it sends a positive power in 1 to 3 bytes that are declared as signed,
 * so that 32,805 reads as -32,731 (wiki.volkszaehler.org, DZG DVS74).
 */
export function readDzgPower(entries: readonly SmlEntry[]): readonly SmlEntry[] {
  if (!entries.some(isDefective)) return entries;
  return entries.map((entry) => (POWER.equals(entry.name) ? withUnsigned(entry) : entry));
}

function isDefective({ name, value }: SmlEntry): boolean {
  if (!IDENTIFICATION.equals(name) || !(value instanceof Uint8Array) || value.length !== 10) return false;
  const bytes = Buffer.from(value);
  if (!bytes.subarray(0, DZG.length).equals(DZG)) return false;
  const number = BigInt(bytes.readUIntBE(DZG.length, 5));
  return DEFECTIVE.some(([first, last]) => number >= first && number <= last);
}

function withUnsigned(entry: SmlEntry): SmlEntry {
  const { value } = entry;
  if (value instanceof Uint8Array || typeof value === 'boolean' || value.size > AFFECTED_BYTES) return entry;
  return { ...entry, value: { ...value, number: BigInt.asUintN(8 * value.size, value.number) } };
}
