import { coded } from '../../src/base/codes/coded-text.js';
import { Type } from '@sinclair/typebox';
import { fault } from '../../src/base/fault.js';
import { encodeLatin1 } from '../../src/device/toolkit/latin1.js';
import { declare, int, text, type FunctionDeclaration, type Parameter } from '../../src/device/declare.js';
import type { OpenInstances } from '../../src/device/module.js';
import type { VirtualStream } from './virtual-stream.js';

const sentText = { TimeStamp: Type.Integer(), Text: Type.String() };
const texts = Type.Array(Type.Object(sentText));
const packets = Type.Array(Type.Object({ ...sentText, ClientIP: Type.String(), ClientPort: Type.Integer() }));

const InstanceID = int('InstanceID');
const Text = text('Text');
const ClientIP = text('ClientIP');
const ClientPort = int('ClientPort');

/** The functions of **Virtual I/O**. */
export function virtualFunctions(
  instances: OpenInstances,
  module: { readonly id: string; readonly name: string },
): FunctionDeclaration[] {
  const wireOf = (id: number) => instances.openInstance(id, module).provided as VirtualStream;
  return [
    ...sendFunctions(wireOf),
    ...receiveFunctions(wireOf),
    ...clientFunctions(wireOf),
    ...httpFunctions(wireOf),
  ];
}

type StreamOf = (id: number) => VirtualStream;

function sendFunctions(wireOf: StreamOf): FunctionDeclaration[] {
  return [
    declare({
      name: 'VIO_GetTextList',
      parameters: [InstanceID],
      result: 'array',
      shape: texts,
      help: 'Returns the texts that devices have sent over a virtual I/O, oldest first; each character is one byte.',
      run: (_caller, id) => wireOf(id).texts(),
    }),
    declare({
      name: 'VIO_GetPacketList',
      parameters: [InstanceID],
      result: 'array',
      shape: packets,
      help: 'Returns the texts that were sent to single clients over a virtual I/O, oldest first; each character is one byte.',
      run: (_caller, id) => wireOf(id).packets(),
    }),
    declareAction({
      name: 'VIO_SendText',
      parameters: [InstanceID, Text],
      help: 'Sends a text over a virtual I/O as if a connected device had sent it; each character is one byte (Latin-1).',
      run: (...[id, given]) => wireOf(id).send(encodeLatin1(given)),
    }),
    declareAction({
      name: 'VIO_SendPacket',
      parameters: [InstanceID, Text, ClientIP, ClientPort],
      help: 'Sends a text over a virtual I/O to a client as if a connected device had sent it; each character is one byte (Latin-1).',
      run: (...[id, given, address, port]) => wireOf(id).sendTo(encodeLatin1(given), { address, port }),
    }),
  ];
}

function receiveFunctions(wireOf: StreamOf): FunctionDeclaration[] {
  return [
    declareAction({
      name: 'VIO_PushText',
      parameters: [InstanceID, Text],
      help: 'Makes the devices on a virtual I/O receive a text; each character is one byte (Latin-1).',
      run: (...[id, given]) => wireOf(id).push(encodeLatin1(given)),
    }),
    declareAction({
      name: 'VIO_PushTextHEX',
      parameters: [InstanceID, Text],
      help: 'Makes the devices on a virtual I/O receive bytes, given as hexadecimal digits.',
      run: (...[id, given]) => wireOf(id).push(parseHex(given)),
    }),
    declareAction({
      name: 'VIO_PushPacket',
      parameters: [InstanceID, Text, ClientIP, ClientPort],
      help: 'Makes the devices on a virtual I/O receive a text from a client; each character is one byte (Latin-1).',
      run: (...[id, given, address, port]) => wireOf(id).push(encodeLatin1(given), { address, port }),
    }),
    declareAction({
      name: 'VIO_PushPacketHEX',
      parameters: [InstanceID, Text, ClientIP, ClientPort],
      help: 'Makes the devices on a virtual I/O receive bytes from a client, given as hexadecimal digits.',
      run: (...[id, given, address, port]) => wireOf(id).push(parseHex(given), { address, port }),
    }),
  ];
}

function clientFunctions(wireOf: StreamOf): FunctionDeclaration[] {
  return [
    declareAction({
      name: 'VIO_Connect',
      parameters: [InstanceID, ClientIP, ClientPort],
      help: 'Connects a simulated client to a virtual I/O, as to a server.',
      run: (...[id, address, port]) => wireOf(id).connect({ address, port }),
    }),
    declareAction({
      name: 'VIO_Disconnect',
      parameters: [InstanceID, ClientIP, ClientPort],
      help: 'Disconnects a simulated client of a virtual I/O; its incomplete data is discarded.',
      run: (...[id, address, port]) => wireOf(id).disconnect({ address, port }),
    }),
  ];
}

function httpFunctions(wireOf: StreamOf): FunctionDeclaration[] {
  return [
    declareAction({
      name: 'VIO_HTTPResponse',
      parameters: [InstanceID, text('Route'), text('Method'), text('Data')],
      help: 'Sets the reply of a virtual I/O to an HTTP/1 request of a device.',
      run: (...[id, route, method, data]) => wireOf(id).setReply(route, method, data),
    }),
    declareAction({
      name: 'VIO_PushData',
      parameters: [InstanceID, text('Event'), text('Data'), text('Retry'), text('ID')],
      help: 'Makes the devices on a virtual I/O receive a server-sent event (UTF-8).',
      run: (...[wire, event, data, retry, id]) => wireOf(wire).pushEvent({ event, data, retry, id }),
    }),
  ];
}

interface ActionDeclaration<P extends readonly Parameter[]> {
  readonly name: string;
  readonly parameters: P;
  readonly help: string;
  readonly run: (
    ...given: { [K in keyof P]: P[K] extends Parameter<infer T> ? T : never }
  ) => void | Promise<void>;
}

/**
 * Declares a function that performs an action and returns true. Scripts may call it often, so their calls are
 * not audited.
 */
function declareAction<const P extends readonly Parameter[]>({
  run,
  ...declared
}: ActionDeclaration<P>): FunctionDeclaration {
  return declare({
    ...declared,
    result: 'boolean',
    audited: 'outside',
    run: async (_caller, ...given) => {
      await run(...given);
      return true;
    },
  });
}

/** Parses hexadecimal digits, which may be separated by blanks. Throws `CANNOT_CONVERT`. */
function parseHex(digits: string): Buffer {
  const plain = digits.replaceAll(/\s/g, '');
  if (!/^(?:[0-9a-fA-F]{2})*$/.test(plain))
    throw fault(
      'CANNOT_CONVERT',
      'Text',
      coded`HEX_BYTES_INCOMPLETE: it does not consist of complete hexadecimal bytes`,
    );
  return Buffer.from(plain, 'hex');
}
