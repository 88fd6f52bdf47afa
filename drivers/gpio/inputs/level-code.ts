/** How the lines of a group encode a number; the first line is the lowest bit. */
export const levelCodes = ['binary', 'bcd', 'gray'] as const;
type LevelCode = (typeof levelCodes)[number];

/** More lines would not fit into an integer of a 32-bit client. */
export const MAX_LINES = 31;

/** Decodes the number that the lines encode; undefined if they encode none: a BCD digit above 9. */
export function decodeLevels(code: LevelCode, active: readonly boolean[]): number | undefined {
  const bits = active.reduce((sum, isActive, index) => (isActive ? sum + 2 ** index : sum), 0);
  switch (code) {
    case 'binary':
      return bits;
    case 'gray':
      return fromGray(bits);
    case 'bcd':
      return fromBcd(bits);
  }
}

/** Each bit is the parity of all Gray bits from it upward. */
function fromGray(bits: number): number {
  let number = bits;
  for (let rest = bits >>> 1; rest > 0; rest >>>= 1) number ^= rest;
  return number;
}

function fromBcd(bits: number): number | undefined {
  const digits = bits.toString(16);
  return /^\d+$/.test(digits) ? Number(digits) : undefined;
}
