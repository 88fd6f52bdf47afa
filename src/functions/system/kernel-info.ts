import { coded } from '../../base/codes/coded-text.js';
import { fault } from '../../base/fault.js';
import {
  declare,
  text,
  variant,
  type FunctionDeclaration,
  type ParameterKind,
} from '../../device/declare.js';
import { message } from '../../kernel/messages.js';
import { INTERFACE_VERSION } from '../interface-version.js';
import type { Ports } from '../ports.js';
import * as shapes from '../shapes.js';

/** Maximum length of a text for `SVC_LogMessage`, characters. */
const LOG_LIMIT = 16_384;

/** The program, the machine, the log and the options (interface §9, "Kernel"). */
export function kernelInfoFunctions(ports: Ports): FunctionDeclaration[] {
  return [...facts(ports), logMessage(ports), ...options(ports)];
}

function facts({ kernel, system }: Ports): FunctionDeclaration[] {
  const fact = (name: string, result: ParameterKind, [help, get]: readonly [string, () => unknown]) =>
    declare({ name: `SVC_Get${name}`, parameters: [], result, help, run: get });
  return [
    fact('KernelVersion', 'string', [
      'The version of the interface, as "<major>.<minor>"; GW_GetVersion returns that of the gateway.',
      () => INTERFACE_VERSION,
    ]),
    fact('KernelRevision', 'string', ['The version of the build.', () => system.revision]),
    fact('KernelDate', 'integer', ['The time of the build, in unix seconds.', () => system.builtAt]),
    fact('KernelDir', 'string', ['The data directory, ending in "/".', () => system.kernelDir]),
    fact('KernelDirEx', 'string', ['The directory of the program, ending in "/".', () => system.programDir]),
    fact('LogDir', 'string', ['The directory of the log, ending in "/".', () => system.logDir]),
    fact('KernelStartTime', 'integer', ['The start time, in unix seconds.', () => system.startedAt]),
    fact('KernelRunlevel', 'integer', [
      'The run level: 10101 create, 10102 init, 10103 ready, 10104 uninit, 10105 shutdown.',
      () => kernel.runlevel,
    ]),
    fact('KernelPlatform', 'string', ['The operating system.', () => system.platform]),
    fact('KernelArchitecture', 'string', ['The processor architecture.', () => system.architecture]),
    fact('SystemLanguage', 'string', [
      'The language of the system, for example "en_US".',
      () => system.language,
    ]),
  ];
}

function logMessage({ kernel, clock, messageLog: logged }: Ports): FunctionDeclaration {
  return declare({
    name: 'SVC_LogMessage',
    parameters: [text('Sender'), text('Message')],
    result: 'boolean',
    help: 'Writes a line to the log and publishes it as a message.',
    run: (caller, sender, written) => {
      if (sender.length + written.length > LOG_LIMIT)
        throw fault('TEXT_TOO_LONG', coded`WHAT_MESSAGE: The message`, LOG_LIMIT, 'characters');
      logged.custom(written, { sender, user: caller.user });
      kernel.changes.emit(0, message.KL_CUSTOM, [sender, written, Math.floor(clock.nowMs() / 1000)]);
      return true;
    },
  });
}

function options(ports: Ports): FunctionDeclaration[] {
  return [
    declare({
      name: 'SVC_GetOptionList',
      parameters: [],
      result: 'array',
      shape: shapes.texts,
      help: 'The names of the options.',
      run: () => ports.options.names(),
    }),
    declare({
      name: 'SVC_GetOption',
      parameters: [text('Option')],
      result: 'variant',
      shape: shapes.int,
      help: 'The value of an option.',
      run: (_caller, name) => ports.options.record(name).Value,
    }),
    declare({
      name: 'SVC_GetOptionEx',
      parameters: [text('Option')],
      result: 'array',
      shape: shapes.optionRecord,
      help: 'The value, default, limits and meaning of an option.',
      run: (_caller, name) => ports.options.record(name),
    }),
    declare({
      name: 'SVC_SetOption',
      parameters: [text('Option'), variant('Value', shapes.int)],
      result: 'boolean',
      audited: true,
      help: 'Sets an option, with immediate effect.',
      run: async (_caller, name, value) => {
        await ports.options.set(name, value);
        return true;
      },
    }),
  ];
}
