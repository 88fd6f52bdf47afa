import { crc16 } from './checksums.js';
import type { Framing } from './framing.js';
import { EXCEPTION_BIT, EXCEPTION_LENGTH, isReplyTo, type PduRequest } from './pdu.js';

/** Unit before the PDU, check behind it. */
const OVERHEAD = 3;

/**
 * Modbus RTU [MODBUS over Serial Line V1.02 §2.5.1]. Frames end by silence there, which USB adapters and networks don't
 * keep: the answer is known by its unit, its function code, its length, which follows from the request, and its check.
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
  findReply(held, { unit, request }) {
    let begun: number | undefined;
    for (let at = held.indexOf(unit); at >= 0; at = held.indexOf(unit, at + 1)) {
      const length = replyLengthAt(held, at, request);
      if (length === undefined) continue;
      const end = at + OVERHEAD + length;
      if (end > held.length) begun ??= at;
      else if (held.readUInt16LE(end - 2) === crc16(held, at, end - 2)) {
        const pdu = held.subarray(at + 1, end - 2);
        if (isReplyTo(request, pdu)) return { pdu, consumed: end };
      }
    }
    return { pdu: undefined, consumed: begun ?? held.length };
  },
};

/** How long the PDU of an answer that begins there would be; undefined where none does. */
function replyLengthAt(
  held: Buffer,
  at: number,
  { functionCode, replyLength: answerLength }: PduRequest,
): number | undefined {
  const code = held[at + 1];
  if (code === undefined || code === functionCode) return answerLength;
  return code === (functionCode | EXCEPTION_BIT) ? EXCEPTION_LENGTH : undefined;
}
