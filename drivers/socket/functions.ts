import { declare, int, text, type FunctionDeclaration } from '../../src/device/declare.js';
import { latin1 } from '../../src/device/latin1.js';
import type { RunningInstances } from '../../src/device/module.js';
import type { Peer } from '../../src/device/stream.js';

/** What is said of a module of sockets in its functions. */
export interface Sending {
  readonly module: { readonly id: string; readonly name: string };
  readonly prefix: string;
  /** Where it goes: `over a client socket`. */
  readonly where: string;
}

interface Sender {
  send(bytes: Uint8Array): Promise<void>;
}

interface PacketSender {
  sendTo(bytes: Uint8Array, to: Peer): Promise<void>;
}

/** `*_SendText` of a module whose instances offer a byte stream. */
export function sendText(
  instances: RunningInstances,
  { module, prefix, where }: Sending,
): FunctionDeclaration {
  return declare({
    name: `${prefix}_SendText`,
    parameters: [int('InstanceID'), text('Text')],
    result: 'boolean',
    audited: true,
    help: `Sends a text ${where}, one character a byte (Latin-1).`,
    run: async (_caller, id, sent) => {
      await (instances.running(id, module).offer as Sender).send(latin1(sent));
      return true;
    },
  });
}

/** `*_SendPacket` of a module whose instances have several at their other end. */
export function sendPacket(
  instances: RunningInstances,
  { module, prefix, where }: Sending,
): FunctionDeclaration {
  return declare({
    name: `${prefix}_SendPacket`,
    parameters: [int('InstanceID'), text('Text'), text('ClientIP'), int('ClientPort')],
    result: 'boolean',
    audited: true,
    help: `Sends a text ${where}, one character a byte (Latin-1).`,
    run: async (_caller, ...[id, sent, address, port]) => {
      await (instances.running(id, module).offer as PacketSender).sendTo(latin1(sent), { address, port });
      return true;
    },
  });
}
