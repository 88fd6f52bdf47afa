import type { Cancel, Clock } from '../../../src/base/clock.js';
import type { SimulatedPeer } from '../../../drivers/serial/simulated-ports.js';

/** How a unit behaves: correctly, or with a fault. */
export type Behaviour =
  | 'answers'
  /** It does not reply. */
  | 'silent'
  /** Bits are inverted on the line. */
  | 'garbled'
  /** Its replies have another unit number. */
  | 'alien'
  /** It starts to send, and never stops. */
  | 'endless'
  /** It replies with this exception. */
  | { readonly exception: number };

/** A unit on a line: registers and coils that are read and written. */
export class FakeModbusUnit {
  readonly registers = new Map<number, number>();
  readonly coils = new Map<number, boolean>();
  behaviour: Behaviour = 'answers';
  /** Delay of its replies. */
  delayMs = 5;
  /** The reply to a request for more registers or coils than this. */
  limit = { count: Infinity, answer: 'exception' as 'exception' | 'nothing' };
  /** The objects of its device identification: vendor, product, revision; none if it has none. */
  identification: readonly string[] = [];
  /** Replies to requests for the device identification instead, by the object with which they begin. */
  identificationReply: ((object: number) => Buffer) | undefined;
  /** Addresses to which it never replies. */
  readonly silentAddresses = new Set<number>();
}

/** Units on one RS-485 line, written from the specification and not from the driver: Modbus RTU only. */
export class FakeModbusBus {
  readonly #far: SimulatedPeer;
  readonly #clock: Clock;
  readonly units = new Map<number, FakeModbusUnit>();
  /** All requests in order: `1:3@100` is unit 1, function 3, address 100. */
  readonly requests: string[] = [];
  /** Their times, monotonic milliseconds. */
  readonly requestedAtMs: number[] = [];
  readonly #timers = new Set<Cancel>();
  /** The adapter receives what is sent: in pieces of this many bytes; 0 for none. */
  echoPieces = 0;

  constructor(far: SimulatedPeer, clock: Clock) {
    this.#far = far;
    this.#clock = clock;
    far.onReceived.on((frame) => this.#hear(frame));
  }

  unit(number: number, registers: Readonly<Record<number, number>> = {}): FakeModbusUnit {
    const unit = new FakeModbusUnit();
    for (const [at, value] of Object.entries(registers)) unit.registers.set(Number(at), value);
    this.units.set(number, unit);
    return unit;
  }

  #hear(sent: Buffer): void {
    for (let at = 0; this.echoPieces > 0 && at < sent.length; at += this.echoPieces)
      this.#far.send(sent.subarray(at, at + this.echoPieces));
    const isText = sent[0] === 0x3a;
    const frame = isText ? fromText(sent) : sent.subarray(0, -2);
    const [number = 0, code = 0] = frame;
    const at = frame.readUInt16BE(2);
    this.requests.push(`${number}:${code}@${at}`);
    this.requestedAtMs.push(Number(this.#clock.monotonicNs()) / 1e6);
    const unit = this.units.get(number);
    const isSound = isText || sent.readUInt16LE(sent.length - 2) === bitwiseCrc(frame);
    if (unit === undefined || !isSound || unit.silentAddresses.has(at)) return;
    const isTooMuch = code <= 4 && frame.readUInt16BE(4) > unit.limit.count;
    if (isTooMuch && unit.limit.answer === 'nothing') return;
    const pdu = isTooMuch ? Buffer.from([code | 0x80, 3]) : reply(unit, frame.subarray(1));
    const seal = isText ? toText : rtuFrame;
    const back = seal(unit.behaviour === 'alien' ? number + 1 : number, pdu);
    if (unit.behaviour === 'garbled') back.writeUInt8((back[3] ?? 0) ^ 0x10, 3);
    if (unit.behaviour === 'silent') return;
    this.#after(unit.delayMs, () => {
      if (unit.behaviour !== 'endless') this.#far.send(back);
      else this.#babble();
    });
  }

  /** Disconnects all units. */
  close(): void {
    for (const cancel of this.#timers) cancel();
    this.#timers.clear();
  }

  #babble(): void {
    this.#far.send(Buffer.alloc(500, 1));
    this.#after(5, () => this.#babble());
  }

  #after(ms: number, run: () => void): void {
    const cancel = this.#clock.after(ms, () => {
      this.#timers.delete(cancel);
      run();
    });
    this.#timers.add(cancel);
  }
}

/** A frame of Modbus RTU. */
export function rtuFrame(unit: number, pdu: Buffer): Buffer {
  const frame = Buffer.concat([Buffer.from([unit]), pdu, Buffer.alloc(2)]);
  frame.writeUInt16LE(bitwiseCrc(frame.subarray(0, -2)), frame.length - 2);
  return frame;
}

/** A frame of Modbus ASCII. */
function toText(unit: number, pdu: Buffer): Buffer {
  const bytes = Buffer.from([unit, ...pdu]);
  const sum = bytes.reduce((before, byte) => before + byte, 0) % 256;
  const digits = Buffer.from([...bytes, (256 - sum) % 256]).toString('hex');
  return Buffer.from(`:${digits.toUpperCase()}\r\n`);
}

/** Unit and PDU of a frame of Modbus ASCII; throws for invalid frames. */
function fromText(frame: Buffer): Buffer {
  const [, digits = ''] = /^:((?:[0-9A-F]{2})+)\r\n$/.exec(frame.toString('latin1')) ?? [];
  const bytes = Buffer.from(digits, 'hex');
  if (bytes.length < 4 || bytes.reduce((before, byte) => before + byte, 0) % 256 !== 0)
    throw new Error(`invalid frame: ${frame.toString('latin1')}`);
  return bytes.subarray(0, -1);
}

/** Bit by bit, as in the specification. */
export function bitwiseCrc(bytes: Uint8Array): number {
  let crc = 0xffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) {
      const isOdd = crc % 2 === 1;
      crc = Math.floor(crc / 2);
      if (isOdd) crc ^= 0xa001;
    }
  }
  return crc;
}

function reply(unit: FakeModbusUnit, pdu: Buffer): Buffer {
  const code = pdu[0] ?? 0;
  const exception = (number: number) => Buffer.from([code | 0x80, number]);
  if (typeof unit.behaviour === 'object') return exception(unit.behaviour.exception);
  if (code === 43 && unit.identificationReply !== undefined) return unit.identificationReply(pdu[3] ?? 0);
  if (code === 43 && unit.identification.length > 0) {
    const objects = unit.identification.map((text, id) => [id, text.length, ...Buffer.from(text)]);
    return Buffer.from([43, 14, 1, 1, 0, 0, objects.length, ...objects.flat()]);
  }
  const [at, count] = [pdu.readUInt16BE(1), code === 43 ? 0 : pdu.readUInt16BE(3)];
  switch (code) {
    case 1:
    case 2: {
      const bits = Array.from({ length: count }, (_, index) => unit.coils.get(at + index) === true);
      const bytes = Array.from({ length: Math.ceil(count / 8) }, (_, index) =>
        bits.slice(8 * index, 8 * index + 8).reduce((sum, bit, place) => sum + (bit ? 2 ** place : 0), 0),
      );
      return Buffer.from([code, bytes.length, ...bytes]);
    }
    case 3:
    case 4: {
      const data = Buffer.alloc(2 + 2 * count);
      data.writeUInt8(code, 0);
      data.writeUInt8(2 * count, 1);
      for (let index = 0; index < count; index++) {
        const value = unit.registers.get(at + index);
        if (value === undefined) return exception(2);
        data.writeUInt16BE(value, 2 + 2 * index);
      }
      return data;
    }
    case 5:
      unit.coils.set(at, count === 0xff00);
      return pdu.subarray(0, 5);
    case 6:
      unit.registers.set(at, count);
      return pdu.subarray(0, 5);
    case 15:
      unit.coils.set(at, ((pdu[6] ?? 0) & 1) === 1);
      return pdu.subarray(0, 5);
    case 16:
      for (let index = 0; index < count; index++)
        unit.registers.set(at + index, pdu.readUInt16BE(6 + 2 * index));
      return pdu.subarray(0, 5);
    default:
      return exception(1);
  }
}
