import type { WebSocket } from 'ws';
import type { Clock } from '../../base/clock.js';
import type { FaultCode } from '../../base/fault.js';
import { faultOf, LINGER_MS, retryAfterS } from '../http/error-response.js';
import { closeCode } from './session.js';

/** Close codes of faults; those of others follow from whether waiting helps. */
const codes: Partial<Record<FaultCode, number>> = {
  UNAUTHORIZED: closeCode.unauthorized,
  HOST_REFUSED: closeCode.forbidden,
  ORIGIN_REFUSED: closeCode.forbidden,
  NOT_FOUND: closeCode.notFound,
  STOPPING: closeCode.goingAway,
};

/**
 * Closes the WebSocket of a browser whose upgrade is rejected. A page cannot see the status of an upgrade, only
 * the code and the reason of a close: the code of the fault, or the seconds to wait (interface, decision 27).
 */
export function closeRejected(webSocket: WebSocket, thrown: unknown, clock: Pick<Clock, 'after'>): void {
  const fault = faultOf(thrown);
  const waitS = retryAfterS(fault);
  const code = codes[fault.code] ?? (waitS === undefined ? closeCode.internal : closeCode.wait);
  // Anything that it sends until then is ignored, including invalid frames.
  webSocket.on('error', () => undefined);
  webSocket.close(code, code === closeCode.wait ? String(waitS) : fault.code);
  webSocket.once(
    'close',
    clock.after(LINGER_MS, () => webSocket.terminate()),
  );
}
