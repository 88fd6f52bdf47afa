/** Start bit, eight data bits, parity or a second stop bit, stop bit [MODBUS over Serial Line V1.02 §2.5.1]. */
const BITS_PER_CHARACTER = 11;

/** How long characters take on a serial line, ms; 0 on other lines, which have no baud rate. */
export function wireTimeMs(characters: number, baudRate = Infinity): number {
  return (characters * BITS_PER_CHARACTER * 1000) / baudRate;
}
