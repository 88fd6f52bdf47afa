import { coded } from '../../base/codes/coded-text.js';
import { fault } from '../../base/fault.js';
import { declare, int, text, type FunctionDeclaration } from '../../device/declare.js';
import { debugFormats } from '../enumerations.js';
import type { Ports } from '../ports.js';

/** The longest time that debugging stays enabled, s: a day. */
const DURATION_LIMIT_S = 86_400;

/** The traffic of instances, as live messages and in files (interface §9, "debug"). */
export function debugFunctions({ kernel, debug }: Ports): FunctionDeclaration[] {
  const ID = int('ID');
  return [
    declare({
      name: 'SVC_EnableDebug',
      parameters: [ID, int('Duration')],
      result: 'boolean',
      audited: true,
      help: 'Publishes what an instance sends and receives as message 10206, for a number of seconds, at most a day; a shorter request does not shorten a longer one.',
      run: (_caller, id, durationS) => {
        const { id: known } = kernel.tree.get(id);
        if (durationS < 1 || durationS > DURATION_LIMIT_S) throw fault('PARAMETER_BOUNDS', 'Duration');
        debug.enable(known, durationS);
        return true;
      },
    }),
    declare({
      name: 'SVC_DisableDebug',
      parameters: [ID],
      result: 'boolean',
      audited: true,
      help: 'Ends SVC_EnableDebug; does nothing if it has ended already.',
      run: (_caller, id) => {
        debug.disable(kernel.tree.get(id).id);
        return true;
      },
    }),
    declare({
      name: 'SVC_EnableDebugFile',
      parameters: [ID],
      result: 'boolean',
      audited: true,
      help: 'Writes what an instance sends and receives to debug/<ID>.log in the data directory, until SVC_DisableDebugFile.',
      run: async (_caller, id) => {
        await debug.enableFile(kernel.tree.get(id).id);
        return true;
      },
    }),
    declare({
      name: 'SVC_DisableDebugFile',
      parameters: [ID],
      result: 'boolean',
      audited: true,
      help: 'Ends SVC_EnableDebugFile; the file stays.',
      run: async (_caller, id) => {
        await debug.disableFile(kernel.tree.get(id).id);
        return true;
      },
    }),
    declare({
      name: 'SVC_SendDebug',
      parameters: [int('SenderID'), text('Message'), text('Data'), int('Format', debugFormats)],
      result: 'boolean',
      help: 'Sends a debug message of an object, if debugging is enabled for it; binary data has one character per byte (Latin-1).',
      run: (_caller, senderId, what, data, format) => {
        const { id } = kernel.tree.get(senderId);
        if (what.length > MESSAGE_LIMIT)
          throw fault('TEXT_TOO_LONG', coded`WHAT_MESSAGE: The message`, MESSAGE_LIMIT, 'characters');
        const isBinary = debugFormats[format] === 'dfBinary';
        const bytes = Buffer.from(data, 'latin1');
        if (isBinary && bytes.toString('latin1') !== data)
          throw fault(
            'CANNOT_CONVERT',
            'Data',
            coded`BINARY_DATA_CHARACTER_PER: binary data has one character per byte, U+0000 to U+00FF`,
          );
        if (debug.isOn) debug.send(id, { what, data: isBinary ? bytes : data });
        return true;
      },
    }),
  ];
}

/** Maximum length of the subject of a debug message, characters. */
const MESSAGE_LIMIT = 256;
