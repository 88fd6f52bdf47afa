import type { Framing } from './framing.js';
import { fits } from './pdu.js';

/** Transaction, protocol, length, unit [MODBUS Messaging on TCP/IP V1.0b §3.1.3]. */
const HEAD = 7;
/** What the length counts at most: the unit and a PDU of 253 bytes. */
const LENGTH_MAX = 254;

/** Modbus TCP: a header before the PDU. */
export const tcp: Framing = {
  hasTransactions: true,
  limit: HEAD - 1 + LENGTH_MAX,
  lengthOf: (pduLength) => HEAD + pduLength,
  frame({ unit, request: { pdu }, transaction }) {
    const head = Buffer.alloc(HEAD);
    head.writeUInt16BE(transaction, 0);
    head.writeUInt16BE(pdu.length + 1, 4);
    head.writeUInt8(unit, 6);
    return Buffer.concat([head, pdu]);
  },
  find(held, { unit, request, transaction }) {
    let at = 0;
    while (at + HEAD <= held.length) {
      const length = held.readUInt16BE(at + 4);
      // Not the head of a frame: where the next one begins nobody can tell, so all that came is dropped.
      if (held.readUInt16BE(at + 2) !== 0 || length < 2 || length > LENGTH_MAX)
        return { pdu: undefined, used: held.length };
      const end = at + HEAD - 1 + length;
      if (end > held.length) break;
      const pdu = held.subarray(at + HEAD, end);
      if (held.readUInt16BE(at) === transaction && held[at + 6] === unit && fits(request, pdu))
        return { pdu, used: end };
      at = end;
    }
    return { pdu: undefined, used: at };
  },
};
