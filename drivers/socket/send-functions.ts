import { declare, int, text, type FunctionDeclaration } from '../../src/device/declare.js';
import { encodeLatin1 } from '../../src/device/toolkit/latin1.js';
import type { OpenInstances } from '../../src/device/module.js';
import type { Peer } from '../../src/device/byte-stream.js';

/** Describes a socket module for the declaration of its functions. */
interface SendModule {
  readonly module: { readonly id: string; readonly name: string };
  readonly prefix: string;
  /** The destination, for help texts: `over a client socket`. */
  readonly where: string;
}

interface Sender {
  send(bytes: Uint8Array): Promise<void>;
}

interface PacketSender {
  sendTo(bytes: Uint8Array, to: Peer): Promise<void>;
}

/** Declares `*_SendText` for a module whose instances provide a byte stream. */
export function declareSendText(
  instances: OpenInstances,
  { module, prefix, where }: SendModule,
): FunctionDeclaration {
  return declare({
    name: `${prefix}_SendText`,
    parameters: [int('InstanceID'), text('Text')],
    result: 'boolean',
    audited: true,
    help: `Sends a text ${where}; each character is one byte (Latin-1).`,
    run: async (_caller, id, sent) => {
      await (instances.openInstance(id, module).provided as Sender).send(encodeLatin1(sent));
      return true;
    },
  });
}

/** Declares `*_SendPacket` for a module whose instances have several peers. */
export function declareSendPacket(
  instances: OpenInstances,
  { module, prefix, where }: SendModule,
): FunctionDeclaration {
  return declare({
    name: `${prefix}_SendPacket`,
    parameters: [int('InstanceID'), text('Text'), text('ClientIP'), int('ClientPort')],
    result: 'boolean',
    audited: true,
    help: `Sends a text ${where}; each character is one byte (Latin-1).`,
    run: async (_caller, ...[id, sent, address, port]) => {
      await (instances.openInstance(id, module).provided as PacketSender).sendTo(encodeLatin1(sent), {
        address,
        port,
      });
      return true;
    },
  });
}
