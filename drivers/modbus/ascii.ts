import { lrc } from './checksums.js';
import type { Framing, FrameMatch } from './framing.js';
import { isReplyTo } from './pdu.js';

const COLON = 0x3a;
const CARRIAGE_RETURN = 0x0d;

/** Modbus ASCII [MODBUS over Serial Line V1.02 §2.5.2]: hexadecimal digits between a colon and CR LF. */
export const ascii: Framing = {
  hasTransactions: false,
  maxFrameLength: 513,
  frameLength: (pduLength) => 2 * (pduLength + 2) + 3,
  encode({ unit, request: { pdu } }) {
    const bytes = Buffer.concat([Buffer.from([unit]), pdu]);
    const digits = Buffer.concat([bytes, Buffer.from([lrc(bytes)])]).toString('hex');
    return Buffer.from(`:${digits.toUpperCase()}\r\n`);
  },
  findReply(received, { unit, request }): FrameMatch {
    let from = received.indexOf(COLON);
    for (let next = from; next >= 0;) {
      from = next;
      next = received.indexOf(COLON, from + 1);
      const end = received.indexOf(CARRIAGE_RETURN, from);
      // A colon always starts a new frame, whatever precedes it.
      if (end < 0 || (next >= 0 && next < end)) continue;
      const bytes = Buffer.from(received.toString('latin1', from + 1, end), 'hex');
      const isValid = 2 * bytes.length === end - from - 1 && bytes.length > 2 && lrc(bytes) === 0;
      const pdu = bytes.subarray(1, -1);
      if (isValid && bytes[0] === unit && isReplyTo(request, pdu)) return { pdu, consumed: end + 1 };
    }
    return { pdu: undefined, consumed: from < 0 ? received.length : from };
  },
};
