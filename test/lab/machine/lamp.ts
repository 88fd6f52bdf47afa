/** The line of the lamp on the machine's GPIO chip. */
export const LAMP_PIN = 0;

/** A configuration with a lamp, and with a variable for texts. */
export const LAMP_AND_NOTE = `
- instance: Lamp
  ident: lamp
  module: GPIO Output
  properties: { Chip: 9030000.pl061, Line: "${LAMP_PIN}", Boot: inactive }
- { variable: Note, ident: note, type: string }
`;
