import { readRequest, type PduRequest } from './pdu.js';

/** A request as it was sent. */
interface SentRequest {
  readonly frame: Buffer;
  readonly request: PduRequest;
}

/**
 * Removes the echo of RS-485 adapters that receive what they send. Whether there is one is learned from requests
 * whose echo differs from every reply; the reply to a write with function codes 5 and 6 equals its request.
 */
export class EchoFilter {
  /** Undefined until it was learned. */
  #hasEcho: boolean | undefined;

  /** Whether the reply to a request can be distinguished from its echo. */
  canDecide(request: PduRequest): boolean {
    return this.#hasEcho !== undefined || !isConfirmedByItself(request);
  }

  /**
   * Number of leading bytes that are the echo of the request, 0 while it is not complete. While it is not known
   * whether there is an echo, a confirmation that equals the request counts as one: it proves nothing.
   */
  echoLength(received: Buffer, { frame, request }: SentRequest): number {
    if (received.length < frame.length || received.compare(frame, 0, frame.length, 0, frame.length) !== 0)
      return 0;
    if (isConfirmedByItself(request)) return this.#hasEcho === false ? 0 : frame.length;
    this.#hasEcho = true;
    return frame.length;
  }

  /** Whether bytes may be the beginning of the echo. */
  isPartialEcho(received: Buffer, { frame }: SentRequest): boolean {
    const { length } = received;
    return this.#hasEcho !== false && length < frame.length && received.compare(frame, 0, length) === 0;
  }

  /** Learns from a reply, and the number of bytes received before it: the echo would have preceded it. */
  learnReply({ frame, request }: SentRequest, bytesBefore: number): void {
    if (bytesBefore < frame.length && !isConfirmedByItself(request)) this.#hasEcho = false;
  }

  /** Learns that nothing at all was received after a request. */
  learnSilence(): void {
    this.#hasEcho ??= false;
  }
}

/** Whether the confirmation of a write is identical to the request (§6.5, §6.6). */
function isConfirmedByItself({ functionCode }: PduRequest): boolean {
  return functionCode === 5 || functionCode === 6;
}

/** A read whose echo differs from its reply, at the address of a write. It changes nothing. */
export function echoProbe({ functionCode, pdu }: PduRequest): PduRequest {
  return readRequest(functionCode === 5 ? 1 : 3, pdu.readUInt16BE(1), 1);
}
