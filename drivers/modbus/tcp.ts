import type { Framing } from './framing.js';
import { isReplyTo } from './pdu.js';

/** Transaction, protocol, length, unit [MODBUS Messaging on TCP/IP V1.0b §3.1.3]. */
const HEADER_LENGTH = 7;
/** Largest value of the length field: the unit and a PDU of 253 bytes. */
const MAX_LENGTH_FIELD = 254;

/** Modbus TCP: an MBAP header precedes the PDU. */
export const tcp: Framing = {
  hasTransactions: true,
  maxFrameLength: HEADER_LENGTH - 1 + MAX_LENGTH_FIELD,
  frameLength: (pduLength) => HEADER_LENGTH + pduLength,
  encode({ unit, request: { pdu }, transaction }) {
    const head = Buffer.alloc(HEADER_LENGTH);
    head.writeUInt16BE(transaction, 0);
    head.writeUInt16BE(pdu.length + 1, 4);
    head.writeUInt8(unit, 6);
    return Buffer.concat([head, pdu]);
  },
  findReply(received, { unit, request, transaction }) {
    let at = 0;
    while (at + HEADER_LENGTH <= received.length) {
      const length = received.readUInt16BE(at + 4);
      // Not a valid header. The start of the next frame is unknown, so all received bytes are dropped.
      if (received.readUInt16BE(at + 2) !== 0 || length < 2 || length > MAX_LENGTH_FIELD)
        return { pdu: undefined, consumed: received.length };
      const end = at + HEADER_LENGTH - 1 + length;
      if (end > received.length) break;
      const pdu = received.subarray(at + HEADER_LENGTH, end);
      if (received.readUInt16BE(at) === transaction && received[at + 6] === unit && isReplyTo(request, pdu))
        return { pdu, consumed: end };
      at = end;
    }
    return { pdu: undefined, consumed: at };
  },
};
