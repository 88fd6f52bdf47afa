import { fault } from '../../base/fault.js';
import { PASSWORD_LENGTH } from '../../base/password-hash.js';
import { requirePassword } from '../argument-checks.js';
import { declare, text, type FunctionDeclaration } from '../../device/declare.js';
import type { Ports } from '../ports.js';
import { redacted } from '../registry/audit.js';
import { configurationProblems, configurationText } from '../configuration-shapes.js';
import * as shapes from '../shapes.js';

/** Nobody needs a longer password, characters. */
const PASSWORD_LIMIT = 1024;

/** The configuration's text, and passwords (interface, decision 28). */
export function configurationFunctions({ configuration }: Ports): FunctionDeclaration[] {
  return [
    declare({
      name: 'GW_GetConfigurationText',
      parameters: [],
      result: 'array',
      shape: configurationText,
      confirmed: true,
      help: 'The configuration as it is on the disk, with its passwords and secrets, and the digest that GW_SetConfigurationText requires.',
      run: async (caller) => {
        requirePassword(caller, 'Reading the configuration');
        return (await configuration()).read();
      },
    }),
    declare({
      name: 'GW_CheckConfiguration',
      parameters: [text('Text')],
      result: 'array',
      shape: configurationProblems,
      help: 'What stellwerk check reports for this text, by line. Nothing is opened or changed.',
      run: async (_caller, content) => (await configuration()).check(content),
    }),
    declare({
      name: 'GW_SetConfigurationText',
      parameters: [text('Text'), text('Digest')],
      result: 'array',
      shape: shapes.reload,
      audited: true,
      auditParameters: (content, digest) => [redacted(content), digest],
      confirmed: true,
      help: 'Replaces the configuration and reloads it. Digest is that of GW_GetConfigurationText: another one means that the configuration has changed since. Errors are in error.data.problems, and nothing is changed then.',
      run: async (caller, content, digest) => {
        requirePassword(caller, 'Changing the configuration');
        return (await configuration()).write(content, digest);
      },
    }),
    declare({
      name: 'GW_SetPassword',
      parameters: [text('Target'), text('Password')],
      result: 'array',
      shape: shapes.reload,
      audited: true,
      auditParameters: (target, password) => [target, redacted(password)],
      confirmed: true,
      help: 'Sets the password of the owner (Target owner) or of a configurator (Target is its ident in the configuration): writes its hash and reloads. Sessions with the old password end.',
      run: async (caller, target, password) => {
        requirePassword(caller, 'Setting a password');
        checkPassword(password);
        return (await configuration()).setPassword(target, password);
      },
    }),
  ];
}

/** Throws `PARAMETER_BOUNDS` if a password is too short or too long. */
function checkPassword(password: string): void {
  if (password.length < PASSWORD_LENGTH || password.length > PASSWORD_LIMIT)
    throw fault('PARAMETER_BOUNDS', `Password (${PASSWORD_LENGTH} to ${PASSWORD_LIMIT} characters)`);
}
