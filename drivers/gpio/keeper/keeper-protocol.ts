/** The messages of the line keeper (`main.c`), the connection that carries them, and the faults that they mean. */
import { coded, type Text } from '../../../src/base/codes/coded-text.js';
import { type Fault, fault } from '../../../src/base/fault.js';

/** The version of the protocol. */
export const PROTOCOL = 1;

/**
 * A connection for messages that may carry a requested line; a class of the addon (`native/keeper-socket.c`).
 */
export interface KeeperSocket {
  send(text: string, request?: unknown): void;
  /** Calls back for what has arrived, without waiting for the event loop. */
  receive(): void;
  close(): void;
}

/** Connects immediately, or throws. */
export type ConnectKeeper = (
  socket: string,
  onMessage: (text: string, request: unknown) => void,
  onEnd: (code: string) => void,
) => KeeperSocket;

/** A message of the keeper, with the request of the line that it carried. */
export interface Reply {
  readonly text: string;
  readonly request: unknown;
}

/** The fault for a line that the keeper keeps for another gateway. */
export const anotherGateway = () =>
  fault('DEVICE_OFFLINE', coded`LINE_KEEPER_KEEPS_LINE: the line keeper keeps this line for another gateway`);

/** The fault for a reply of the keeper that rejects a line; undefined if it does not. */
export function rejectionOf(reply: string | undefined): Fault | undefined {
  switch (reply) {
    case 'busy':
      return anotherGateway();
    case 'refused':
      return fault(
        'DEVICE_CONFIGURATION',
        coded`LINE_DOES_NOT_SUPPORT: this line does not support that Drive`,
      );
    default:
      return undefined;
  }
}

/** The fault of a line that the keeper has taken over. */
export const reopened = (reason: Text) =>
  fault('DEVICE_OFFLINE', coded`OUTPUT_REOPENED: ${reason}; the output is reopened`);
