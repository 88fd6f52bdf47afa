import { hashPassword } from '../../base/credentials/password-hash.js';
import { command } from '../command.js';
import { exitCode } from '../exit-codes.js';
import { promptNewPassword, rejectShort } from '../arguments/new-password.js';
import { readFirstLine } from '../arguments/locate-gateway.js';

/** `stellwerk hash-password`: a password's hash, for `passwordHash` in the configuration. */
export const hashPasswordCommand = command({
  usage: 'hash-password',
  about: `Asks for a password twice, without showing it, and prints its hash for passwordHash in the
configuration. Without a terminal the password is the first line of stdin.`,
  options: {},
  words: [0, 0],
  exits: '0 done, 1 the passwords differ or are too short',
  run: async () => {
    const password = process.stdin.isTTY ? await promptNewPassword('Password') : readFirstLine('-');
    rejectShort(password);
    process.stdout.write(`${await hashPassword(password)}\n`);
    return exitCode.ok;
  },
});
