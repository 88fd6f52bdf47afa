import { coded } from '../../base/codes/coded-text.js';
import { bool, declare, int, text, type FunctionDeclaration, type Parameter } from '../../device/declare.js';
import { fault } from '../../base/fault.js';
import type { Ports } from '../ports.js';

/** Programs of the machine; not allowed unless `api.allowExecute` is true. */
export function executeFunctions({ execute }: Ports): FunctionDeclaration[] {
  const declared = <P extends Parameter>(name: string, help: string, ...more: P[]) =>
    declare({
      name,
      parameters: [text('Filename'), text('Parameter'), bool('ShowWindow'), bool('WaitResult'), ...more],
      result: 'string',
      audited: true,
      confirmed: true,
      // The arguments may contain a password.
      auditParameters: (file: string, given: string) => [file, `(${given.length} characters)`],
      help,
      run: (_caller, ...[file, given, _window, waits]: readonly unknown[]) =>
        execute({
          file: fileOf(String(file)),
          args: argumentsOf(String(given)),
          waitsForOutput: waits === true,
        }),
    });
  return [
    declared(
      'SVC_Execute',
      'Runs a program without a shell and returns its output, within 30 s and 1 MiB; without WaitResult it is only started.',
    ),
    declared('SVC_ExecuteEx', 'Like SVC_Execute; SessionID has no effect.', int('SessionID')),
  ];
}

/** The absolute path of a program; there is no search path. */
function fileOf(file: string): string {
  if (!file.startsWith('/') || file.includes('\0'))
    throw fault(
      'PARAMETER_TYPE',
      'Filename',
      coded`EXPECTED_ABSOLUTE_PATH_LIKE: expected an absolute path, like /usr/bin/uptime`,
    );
  return file;
}

/**
 * Splits a text into arguments at spaces outside of quotes, and removes the quotes. There are no escapes or
 * expansions.
 */
function argumentsOf(given: string): string[] {
  const words = given.match(/(?:[^\s"']+|"[^"]*"|'[^']*')+/g) ?? [];
  const rest = given.replace(/"[^"]*"|'[^']*'/g, '');
  if (/["'\0]/.test(rest))
    throw fault(
      'PARAMETER_TYPE',
      'Parameter',
      coded`UNCLOSED_QUOTE_NULL_CHARACTER: it has an unclosed quote or a null character`,
    );
  return words.map((word) => word.replace(/"([^"]*)"|'([^']*)'/g, '$1$2'));
}
