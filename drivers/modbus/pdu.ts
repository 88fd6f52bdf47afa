import { fault, type Fault } from '../../src/base/fault.js';

/** What reads: coils, discrete inputs, holding registers, input registers [MODBUS Application Protocol V1.1b3 §6]. */
export type ReadCode = 1 | 2 | 3 | 4;
/** What writes: one coil, one register, several coils, several registers. */
export type WriteCode = 5 | 6 | 15 | 16;

/** Coils or registers in a row. */
export interface Block {
  readonly address: number;
  readonly count: number;
}

/** One request, and how the answer to it is known. */
export interface PduRequest {
  readonly functionCode: ReadCode | WriteCode;
  /** Function code and data, without anything around them. */
  readonly pdu: Buffer;
  /** How long its answer is, unless that is an exception. */
  readonly replyLength: number;
  /** What a read is of. */
  readonly block?: Block;
}

/** An exception's answer: function code with the highest bit set, and a code. */
export const EXCEPTION_LENGTH = 2;
/** In the function code of an exception's answer. */
export const EXCEPTION_BIT = 0x80;

const COIL_ON = 0xff00;
/** Function code, address, and value or quantity: what a confirmed write gives back (§6.5, §6.6, §6.11, §6.12). */
const ECHO_LENGTH = 5;

/** The request for so many coils or registers from an address on. */
export function readRequest(functionCode: ReadCode, address: number, count: number): PduRequest {
  const pdu = Buffer.from([functionCode, 0, 0, 0, 0]);
  pdu.writeUInt16BE(address, 1);
  pdu.writeUInt16BE(count, 3);
  const bytes = functionCode <= 2 ? Math.ceil(count / 8) : 2 * count;
  return { functionCode, pdu, replyLength: 2 + bytes, block: { address: address, count } };
}

/** The request that switches one coil. */
export function coilRequest(functionCode: 5 | 15, address: number, isOn: boolean): PduRequest {
  const pdu = functionCode === 5 ? Buffer.alloc(5) : Buffer.from([0, 0, 0, 0, 1, 1, isOn ? 1 : 0]);
  pdu.writeUInt8(functionCode, 0);
  pdu.writeUInt16BE(address, 1);
  if (functionCode === 5) pdu.writeUInt16BE(isOn ? COIL_ON : 0, 3);
  return { functionCode, pdu, replyLength: ECHO_LENGTH };
}

/** The request that writes registers from an address on; with function code 6 exactly one. */
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

/** Whether a PDU can be the answer to a request: its form, and for a write what it confirms. */
export function isReplyTo(
  { functionCode, pdu: asked, replyLength: answerLength }: PduRequest,
  pdu: Buffer,
): boolean {
  if (pdu[0] === (functionCode | EXCEPTION_BIT)) return pdu.length === EXCEPTION_LENGTH;
  if (pdu[0] !== functionCode || pdu.length !== answerLength) return false;
  if (functionCode <= 4) return pdu[1] === answerLength - 2;
  return pdu.compare(asked, 0, ECHO_LENGTH) === 0;
}

/** The code of an answer that is an exception; undefined for any other. */
export function exceptionCodeOf(pdu: Buffer): number | undefined {
  return ((pdu[0] ?? 0) & EXCEPTION_BIT) === 0 ? undefined : pdu[1];
}

/** Exceptions that a gateway on the way answers with when the unit does not (§7: 0A, 0B). */
export function isGatewayException(exception: number): boolean {
  return exception === 10 || exception === 11;
}

/** By code (§7). */
const EXCEPTIONS: Readonly<Record<number, string>> = {
  1: 'illegal function: the unit does not know this function code',
  2: 'illegal data address: the unit has nothing at this address, or not that many registers',
  3: 'illegal data value: the unit does not take this value',
  4: 'server device failure: the unit tried and failed',
  5: 'acknowledge: the unit needs longer for it; read later whether it is done',
  6: 'server device busy: the unit has something else to do; try again later',
  7: 'negative acknowledge: the unit can not do it',
  8: 'memory parity error: the unit found its memory damaged',
  10: 'gateway path unavailable: the gateway on the way has no line to the unit',
  11: 'gateway target device failed to respond: the unit does not answer the gateway on the way',
};

/** What an exception means, in words, with its code. */
export function describeException(code: number): string {
  return `exception ${code}, ${EXCEPTIONS[code] ?? 'which the protocol does not know'}`;
}

/** An exception as a fault of the device. */
export function exceptionFault(unit: number, code: number): Fault {
  return fault('DEVICE_REFUSED', `unit ${unit} answers with ${describeException(code)}`);
}
