import { codeOf } from '../../../src/base/fault.js';
import type { Value } from '../../../src/device/module.js';
import { exact } from '../../../src/device/toolkit/reading.js';
import { encode } from '../codec.js';
import { decodeValue } from '../mapped/value-codec.js';
import type { Table } from '../maps/map-schema.js';
import type { MapValue, RegisterMap } from '../maps/register-map.js';

/** Exception codes [MODBUS Application Protocol V1.1b3 §7]. */
const exception = { function: 1, address: 2, value: 3, failure: 4, busy: 6 } as const;
type ExceptionCode = (typeof exception)[keyof typeof exception];

/** A request that is answered with an exception. */
class ModbusException extends Error {
  override readonly name = 'ModbusException';
  readonly exception: ExceptionCode;
  constructor(code: ExceptionCode) {
    super(`exception ${code}`);
    this.exception = code;
  }
}

/** What the tables need from the tree. */
interface ServedValues {
  /** The value at a path; undefined if there is none, or it is bad. */
  read(path: string): Value | undefined;
  /** Requests a value, as `RequestAction` does. */
  write(path: string, value: Value): Promise<void>;
}

/** Coils and registers of one request [MODBUS Application Protocol V1.1b3 §6]. */
const MAX_BITS = 2000;
const MAX_REGISTERS = 125;
const MAX_WRITE_BITS = 1968;
const MAX_WRITE_REGISTERS = 123;

/** The four tables of the server, as its map describes them. */
export class ServedTables {
  readonly #values: ServedValues;
  /** By table and address: the value that occupies it. */
  readonly #at = new Map<string, MapValue>();

  constructor(map: RegisterMap, values: ServedValues) {
    this.#values = values;
    for (const { table, values: some } of map.blocks)
      for (const value of some)
        for (let index = 0; index < value.length; index++)
          this.#at.set(`${table} ${value.at + index}`, value);
  }

  /** The PDU of the reply to a request. Values that are not written when the signal aborts stay as they are. */
  async reply(pdu: Buffer, signal: AbortSignal): Promise<Buffer> {
    const code = pdu[0] ?? 0;
    try {
      switch (code) {
        case 1:
          return this.#readBits(code, 'coils', pdu);
        case 2:
          return this.#readBits(code, 'discrete', pdu);
        case 3:
          return this.#readRegisters(code, 'holding', pdu);
        case 4:
          return this.#readRegisters(code, 'input', pdu);
        case 5:
        case 15:
          return await this.#writeCoils(pdu, signal);
        case 6:
        case 16:
          return await this.#writeRegisters(pdu, signal);
        default:
          throw new ModbusException(exception.function);
      }
    } catch (thrown) {
      const number = thrown instanceof ModbusException ? thrown.exception : exceptionOf(thrown);
      return Buffer.from([code | 0x80, number]);
    }
  }

  #readBits(code: number, table: Table, pdu: Buffer): Buffer {
    const { at, count } = range(pdu, MAX_BITS);
    const reply = Buffer.alloc(2 + Math.ceil(count / 8));
    reply[0] = code;
    reply[1] = reply.length - 2;
    for (let index = 0; index < count; index++) {
      const value = this.#find(table, at + index);
      const present = this.#values.read(value.variable) ?? value.bad;
      if (present === undefined) throw new ModbusException(exception.failure);
      if (present !== false && present !== 0)
        reply[2 + (index >> 3)] = (reply[2 + (index >> 3)] ?? 0) | (1 << (index & 7));
    }
    return reply;
  }

  #readRegisters(code: number, table: Table, pdu: Buffer): Buffer {
    const { at, count } = range(pdu, MAX_REGISTERS);
    const reply = Buffer.alloc(2 + 2 * count);
    reply[0] = code;
    reply[1] = 2 * count;
    const encoded = new Map<MapValue, Buffer>();
    for (let index = 0; index < count; index++) {
      const value = this.#find(table, at + index);
      const registers = encoded.get(value) ?? this.#encode(value);
      encoded.set(value, registers);
      registers.copy(reply, 2 + 2 * index, 2 * (at + index - value.at), 2 * (at + index - value.at) + 2);
    }
    return reply;
  }

  #encode(value: MapValue): Buffer {
    const present = this.#values.read(value.variable) ?? value.bad;
    const { layout, bit, offset } = value;
    if (present === undefined || layout === undefined) throw new ModbusException(exception.failure);
    const number = typeof present === 'boolean' ? Number(present) << (bit ?? 0) : present;
    try {
      return encode(layout, typeof number === 'number' ? exact(number - offset) : number);
    } catch (thrown) {
      // A value that does not fit into its registers must not become another one.
      if (codeOf(thrown) !== 'CANNOT_CONVERT') throw thrown;
      throw new ModbusException(exception.failure);
    }
  }

  async #writeCoils(pdu: Buffer, signal: AbortSignal): Promise<Buffer> {
    const at = pdu.readUInt16BE(1);
    const bits = coilsOf(pdu);
    const writes = bits.map((isOn, index) => [this.#writable('coils', at + index), isOn] as const);
    await this.#write(writes, signal);
    return pdu.subarray(0, 5);
  }

  async #writeRegisters(pdu: Buffer, signal: AbortSignal): Promise<Buffer> {
    const at = pdu.readUInt16BE(1);
    const data = registersOf(pdu);
    const writes: (readonly [MapValue, Value])[] = [];
    for (let index = 0; index < data.length / 2;) {
      const value = this.#writable('holding', at + index);
      const end = index + value.length;
      // A part of a value is no value.
      if (value.at !== at + index || end > data.length / 2) throw new ModbusException(exception.address);
      writes.push([value, this.#decode(value, data.subarray(2 * index, 2 * end))]);
      index = end;
    }
    await this.#write(writes, signal);
    return pdu.subarray(0, 5);
  }

  async #write(writes: readonly (readonly [MapValue, Value])[], signal: AbortSignal): Promise<void> {
    for (const [value, written] of writes) {
      signal.throwIfAborted();
      await this.#values.write(value.variable, written);
    }
  }

  #decode(value: MapValue, registers: Buffer): Value {
    const decoded = decodeValue(value, registers, undefined);
    const { min = -Infinity, max = Infinity } = value.write ?? {};
    if (typeof decoded === 'object' || (typeof decoded === 'number' && (decoded < min || decoded > max)))
      throw new ModbusException(exception.value);
    return typeof this.#values.read(value.variable) === 'boolean' && typeof decoded === 'number'
      ? decoded !== 0
      : decoded;
  }

  #writable(table: Table, at: number): MapValue {
    const value = this.#find(table, at);
    if (value.write === undefined) throw new ModbusException(exception.address);
    return value;
  }

  #find(table: Table, at: number): MapValue {
    const value = this.#at.get(`${table} ${at}`);
    if (value === undefined) throw new ModbusException(exception.address);
    return value;
  }
}

/** The faults of an action as exceptions: a value that is not allowed, a rule or device that rejects it. */
function exceptionOf(thrown: unknown): ExceptionCode {
  switch (codeOf(thrown)) {
    case 'CANNOT_CONVERT':
    case 'VALUE_OUT_OF_RANGE':
      return exception.value;
    case 'READ_ONLY':
      return exception.address;
    case 'BUSY':
      return exception.busy;
    default:
      return exception.failure;
  }
}

function range(pdu: Buffer, limit: number): { readonly at: number; readonly count: number } {
  if (pdu.length !== 5) throw new ModbusException(exception.value);
  const count = pdu.readUInt16BE(3);
  if (count < 1 || count > limit) throw new ModbusException(exception.value);
  return { at: pdu.readUInt16BE(1), count };
}

function coilsOf(pdu: Buffer): boolean[] {
  if (pdu[0] === 5) {
    const word = pdu.length === 5 ? pdu.readUInt16BE(3) : 1;
    if (word !== 0 && word !== 0xff00) throw new ModbusException(exception.value);
    return [word !== 0];
  }
  const count = pdu.length > 6 ? pdu.readUInt16BE(3) : 0;
  const bytes = pdu.subarray(6);
  const isValid =
    count >= 1 && count <= MAX_WRITE_BITS && pdu[5] === Math.ceil(count / 8) && bytes.length === pdu[5];
  if (!isValid) throw new ModbusException(exception.value);
  return Array.from({ length: count }, (_, index) => (((bytes[index >> 3] ?? 0) >> (index & 7)) & 1) === 1);
}

function registersOf(pdu: Buffer): Buffer {
  if (pdu[0] === 6) {
    if (pdu.length !== 5) throw new ModbusException(exception.value);
    return pdu.subarray(3);
  }
  const count = pdu.length > 6 ? pdu.readUInt16BE(3) : 0;
  const isValid =
    count >= 1 && count <= MAX_WRITE_REGISTERS && pdu[5] === 2 * count && pdu.length === 6 + 2 * count;
  if (!isValid) throw new ModbusException(exception.value);
  return pdu.subarray(6);
}
