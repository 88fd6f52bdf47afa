import type { Flow } from '../../src/device/module.js';
import type { PduRequest } from './pdu.js';

/** One unit behind a ModBus Gateway, for the addresses connected to it. */
export interface ModbusUnit {
  /** For texts: `unit 3`. */
  readonly name: string;
  /** Of values of several registers the one with the low word comes first. */
  readonly swapWords: boolean;
  /**
   * The PDU that answers a request. A read that is `routine` is repeated where no answer comes, and waits behind what somebody
   * asked for; nothing else is ever sent twice. Rejects with `DEVICE_REFUSED` for an exception, with `DEVICE_OFFLINE` where no
   * answer came, or the unit is known to be away; with `BUSY`; with the signal's reason. Nothing is sent after that.
   */
  execute(request: PduRequest, manner: 'routine' | 'wish', signal: AbortSignal): Promise<Buffer>;
  /** Told when the unit stops answering, with why, and with undefined when it answers again; called at once where it is away. */
  onOffline(listener: (text: string | undefined) => void): () => void;
}

/** The interface's data flow between a ModBus Gateway and its addresses. */
export const modbusFlow: Flow<ModbusUnit> = { id: '{E310B701-4AE7-458E-B618-EC13A1A6F6A8}' };
