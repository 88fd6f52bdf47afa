/** The baud rate at which a readout begins (IEC 62056-21, 6.1). */
export const INITIAL_BAUD = 300;

/** Baud rates by the fifth character of an identification: mode C (digits) and mode B (letters). */
const modeC = [300, 600, 1200, 2400, 4800, 9600, 19_200];
const modeB = [600, 1200, 2400, 4800, 9600, 19_200];

/** How a readout continues after the identification of the meter. */
interface Continuation {
  /** C: the meter waits for an acknowledgement; B: it changes the baud rate by itself; A: it does not. */
  readonly mode: 'A' | 'B' | 'C';
  /** The baud rate that the meter proposes. */
  readonly baudRate: number;
}

/** The mode of a meter by its identification, such as `LGZ5\2ZMD4104407`: three letters, then the baud rate. */
export function continuationOf(identification: string): Continuation {
  const character = identification.charAt(3);
  const digit = '0123456'.indexOf(character);
  if (character !== '' && digit !== -1) return { mode: 'C', baudRate: modeC[digit] ?? INITIAL_BAUD };
  const letter = 'ABCDEF'.indexOf(character);
  if (character !== '' && letter !== -1) return { mode: 'B', baudRate: modeB[letter] ?? INITIAL_BAUD };
  return { mode: 'A', baudRate: INITIAL_BAUD };
}

/** The character for the highest baud rate of mode C up to a limit. */
export function modeCCharacter(limit: number): { readonly character: string; readonly baudRate: number } {
  const index = Math.max(
    0,
    modeC.findLastIndex((rate) => rate <= limit),
  );
  return { character: String(index), baudRate: modeC[index] ?? INITIAL_BAUD };
}
