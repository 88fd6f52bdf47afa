import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { hashPassword } from '../../base/credentials/password-hash.js';
import { ConfigurationError } from '../../config/document.js';
import { hasAccess, writeSetup } from '../../config/first-access.js';
import { parseConfig } from '../../config/load.js';
import { parseSetupFile, withoutPasswords } from '../../config/setup-file.js';
import { loadPackagedBoard } from '../../composition/module-list.js';
import { putInPlace } from '../../sqlite/database-files.js';
import { command, UsageError } from '../command.js';
import { exitCode } from '../exit-codes.js';
import { chownConfig } from '../file-ownership.js';
import { configSource, readFirstLine } from '../arguments/locate-gateway.js';
import { generatePassword, promptNewPassword, rejectShort } from '../arguments/new-password.js';
import { prompt } from '../output/terminal.js';

/** The configuration file of the service. */
const STANDARD = '/etc/stellwerk/gateway.yaml';
/** The file of the service that contains the claim code while the owner has no password. */
const CLAIM_CODE = '/run/stellwerk/claim-code';

/** `stellwerk setup`: the first configuration. */
export const setup = command({
  usage: 'setup [options]',
  about: `Writes the first configuration: user name, password and board. Asks for them at a terminal; otherwise it takes
the options, generates a password and prints it once. An existing configuration is extended; one with a
remoteAccess is not changed.`,
  options: {
    config: { type: 'string', value: 'FILE', help: `the configuration; default ${STANDARD}` },
    username: { type: 'string', value: 'NAME', help: 'the user name; default owner' },
    claim: {
      type: 'boolean',
      help: 'print the claim code, with which the console sets the first password, and write nothing',
    },
    from: {
      type: 'string',
      value: 'FILE',
      help: 'take username, password, board, hostname, language, timezone, latitude and longitude from the lines name=value\nof this file, and remove its passwords afterwards',
    },
    unclaimed: {
      type: 'boolean',
      help: 'with --from: generate no password; without one in FILE, the owner sets it with the claim code',
    },
    board: {
      type: 'string',
      value: 'NAME',
      help: 'the board (a file of board/); default auto: detected at every start',
    },
  },
  words: [0, 0],
  exits: '0 written, 1 not written, 78 the existing configuration has errors',
  run: async ({ config = STANDARD, from, claim = false, unclaimed = false, ...given }) => {
    if (claim) {
      if (textOf(CLAIM_CODE) === undefined)
        throw new Error(
          'there is no claim code: the owner has a password already, or the gateway does not run (systemctl status stellwerk)',
        );
      process.stdout.write(readFirstLine(CLAIM_CODE) + '\n');
      return exitCode.ok;
    }
    if (unclaimed && from === undefined) throw new UsageError('--unclaimed needs --from FILE');
    const setup = from === undefined ? {} : parseSetupFile(readFileSync(from, 'utf8'));
    const { username = setup.username, board = setup.board } = given;
    const file = resolve(config);
    const source = configSource(file);
    if (source.isOverlay)
      throw new Error(
        `${source.file} replaces ${file}; set the password in the console, or delete ${source.file} first`,
      );
    const before = textOf(file);
    if (before !== undefined) await parseConfig(file, before);
    if (before !== undefined && hasAccess(before))
      throw new Error(
        `${file} has a remoteAccess already and is left as it is; for another password put what stellwerk hash-password prints into its passwordHash`,
      );
    const machine = await loadPackagedBoard(board);
    const isInteractive = process.stdin.isTTY && from === undefined;
    const name = username ?? (isInteractive ? await prompt('Name', 'owner') : 'owner');
    const password = isInteractive
      ? await promptNewPassword('Password')
      : (setup.password ?? (unclaimed ? undefined : generatePassword()));
    if (password !== undefined) rejectShort(password);
    const text = writeSetup(before, {
      ...setup,
      username: name,
      passwordHash: password === undefined ? undefined : await hashPassword(password),
      board: board ?? (before === undefined ? 'auto' : undefined),
    });
    await rejectInvalid(file, text);
    write(file, text);
    if (from !== undefined)
      writeFileSync(from, withoutPasswords(readFileSync(from, 'utf8')), { flush: true });
    const isShown = !isInteractive && setup.password === undefined && password !== undefined;
    const passwordLine = isShown ? `password: ${password}   (it is shown this once)\n` : '';
    process.stdout.write(
      `${password === undefined ? 'no owner yet: the claim code sets the password' : `name: ${name}`}\n${passwordLine}board: ${machine.name} (${machine.title})\n${file} is written; ${next(file)}\n`,
    );
    return exitCode.ok;
  },
});

/** The next step, for the output. */
const next = (file: string): string =>
  file === STANDARD
    ? 'systemctl restart stellwerk applies it'
    : `stellwerk serve --config ${file} --data DIR runs with it`;

/** The content of a file; undefined if it does not exist. */
function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw thrown;
  }
}

/** Throws if the text is not a valid configuration, before anything is written. */
async function rejectInvalid(file: string, text: string): Promise<void> {
  try {
    await parseConfig(file, text);
  } catch (thrown) {
    if (!(thrown instanceof ConfigurationError)) throw thrown;
    throw new Error(thrown.findings.map(({ key, text: why }) => `${key}: ${why.toString()}`).join('; '), {
      cause: thrown,
    });
  }
}

/** Writes a file atomically. */
function write(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o750 });
  writeFileSync(`${file}.new`, text, { mode: 0o600 });
  chownConfig(`${file}.new`);
  putInPlace(`${file}.new`, file);
}
