import { fault } from '../base/fault.js';

/** Longest ident, name or profile text, characters. Longer ones are errors or attacks. */
export const NAME_LIMIT = 1024;
/** Longest info or summary, characters: they are notes, not documents. */
export const INFO_LIMIT = 65_536;

/** Throws `TEXT_TOO_LONG` if the text is longer. */
export function checkLength(what: string, text: string, limit = NAME_LIMIT): void {
  if (text.length > limit) throw fault('TEXT_TOO_LONG', what, limit, 'characters');
}
