/** The polynomial x^16 + x^12 + x^5 + 1 of CCITT, bit-reversed: the least significant bit is sent first. */
const CCITT_REVERSED = 0x8408;

/** The polynomial x^16 + x^15 + x^2 + 1, bit-reversed. */
const IBM_REVERSED = 0xa001;

/** Adds one byte to a CRC with the reversed CCITT polynomial (CRC-16/X-25 and CRC-16/KERMIT). */
export function updateCcitt(crc: number, byte: number): number {
  return update(crc, byte, CCITT_REVERSED);
}

/** CRC-16/X-25 of bytes: initial value and final inversion 0xffff. */
export function crcX25(bytes: Uint8Array): number {
  let crc = 0xffff;
  for (const byte of bytes) crc = updateCcitt(crc, byte);
  return crc ^ 0xffff;
}

/** CRC-16/KERMIT of bytes: initial value 0, no inversion. */
export function crcKermit(bytes: Uint8Array): number {
  let crc = 0;
  for (const byte of bytes) crc = updateCcitt(crc, byte);
  return crc;
}

/** Adds one byte to a CRC-16/ARC, whose initial value is 0. */
export function updateArc(crc: number, byte: number): number {
  return update(crc, byte, IBM_REVERSED);
}

function update(crc: number, byte: number, polynomial: number): number {
  let next = crc ^ byte;
  for (let bit = 0; bit < 8; bit++) next = (next & 1) === 1 ? (next >>> 1) ^ polynomial : next >>> 1;
  return next;
}
