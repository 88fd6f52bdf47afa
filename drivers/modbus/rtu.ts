import { crc16 } from './checksums.js';
import type { Framing } from './framing.js';
import { EXCEPTION_BIT, EXCEPTION_LENGTH, isReplyTo, type PduRequest } from './pdu.js';

/** Bytes around the PDU: the unit before it, the CRC after it. */
const OVERHEAD = 3;

/**
 * Modbus RTU [MODBUS over Serial Line V1.02 §2.5.1]. The specification ends frames by silence, which USB
 * adapters and networks do not preserve. The reply is recognized by its unit, its function code, its length,
 * which follows from the request, and its CRC.
 */
export const rtu: Framing = {
  hasTransactions: false,
  maxFrameLength: 256,
  frameLength: (pduLength) => pduLength + OVERHEAD,
  encode({ unit, request: { pdu } }) {
    const frame = Buffer.alloc(pdu.length + OVERHEAD);
    frame.writeUInt8(unit, 0);
    pdu.copy(frame, 1);
    frame.writeUInt16LE(crc16(frame, 0, frame.length - 2), frame.length - 2);
    return frame;
  },
  findReply(received, { unit, request }) {
    let partialAt: number | undefined;
    for (let at = received.indexOf(unit); at >= 0; at = received.indexOf(unit, at + 1)) {
      const length = replyLengthAt(received, at, request);
      if (length === undefined) continue;
      const end = at + OVERHEAD + length;
      if (end > received.length) partialAt ??= at;
      else if (received.readUInt16LE(end - 2) === crc16(received, at, end - 2)) {
        const pdu = received.subarray(at + 1, end - 2);
        if (isReplyTo(request, pdu)) return { pdu, consumed: end };
      }
    }
    return { pdu: undefined, consumed: partialAt ?? received.length };
  },
};

/** Length of the PDU of a reply that begins at `at`; undefined if none can begin there. */
function replyLengthAt(
  received: Buffer,
  at: number,
  { functionCode, replyLength, lengthOf }: PduRequest,
): number | undefined {
  const code = received[at + 1];
  if (code === undefined) return replyLength;
  if (code === functionCode) return lengthOf?.(received.subarray(at + 1)) ?? replyLength;
  return code === (functionCode | EXCEPTION_BIT) ? EXCEPTION_LENGTH : undefined;
}
