import { fault } from '../../base/fault.js';
import { declare, int, text, type FunctionDeclaration } from '../../device/declare.js';
import { debugFormats } from '../enumerations.js';
import type { Ports } from '../ports.js';

/** The longest that an object is followed without being asked for again, in seconds: a day. */
const LONGEST_S = 86_400;

/** What goes over an instance's wires, live and in a file (interface §9, "debug"). */
export function debugFunctions({ kernel, debug }: Ports): FunctionDeclaration[] {
  const ID = int('ID');
  return [
    declare({
      name: 'SVC_EnableDebug',
      parameters: [ID, int('Duration')],
      result: 'boolean',
      audited: true,
      help: 'Tells what an instance sends and receives as message 10206, for so many seconds; a day at most.',
      run: (_caller, id, durationS) => {
        const { id: known } = kernel.tree.get(id);
        if (durationS < 1 || durationS > LONGEST_S) throw fault('PARAMETER_BOUNDS', 'Duration');
        debug.enable(known, durationS);
        return true;
      },
    }),
    declare({
      name: 'SVC_DisableDebug',
      parameters: [ID],
      result: 'boolean',
      audited: true,
      help: 'Ends what SVC_EnableDebug began; fine when it is over.',
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
      help: 'Writes what an instance sends and receives to debug/<ID>.log in the data directory, until told to stop.',
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
      help: 'Ends what SVC_EnableDebugFile began; the file stays.',
      run: async (_caller, id) => {
        await debug.disableFile(kernel.tree.get(id).id);
        return true;
      },
    }),
    declare({
      name: 'SVC_SendDebug',
      parameters: [int('SenderID'), text('Message'), text('Data'), int('Format', debugFormats)],
      result: 'boolean',
      help: 'A debug message of an object, for those who follow it; binary data has one character a byte (Latin-1).',
      run: (_caller, senderId, what, data, format) => {
        const { id } = kernel.tree.get(senderId);
        if (what.length > MESSAGE_LIMIT)
          throw fault('TEXT_TOO_LONG', 'The message', MESSAGE_LIMIT, 'characters');
        const isBinary = debugFormats[format] === 'dfBinary';
        const bytes = Buffer.from(data, 'latin1');
        if (isBinary && bytes.toString('latin1') !== data)
          throw fault('CANNOT_CONVERT', 'Data', 'one character is one byte; U+0000 to U+00FF only');
        if (debug.isOn) debug.send(id, { what, data: isBinary ? bytes : data });
        return true;
      },
    }),
  ];
}

/** What a debug message is about, in characters: a word or two. */
const MESSAGE_LIMIT = 256;
