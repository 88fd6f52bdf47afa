import { crc16 } from '../checksums.js';

/** A request that a client has sent to a unit of this gateway. */
export interface ReceivedRequest {
  readonly unit: number;
  readonly pdu: Buffer;
  /** Wraps the PDU of a reply into a frame. */
  frame(pdu: Buffer): Buffer;
}

/** Finds the requests in the bytes of one client; keeps a limited number of bytes. */
export interface RequestParser {
  /** Returns the complete requests. */
  push(bytes: Uint8Array): readonly ReceivedRequest[];
}

/** Transaction, protocol, length, unit [MODBUS Messaging on TCP/IP V1.0b §3.1.3]. */
const MBAP_HEAD = 7;
const MAX_PDU = 253;
const MAX_RTU = 256;
const RTU_OVERHEAD = 3;

/** Requests of Modbus TCP. */
export class TcpRequestParser implements RequestParser {
  #buffer: Buffer = Buffer.alloc(0);

  push(bytes: Uint8Array): readonly ReceivedRequest[] {
    this.#buffer = Buffer.concat([this.#buffer, bytes]);
    const found: ReceivedRequest[] = [];
    while (this.#buffer.length >= MBAP_HEAD) {
      const head = this.#buffer.subarray(0, MBAP_HEAD);
      const length = head.readUInt16BE(4);
      // The start of the next frame is unknown: everything is dropped.
      if (head.readUInt16BE(2) !== 0 || length < 2 || length > MAX_PDU + 1) {
        this.#buffer = Buffer.alloc(0);
        break;
      }
      const end = MBAP_HEAD - 1 + length;
      if (this.#buffer.length < end) break;
      const unit = head.readUInt8(6);
      found.push({
        unit,
        pdu: Buffer.from(this.#buffer.subarray(MBAP_HEAD, end)),
        frame: (pdu) => tcpFrame(head, pdu),
      });
      this.#buffer = this.#buffer.subarray(end);
    }
    return found;
  }
}

function tcpFrame(head: Buffer, pdu: Buffer): Buffer {
  const reply = Buffer.concat([head, pdu]);
  reply.writeUInt16BE(pdu.length + 1, 4);
  return reply;
}

/**
 * Requests of Modbus RTU. Frames are recognised by their function code, its length and the CRC, as networks and
 * USB adapters do not preserve the silence between them. Replies of other units on the line are skipped.
 */
export class RtuRequestParser implements RequestParser {
  readonly #unit: number;
  #buffer: Buffer = Buffer.alloc(0);

  constructor(unit: number) {
    this.#unit = unit;
  }

  push(bytes: Uint8Array): readonly ReceivedRequest[] {
    this.#buffer = Buffer.concat([this.#buffer, bytes]).subarray(-2 * MAX_RTU);
    const found: ReceivedRequest[] = [];
    let partialAt: number | undefined;
    let at = this.#buffer.indexOf(this.#unit);
    while (at >= 0) {
      const length = rtuLength(this.#buffer, at);
      const end = at + (length ?? 0);
      if (length !== undefined && end > this.#buffer.length) partialAt ??= at;
      else if (
        length !== undefined &&
        this.#buffer.readUInt16LE(end - 2) === crc16(this.#buffer, at, end - 2)
      ) {
        const unit = this.#unit;
        found.push({
          unit,
          pdu: Buffer.from(this.#buffer.subarray(at + 1, end - 2)),
          frame: (pdu) => rtuFrame(unit, pdu),
        });
        partialAt = undefined;
        this.#buffer = this.#buffer.subarray(end);
        at = this.#buffer.indexOf(this.#unit);
        continue;
      }
      at = this.#buffer.indexOf(this.#unit, at + 1);
    }
    this.#buffer = partialAt === undefined ? Buffer.alloc(0) : this.#buffer.subarray(partialAt);
    return found;
  }
}

/** Length of the frame of a request that begins at `at`; undefined if none can. */
function rtuLength(received: Buffer, at: number): number | undefined {
  const code = received[at + 1];
  if (code === undefined) return RTU_OVERHEAD + 5;
  if (code >= 1 && code <= 6) return RTU_OVERHEAD + 5;
  if (code === 15 || code === 16) return RTU_OVERHEAD + 6 + Math.min(received[at + 6] ?? 1, 247);
  // Other function codes: their length is not known; they are answered on TCP only.
  return undefined;
}

function rtuFrame(unit: number, pdu: Buffer): Buffer {
  const frame = Buffer.alloc(pdu.length + RTU_OVERHEAD);
  frame.writeUInt8(unit, 0);
  pdu.copy(frame, 1);
  frame.writeUInt16LE(crc16(frame, 0, frame.length - 2), frame.length - 2);
  return frame;
}
