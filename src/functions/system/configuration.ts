import { coded } from '../../base/codes/coded-text.js';
import { fault } from '../../base/fault.js';
import { PASSWORD_LENGTH } from '../../base/credentials/password-hash.js';
import { checkedList, requirePassword } from '../argument-checks.js';
import { array, bool, declare, text, type FunctionDeclaration } from '../../device/declare.js';
import type { Ports } from '../ports.js';
import { redacted } from '../registry/audit.js';
import {
  configurationExport,
  configurationProblems,
  configurationSettings,
  configurationText,
  settingChanges,
} from '../configuration-shapes.js';
import * as shapes from '../shapes.js';

/** Nobody needs a longer password, characters. */
const PASSWORD_LIMIT = 1024;

/** The configuration's text, and passwords (interface, decision 28). */
export function configurationFunctions(ports: Ports): FunctionDeclaration[] {
  return [...textFunctions(ports), ...settingFunctions(ports), ...overlayFunctions(ports)];
}

function textFunctions({ configuration }: Ports): FunctionDeclaration[] {
  return [
    declare({
      name: 'GW_GetConfigurationText',
      parameters: [],
      result: 'array',
      shape: configurationText,
      confirmed: true,
      help: 'The configuration as it is on the disk, with "***" in place of passwords and secrets, and the digest that GW_SetConfigurationText requires.',
      run: async (caller) => {
        requirePassword(caller, 'Reading the configuration');
        return (await configuration()).read();
      },
    }),
    declare({
      name: 'GW_ExportConfiguration',
      parameters: [bool('Values')],
      result: 'array',
      shape: configurationExport,
      help: 'A gateway.yaml that describes the gateway as it is, including objects that were created by calls, as stellwerk export prints it: with the values of variables on request, and *** in place of secrets.',
      run: async (caller, values) => {
        requirePassword(caller, 'Reading the configuration');
        return (await configuration()).exported(values);
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
      help: 'Replaces the configuration and reloads it. Digest is that of GW_GetConfigurationText; the call fails if the configuration has changed since. "***" keeps the secret that is there. If the text has errors, nothing is changed, and error.data.problems lists them.',
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

/** Single keys of the configuration: areas, listeners, limits. */
function settingFunctions({ configuration }: Ports): FunctionDeclaration[] {
  return [
    declare({
      name: 'GW_GetSettings',
      parameters: [],
      result: 'array',
      shape: configurationSettings,
      help: 'The keys of the configuration without the tree and without secrets, and the digest that GW_ChangeSettings requires.',
      run: async (caller) => {
        requirePassword(caller, 'Reading the configuration');
        return (await configuration()).settings();
      },
    }),
    declare({
      name: 'GW_CheckSettings',
      parameters: [array('Changes', settingChanges)],
      result: 'array',
      shape: configurationProblems,
      help: 'What stellwerk check would report after these changes of GW_ChangeSettings. Nothing is changed.',
      run: async (caller, given) => {
        requirePassword(caller, 'Reading the configuration');
        return (await configuration()).checkChanges(checkedChanges(given));
      },
    }),
    declare({
      name: 'GW_ChangeSettings',
      parameters: [array('Changes', settingChanges), text('Digest')],
      result: 'array',
      shape: shapes.reload,
      audited: true,
      auditParameters: (changes, digest) => [pathsIn(changes), digest],
      confirmed: true,
      help: 'Changes keys of the configuration outside the tree, keeps its comments, and reloads it. Digest is that of GW_GetSettings. Errors are in error.data.problems, and nothing is changed then.',
      run: async (caller, given, digest) => {
        requirePassword(caller, 'Changing the configuration');
        const changes = checkedChanges(given);
        for (const { Path, Value } of changes)
          if (!SENT_PASSWORDS.test(Path))
            checkPasswordsIn(/(^|\.)password$/.test(Path) ? { password: Value } : Value);
        return (await configuration()).change(changes, digest);
      },
    }),
  ];
}

/** The way back to the file that was installed. */
function overlayFunctions({ configuration }: Ports): FunctionDeclaration[] {
  return [
    declare({
      name: 'GW_GetInstalledConfiguration',
      parameters: [],
      result: 'array',
      shape: configurationText,
      confirmed: true,
      help: 'The configuration in the file that the gateway was started with, whether or not an overlay replaces it.',
      run: async (caller) => {
        requirePassword(caller, 'Reading the configuration');
        return (await configuration()).installed();
      },
    }),
    declare({
      name: 'GW_RemoveConfigurationOverlay',
      parameters: [text('Digest')],
      result: 'array',
      shape: shapes.reload,
      audited: true,
      confirmed: true,
      help: 'Returns to the file that the gateway was started with, and reloads. Digest is that of GW_GetConfigurationText. The overlay is kept as gateway.yaml.removed in the data directory.',
      run: async (caller, digest) => {
        requirePassword(caller, 'Changing the configuration');
        return (await configuration()).removeOverlay(digest);
      },
    }),
  ];
}

/** The keys that are to be changed, for the audit log, which does not record values. */
function pathsIn(changes: unknown): unknown[] {
  return Array.isArray(changes) ? changes.map((change) => (isChange(change) ? change.Path : undefined)) : [];
}

interface SettingChange {
  readonly Path: string;
  readonly Value: unknown;
}

function isChange(value: unknown): value is SettingChange {
  return (
    typeof value === 'object' &&
    value !== null &&
    'Path' in value &&
    typeof value.Path === 'string' &&
    'Value' in value
  );
}

/** Throws `PARAMETER_TYPE` if the given changes are not a list of paths and values. */
function checkedChanges(given: Parameters<typeof checkedList>[0]): readonly SettingChange[] {
  const changes = checkedList(given, 'Changes');
  if (!changes.every(isChange))
    throw fault('PARAMETER_TYPE', 'Changes', 'a list of {"Path": "…", "Value": …} was expected');
  return changes;
}

/** The password of another machine, which the gateway sends, may be shorter than its own. */
const SENT_PASSWORDS = /(^|\.)webdav(\.password)?$/;

/** Throws `PARAMETER_BOUNDS` if a password in a value is none, too short or too long. */
function checkPasswordsIn(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  for (const [key, one] of Object.entries(value))
    if (key === 'password' && one !== null) checkPassword(typeof one === 'string' ? one : '');
    else if (!SENT_PASSWORDS.test(key)) checkPasswordsIn(one);
}

/** Throws `PARAMETER_BOUNDS` if a password is too short or too long. */
function checkPassword(password: string): void {
  if (password.length < PASSWORD_LENGTH || password.length > PASSWORD_LIMIT)
    throw fault(
      'PARAMETER_BOUNDS',
      coded`WHAT_PASSWORD: Password (${PASSWORD_LENGTH} to ${PASSWORD_LIMIT} characters)`,
    );
}
