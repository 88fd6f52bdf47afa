import type { Text } from '../../src/base/codes/coded-text.js';
import type { Flow } from '../../src/device/module.js';
import type { PduRequest } from './pdu.js';

/** One unit, as a ModBus Gateway provides it to its addresses. */
export interface ModbusUnit {
  /** For messages: `unit 3`. */
  readonly name: string;
  /** Values of several registers have their low word first. */
  readonly swapWords: boolean;
  /**
   * Sends a request; resolves with the PDU of the reply. A `poll` is repeated if no reply comes, and waits
   * for all commands; a `command` is never sent twice. A `probe` is a read whose missing reply says nothing
   * about the unit: the device search sends requests that many devices do not know. Rejects with
   * `DEVICE_REFUSED` for an exception, with `DEVICE_OFFLINE` without a reply or while the unit is offline, with
   * `BUSY`, or with the signal's reason. Nothing is sent after that.
   */
  execute(request: PduRequest, priority: 'poll' | 'command' | 'probe', signal: AbortSignal): Promise<Buffer>;
  /**
   * Calls the listener with a reason when the unit goes offline (immediately if it is), and with undefined
   * when it is back. Returns a function that removes the listener.
   */
  onOffline(listener: (text: Text | undefined) => void): () => void;
}

/** The data flow from a ModBus Gateway to its addresses; the ID is part of the interface. */
export const modbusFlow: Flow<ModbusUnit> = { id: '{E310B701-4AE7-458E-B618-EC13A1A6F6A8}' };
