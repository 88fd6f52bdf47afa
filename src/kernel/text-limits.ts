import { fault } from '../base/fault.js';

/** Idents, names and the texts of profiles beyond this are mistakes or attacks; SQLite and clients take far more. */
export const NAME_LIMIT = 1024;
/** Info and summary are notes, not documents. */
export const INFO_LIMIT = 65_536;

/** Throws `TEXT_TOO_LONG` for a text of more characters than that. */
export function checkLength(what: string, text: string, limit = NAME_LIMIT): void {
  if (text.length > limit) throw fault('TEXT_TOO_LONG', what, limit, 'characters');
}
