import { Type } from '@sinclair/typebox';
import { fault } from '../../src/base/fault.js';
import { latin1 } from '../../src/device/latin1.js';
import { declare, int, text, type FunctionDeclaration, type Parameter } from '../../src/device/declare.js';
import type { RunningInstances } from '../../src/device/module.js';
import type { Wire } from './wire.js';

const sentText = { TimeStamp: Type.Integer(), Text: Type.String() };
const texts = Type.Array(Type.Object(sentText));
const packets = Type.Array(Type.Object({ ...sentText, ClientIP: Type.String(), ClientPort: Type.Integer() }));

const InstanceID = int('InstanceID');
const Text = text('Text');
const ClientIP = text('ClientIP');
const ClientPort = int('ClientPort');

/** The functions of a virtual I/O: what its devices sent, and what they are to receive. */
export function virtualFunctions(
  instances: RunningInstances,
  module: { readonly id: string; readonly name: string },
): FunctionDeclaration[] {
  const wireOf = (id: number) => instances.running(id, module).offer as Wire;
  return [...sent(wireOf), ...received(wireOf), ...clients(wireOf), ...web(wireOf)];
}

type WireOf = (id: number) => Wire;

function sent(wireOf: WireOf): FunctionDeclaration[] {
  return [
    declare({
      name: 'VIO_GetTextList',
      parameters: [InstanceID],
      result: 'array',
      shape: texts,
      help: 'What the devices below a virtual I/O have sent, one character a byte, the oldest first.',
      run: (_caller, id) => wireOf(id).texts(),
    }),
    declare({
      name: 'VIO_GetPacketList',
      parameters: [InstanceID],
      result: 'array',
      shape: packets,
      help: 'What was sent over a virtual I/O to single clients, one character a byte, the oldest first.',
      run: (_caller, id) => wireOf(id).packets(),
    }),
    act({
      name: 'VIO_SendText',
      parameters: [InstanceID, Text],
      help: 'Sends a text over a virtual I/O as if a device below did, one character a byte (Latin-1).',
      run: (...[id, given]) => wireOf(id).send(latin1(given)),
    }),
    act({
      name: 'VIO_SendPacket',
      parameters: [InstanceID, Text, ClientIP, ClientPort],
      help: 'Sends a text over a virtual I/O to a client as if a device below did, one character a byte (Latin-1).',
      run: (...[id, given, address, port]) => wireOf(id).sendTo(latin1(given), { address, port }),
    }),
  ];
}

function received(wireOf: WireOf): FunctionDeclaration[] {
  return [
    act({
      name: 'VIO_PushText',
      parameters: [InstanceID, Text],
      help: 'The devices below a virtual I/O receive a text, one character a byte (Latin-1).',
      run: (...[id, given]) => wireOf(id).push(latin1(given)),
    }),
    act({
      name: 'VIO_PushTextHEX',
      parameters: [InstanceID, Text],
      help: 'The devices below a virtual I/O receive bytes, given as hexadecimal digits.',
      run: (...[id, given]) => wireOf(id).push(hexBytes(given)),
    }),
    act({
      name: 'VIO_PushPacket',
      parameters: [InstanceID, Text, ClientIP, ClientPort],
      help: 'The devices below a virtual I/O receive a text of a client, one character a byte (Latin-1).',
      run: (...[id, given, address, port]) => wireOf(id).push(latin1(given), { address, port }),
    }),
    act({
      name: 'VIO_PushPacketHEX',
      parameters: [InstanceID, Text, ClientIP, ClientPort],
      help: 'The devices below a virtual I/O receive bytes of a client, given as hexadecimal digits.',
      run: (...[id, given, address, port]) => wireOf(id).push(hexBytes(given), { address, port }),
    }),
  ];
}

function clients(wireOf: WireOf): FunctionDeclaration[] {
  return [
    act({
      name: 'VIO_Connect',
      parameters: [InstanceID, ClientIP, ClientPort],
      help: 'A client comes to a virtual I/O, as to a server.',
      run: (...[id, address, port]) => wireOf(id).connect({ address, port }),
    }),
    act({
      name: 'VIO_Disconnect',
      parameters: [InstanceID, ClientIP, ClientPort],
      help: 'A client of a virtual I/O leaves; what it had begun to say is forgotten.',
      run: (...[id, address, port]) => wireOf(id).disconnect({ address, port }),
    }),
  ];
}

function web(wireOf: WireOf): FunctionDeclaration[] {
  return [
    act({
      name: 'VIO_HTTPResponse',
      parameters: [InstanceID, text('Route'), text('Method'), text('Data')],
      help: 'Sets what a device below a virtual I/O is answered when it sends such a request of HTTP/1.',
      run: (...[id, route, method, data]) => wireOf(id).answer(route, method, data),
    }),
    act({
      name: 'VIO_PushData',
      parameters: [InstanceID, text('Event'), text('Data'), text('Retry'), text('ID')],
      help: 'The devices below a virtual I/O receive a server-sent event, as it stands in an event stream (UTF-8).',
      run: (...[wire, event, data, retry, id]) => wireOf(wire).pushEvent({ event, data, retry, id }),
    }),
  ];
}

interface Act<P extends readonly Parameter[]> {
  readonly name: string;
  readonly parameters: P;
  readonly help: string;
  readonly run: (
    ...given: { [K in keyof P]: P[K] extends Parameter<infer T> ? T : never }
  ) => void | Promise<void>;
}

/** A function that does something, and is true when it is done. Scripts may do so often: their calls stand in no audit. */
function act<const P extends readonly Parameter[]>({ run, ...declared }: Act<P>): FunctionDeclaration {
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

/** The bytes that hexadecimal digits stand for; blanks may stand between. Throws `CANNOT_CONVERT`. */
function hexBytes(digits: string): Buffer {
  const plain = digits.replaceAll(/\s/g, '');
  if (!/^(?:[0-9a-fA-F]{2})*$/.test(plain))
    throw fault('CANNOT_CONVERT', 'Text', 'it is not made of whole hexadecimal bytes');
  return Buffer.from(plain, 'hex');
}
