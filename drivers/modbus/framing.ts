import type { PduRequest } from './pdu.js';

/** Whom a request goes to. */
export interface AddressedRequest {
  readonly unit: number;
  readonly request: PduRequest;
  /** Of Modbus TCP: 0 to 65535, another for each request. */
  readonly transaction: number;
}

/** What was found in the bytes that came. */
export interface FrameMatch {
  /** The PDU of the answer; undefined while it has not come. */
  readonly pdu: Buffer | undefined;
  /** So many bytes from the first on are done with. */
  readonly consumed: number;
}

/** How requests and answers are put on a stream of bytes. Pure; what is no frame, or answers something else, is passed over. */
export interface Framing {
  /** Frames are told apart by what stands in them, and answers by their transaction; else silence parts them, and order tells. */
  readonly hasTransactions: boolean;
  /** The longest frame, bytes. */
  readonly maxFrameLength: number;
  /** A request as it is sent. */
  encode(addressed: AddressedRequest): Buffer;
  /** How long the frame of a PDU of this length is. */
  frameLength(pduLength: number): number;
  /** Looks for the answer in what came. */
  findReply(held: Buffer, addressed: AddressedRequest): FrameMatch;
}
