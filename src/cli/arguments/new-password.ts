import { randomInt } from 'node:crypto';
import { PASSWORD_LENGTH } from '../../base/password-hash.js';
import { promptHidden } from '../output/terminal.js';

/** Without those that look like others. */
const LETTERS = 'abcdefghijkmnpqrstuvwxyz23456789';

/** Asks at the terminal for a new password, twice. Throws when the two differ or it is too short. */
export async function promptNewPassword(what: string): Promise<string> {
  const password = await promptHidden(`${what}: `);
  if (password.length < PASSWORD_LENGTH)
    throw new Error(`a password has at least ${PASSWORD_LENGTH} characters`);
  if ((await promptHidden('The same again: ')) !== password) throw new Error('the two are not the same');
  return password;
}

/** A password that nobody can guess (80 bits) and anybody can type: `k7mw-…`. */
export function generatePassword(): string {
  const group = () => Array.from({ length: 4 }, () => LETTERS[randomInt(LETTERS.length)]).join('');
  return [group(), group(), group(), group()].join('-');
}
