import type { PduRequest } from './pdu.js';

/** A request with its destination. */
interface AddressedRequest {
  readonly unit: number;
  readonly request: PduRequest;
  /** Transaction identifier of Modbus TCP, 0 to 65535, different for each request. */
  readonly transaction: number;
}

/** The result of searching the received bytes for a reply. */
export interface FrameMatch {
  /** PDU of the reply; undefined until it has been received completely. */
  readonly pdu: Buffer | undefined;
  /** Number of leading bytes that are no longer needed. */
  readonly consumed: number;
}

/**
 * Encodes requests into, and finds replies in, a stream of bytes. Pure; skips invalid frames and replies to
 * other requests.
 */
export interface Framing {
  /**
   * True if frames have headers and replies carry a transaction identifier; otherwise silence separates
   * frames, and replies are matched by order.
   */
  readonly hasTransactions: boolean;
  /** Longest frame, bytes. */
  readonly maxFrameLength: number;
  /** Encodes a request. */
  encode(addressed: AddressedRequest): Buffer;
  /** Length of the frame of a PDU of this length. */
  frameLength(pduLength: number): number;
  /** Searches received bytes for the reply to a request. */
  findReply(received: Buffer, addressed: AddressedRequest): FrameMatch;
}
