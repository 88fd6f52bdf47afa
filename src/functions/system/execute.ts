import { bool, declare, int, text, type FunctionDeclaration, type Parameter } from '../../device/declare.js';
import { fault } from '../../base/fault.js';
import type { Ports } from '../ports.js';

/** Programs of the machine; refused unless `api.allowExecute` is true. */
export function executeFunctions({ execute }: Ports): FunctionDeclaration[] {
  const declared = <P extends Parameter>(name: string, help: string, ...more: P[]) =>
    declare({
      name,
      parameters: [text('Filename'), text('Parameter'), bool('ShowWindow'), bool('WaitResult'), ...more],
      result: 'string',
      audited: true,
      // A password may stand among them.
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
      'Runs a program without a shell and gives what it printed, within 30 s and 1 MiB; without WaitResult it is only started.',
    ),
    declared('SVC_ExecuteEx', 'As SVC_Execute; there are no sessions to choose from.', int('SessionID')),
  ];
}

/** No search path: who writes a program's name says which one is meant. */
function fileOf(file: string): string {
  if (!file.startsWith('/') || file.includes('\0'))
    throw fault('PARAMETER_TYPE', 'Filename', 'it takes an absolute path, like /usr/bin/uptime');
  return file;
}

/** A text as arguments: parted at blanks, but for those within quotes, which are left out; there is no other meaning in it. */
export function argumentsOf(given: string): string[] {
  const words = given.match(/(?:[^\s"']+|"[^"]*"|'[^']*')+/g) ?? [];
  const rest = given.replace(/"[^"]*"|'[^']*'/g, '');
  if (/["'\0]/.test(rest)) throw fault('PARAMETER_TYPE', 'Parameter', 'a quote in it has no end');
  return words.map((word) => word.replace(/"([^"]*)"|'([^']*)'/g, '$1$2'));
}
