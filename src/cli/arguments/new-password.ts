import { randomInt } from 'node:crypto';
import { PASSWORD_LENGTH } from '../../base/credentials/password-hash.js';
import { promptHidden } from '../output/terminal.js';

/** Characters of generated passwords, without those that look alike. */
const LETTERS = 'abcdefghijkmnpqrstuvwxyz23456789';

/** Prompts twice for a new password. Throws if the two differ or it is too short. */
export async function promptNewPassword(what: string): Promise<string> {
  const password = await promptHidden(`${what}: `);
  rejectShort(password);
  if ((await promptHidden('Repeat it: ')) !== password) throw new Error('the passwords differ');
  return password;
}

/** Throws if a new password is too short. */
export function rejectShort(password: string): void {
  if (password.length < PASSWORD_LENGTH)
    throw new Error(`the password must have at least ${PASSWORD_LENGTH} characters`);
}

/** Generates a password of 80 bits that is easy to type: `k7mw-…`. */
export function generatePassword(): string {
  const group = () => Array.from({ length: 4 }, () => LETTERS[randomInt(LETTERS.length)]).join('');
  return [group(), group(), group(), group()].join('-');
}
