/** More lines than these are scrolled. */
const MAX_ROWS = 12;

/** The rows of a text area that grows with its text. */
export const rowsOf = (text: string): number => Math.min(MAX_ROWS, Math.max(2, text.split('\n').length));
