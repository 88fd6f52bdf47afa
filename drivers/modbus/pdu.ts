import { coded, type CodedText } from '../../src/base/codes/coded-text.js';
import { fault, Fault } from '../../src/base/fault.js';

/**
 * Function codes that read coils, discrete inputs, holding registers and input registers [MODBUS Application
 * Protocol V1.1b3 §6].
 */
export type ReadCode = 1 | 2 | 3 | 4;
/** Function codes that write one coil, one register, several coils and several registers. */
type WriteCode = 5 | 6 | 15 | 16;
/** Function code that reads the device identification (§6.21). */
const READ_IDENTIFICATION = 43;

/** Consecutive coils or registers. */
export interface Block {
  readonly address: number;
  readonly count: number;
}

/** A request, and the length of its reply. */
export interface PduRequest {
  readonly functionCode: ReadCode | WriteCode | typeof READ_IDENTIFICATION;
  /** Function code and data, without the framing. */
  readonly pdu: Buffer;
  /** Length of the PDU of a normal reply, bytes; the longest one, if it varies. */
  readonly replyLength: number;
  /** The length of a reply of varying length, by the bytes received so far: at least what is still missing. */
  readonly lengthOf?: (received: Buffer) => number;
  /** The coils or registers that a read requests. */
  readonly block?: Block;
}

/** Length of an exception reply: function code with the highest bit set, and exception code. */
export const EXCEPTION_LENGTH = 2;
/** The bit that marks the function code of an exception reply. */
export const EXCEPTION_BIT = 0x80;

const COIL_ON = 0xff00;
/**
 * Length of the reply to a write: function code, address, and value or quantity (§6.5, §6.6, §6.11, §6.12).
 */
const ECHO_LENGTH = 5;

/** A request that reads `count` coils or registers, starting at `address`. */
export function readRequest(functionCode: ReadCode, address: number, count: number): PduRequest {
  const pdu = Buffer.from([functionCode, 0, 0, 0, 0]);
  pdu.writeUInt16BE(address, 1);
  pdu.writeUInt16BE(count, 3);
  const bytes = functionCode <= 2 ? Math.ceil(count / 8) : 2 * count;
  return { functionCode, pdu, replyLength: 2 + bytes, block: { address, count } };
}

/** A request that writes one coil. */
export function coilRequest(functionCode: 5 | 15, address: number, isOn: boolean): PduRequest {
  const pdu = functionCode === 5 ? Buffer.alloc(5) : Buffer.from([0, 0, 0, 0, 1, 1, isOn ? 1 : 0]);
  pdu.writeUInt8(functionCode, 0);
  pdu.writeUInt16BE(address, 1);
  if (functionCode === 5) pdu.writeUInt16BE(isOn ? COIL_ON : 0, 3);
  return { functionCode, pdu, replyLength: ECHO_LENGTH };
}

/** A request that writes registers, starting at `address`; function code 6 writes exactly one. */
export function registerRequest(functionCode: 6 | 16, address: number, registers: Buffer): PduRequest {
  const head = Buffer.alloc(functionCode === 6 ? 3 : 6);
  head.writeUInt8(functionCode, 0);
  head.writeUInt16BE(address, 1);
  if (functionCode === 16) {
    head.writeUInt16BE(registers.length / 2, 3);
    head.writeUInt8(registers.length, 5);
  }
  return { functionCode, pdu: Buffer.concat([head, registers]), replyLength: ECHO_LENGTH };
}

/** Largest PDU (§4.1). */
const MAX_PDU = 253;
const IDENTIFICATION_HEAD = 7;
const MORE_FOLLOWS = 0xff;

/** A request for the basic device identification, from one of its objects: vendor, product, revision (§6.21). */
export function identificationRequest(object: number): PduRequest {
  return {
    functionCode: READ_IDENTIFICATION,
    pdu: Buffer.from([READ_IDENTIFICATION, 14, 1, object]),
    replyLength: MAX_PDU,
    lengthOf(received) {
      let length = IDENTIFICATION_HEAD;
      for (let objects = received[6] ?? 0; objects > 0; objects--) length += 2 + (received[length + 1] ?? 0);
      return Math.min(MAX_PDU, length);
    },
  };
}

/** The objects in the reply to a request for the device identification, by their IDs. */
export function identificationObjects(pdu: Buffer): ReadonlyMap<number, string> {
  const found = new Map<number, string>();
  let at = IDENTIFICATION_HEAD;
  for (let objects = pdu[6] ?? 0; objects > 0 && at + 2 <= pdu.length; objects--) {
    const end = at + 2 + (pdu[at + 1] ?? 0);
    found.set(pdu[at] ?? 0, pdu.toString('latin1', at + 2, Math.min(end, pdu.length)).trim());
    at = end;
  }
  return found;
}

/** The object with which the next request for the device identification begins; undefined if nothing follows. */
export function nextIdentification(pdu: Buffer): number | undefined {
  return pdu[4] === MORE_FOLLOWS ? pdu[5] : undefined;
}

/** Whether a PDU can be the reply to a request, by its form and, for a write, by the echoed data. */
export function isReplyTo(
  { functionCode, pdu: requested, replyLength, lengthOf }: PduRequest,
  pdu: Buffer,
): boolean {
  if (pdu[0] === (functionCode | EXCEPTION_BIT)) return pdu.length === EXCEPTION_LENGTH;
  if (lengthOf !== undefined) return pdu[0] === functionCode && pdu[1] === 14 && pdu.length === lengthOf(pdu);
  if (pdu[0] !== functionCode || pdu.length !== replyLength) return false;
  if (functionCode <= 4) return pdu[1] === replyLength - 2;
  return pdu.compare(requested, 0, ECHO_LENGTH) === 0;
}

/** The exception code of a reply; undefined if it is not an exception. */
export function exceptionCodeOf(pdu: Buffer): number | undefined {
  return ((pdu[0] ?? 0) & EXCEPTION_BIT) === 0 ? undefined : pdu[1];
}

/**
 * Whether a Modbus gateway, not the unit, sent this exception because the unit does not respond (§7: 0A, 0B).
 */
export function isGatewayException(exception: number): boolean {
  return exception === 10 || exception === 11;
}

/** Exception texts by code (§7). */
const EXCEPTIONS: Readonly<Record<number, CodedText>> = {
  1: coded`ILLEGAL_FUNCTION_UNIT_DOES: illegal function: the unit does not support this function code`,
  2: coded`ILLEGAL_DATA_ADDRESS_UNIT: illegal data address: the unit has no such address, or fewer registers than requested`,
  3: coded`ILLEGAL_DATA_VALUE_UNIT: illegal data value: the unit does not accept this value`,
  4: coded`SERVER_DEVICE_FAILURE_UNIT: server device failure: the unit failed to perform the request`,
  5: coded`ACKNOWLEDGE_UNIT_NEEDS_MORE: acknowledge: the unit needs more time; check the result later`,
  6: coded`SERVER_DEVICE_BUSY_UNIT: server device busy: the unit is busy; try again later`,
  7: coded`NEGATIVE_ACKNOWLEDGE_UNIT_CAN: negative acknowledge: the unit cannot perform the request`,
  8: coded`MEMORY_PARITY_ERROR_UNIT: memory parity error: the unit detected corrupt memory`,
  10: coded`GATEWAY_PATH_UNAVAILABLE_MODBUS: gateway path unavailable: the Modbus gateway has no path to the unit`,
  11: coded`GATEWAY_TARGET_DEVICE_FAILED: gateway target device failed to respond: the unit does not reply to the Modbus gateway`,
};

/** Describes an exception, with its code. */
export function describeException(code: number): CodedText {
  return coded`EXCEPTION: exception ${code}, ${EXCEPTIONS[code] ?? coded`WHICH_PROTOCOL_DOES_NOT: which the protocol does not define`}`;
}

/** The fault for an exception, with its code. */
export function exceptionFault(unit: number, exception: number): Fault & { readonly exception: number } {
  const text = coded`UNIT_REPLIED: unit ${unit} replied with ${describeException(exception)}`;
  return Object.assign(fault('DEVICE_REFUSED', text), { exception });
}

/** Whether a unit has rejected a request because it is busy (§7: 05, 06): the same request may succeed later. */
export function isBusy(thrown: unknown): boolean {
  const exception = thrown instanceof Fault && 'exception' in thrown ? thrown.exception : undefined;
  return exception === 5 || exception === 6;
}
