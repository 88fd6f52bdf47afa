const POLYNOMIAL = 0xa001;

const TABLE = Uint16Array.from({ length: 256 }, (_, byte) => {
  let crc = byte;
  for (let bit = 0; bit < 8; bit++) crc = (crc & 1) === 0 ? crc >> 1 : (crc >> 1) ^ POLYNOMIAL;
  return crc;
});

/**
 * CRC-16 of Modbus RTU over `bytes[start, end)`; the low byte is sent first [MODBUS over Serial Line V1.02
 * §6.2.2].
 */
export function crc16(bytes: Uint8Array, start = 0, end = bytes.length): number {
  let crc = 0xffff;
  for (let at = start; at < end; at++) crc = (crc >> 8) ^ (TABLE[(crc ^ (bytes[at] ?? 0)) & 0xff] ?? 0);
  return crc;
}

/** LRC of Modbus ASCII: the byte that makes the sum of all bytes zero (§6.2.1). */
export function lrc(bytes: Uint8Array): number {
  let sum = 0;
  for (const byte of bytes) sum += byte;
  return -sum & 0xff;
}
