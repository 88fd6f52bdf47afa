import { errno } from '../../src/device/toolkit/sysfs-class.js';
import type { SimulatedAttribute } from '../../src/device/toolkit/simulated-sysfs.js';
import { familyOf } from './families.js';

/**
 * Whether a device replies. If it does not, and no other device does (`no device`), the kernel notices
 * that. A bus that is shorted to ground reads as zeros, and looks like a presence pulse after a reset.
 */
export type ReplyState = 'yes' | 'no' | 'no device' | 'zeros';

/** A simulated device: the files that the kernel provides for it, by name, for the given state of the bus. */
export interface SimulatedChip {
  files(state: ReplyState): Readonly<Record<string, SimulatedAttribute>>;
}

/** If no device pulls the bus low, all bits are 1. */
const NO_REPLY_BYTE = 0xff;

const noReplyByte = (state: ReplyState) => (state === 'zeros' ? 0 : NO_REPLY_BYTE);
const character = (byte: number) => String.fromCharCode(byte);
const hex = (bytes: readonly number[]) => bytes.map((byte) => byte.toString(16).padStart(2, '0')).join(' ');

/** A one-byte register, which the kernel reads without a checksum. */
const register = (
  state: ReplyState,
  read: () => number,
  write?: (byte: number) => void,
): SimulatedAttribute => ({
  read() {
    if (state === 'no device') throw errno('EIO', 'register');
    return character(state === 'yes' ? read() : noReplyByte(state));
  },
  ...(write && { write: (text: string) => write(byteOf(state, text)) }),
});

/** Data with a checksum or other protection: the read fails unless the device replies. */
function failUnlessReplying<T>(state: ReplyState, read: () => T): T {
  if (state !== 'yes') throw errno('EIO', 'checked');
  return read();
}

/** Data that is valid if it is all zeros: the checksum of zeros is zero. */
function unlessZeros(state: ReplyState, read: () => number): number {
  return state === 'zeros' ? 0 : failUnlessReplying(state, read);
}

function byteOf(state: ReplyState, text: string): number {
  return failUnlessReplying(state, () => text.charCodeAt(0));
}

/** The 8-bit CRC of 1-Wire. */
export function checksum(bytes: readonly number[]): number {
  let sum = 0;
  for (const byte of bytes)
    for (let bit = 0; bit < 8; bit++) {
      const isOdd = (((byte >> bit) ^ sum) & 1) === 1;
      sum = (sum >> 1) ^ (isOdd ? 0x8c : 0);
    }
  return sum;
}

/** The scratchpad after power-on, before the first measurement: 85 °C, and 0C in byte 6. */
const POWER_ON_SCRATCHPAD = [0x50, 0x05, 0x4b, 0x46, 0x7f, 0xff, 0x0c, 0x10];

/** DS18B20. The simulated bus adds the time that a measurement takes. */
export class SimulatedThermometer implements SimulatedChip {
  /** The actual temperature, °C. */
  celsius: () => number;
  /** If true, its supply collapses during a measurement. */
  isWeak = false;
  /** If true, transmissions have bit errors. */
  isDamaged = false;
  /** If true, it is a clone that never updates byte 6. */
  isClone = false;
  #scratchpad = POWER_ON_SCRATCHPAD;

  constructor(celsius: () => number) {
    this.celsius = celsius;
  }

  measure(): void {
    if (this.isWeak) return void (this.#scratchpad = POWER_ON_SCRATCHPAD);
    const raw = Math.round(this.celsius() * 16) & 0xffff;
    const sixth = this.isClone ? 0x0c : 0x10 - (raw & 0xf);
    this.#scratchpad = [raw & 0xff, raw >> 8, 0x4b, 0x46, 0x7f, 0xff, sixth, 0x10];
  }

  files(state: ReplyState): Readonly<Record<string, SimulatedAttribute>> {
    return { w1_slave: { read: () => this.#text(state) } };
  }

  #text(state: ReplyState): string {
    if (state === 'no device') return '';
    const sent = [...this.#scratchpad, checksum(this.#scratchpad)];
    const received = state === 'yes' ? sent : sent.map(() => noReplyByte(state));
    if (this.isDamaged) received[0] = (received[0] as number) ^ 1;
    const crc = checksum(received.slice(0, 8));
    // Since Linux 5.8, the file is empty after several failed attempts.
    if (crc !== received[8]) return '';
    const raw = (((received[1] as number) << 24) >> 16) | (received[0] as number);
    const t = Math.trunc((raw * 1000) / 16);
    return `${hex(received)} : crc=${hex([crc])} YES\n${hex(received)} t=${t}`;
  }
}

/** DS2405, DS2406, DS2408, DS2413. */
export class SimulatedSwitch implements SimulatedChip {
  readonly #type: string;
  readonly #onSwitch: (on: number) => void;
  readonly #all: number;
  /** One bit per pin; 0 conducts. After power-on, none does. */
  #latch: number;
  /** Pins that are pulled low from outside. */
  #pulled = 0;
  #control = 0x88;
  /** If true, it confirms writes but ignores them. */
  isStuck = false;

  constructor(type: string, pins: number, onSwitch: (on: number) => void) {
    this.#type = type;
    this.#onSwitch = onSwitch;
    this.#all = (1 << pins) - 1;
    this.#latch = this.#all;
  }

  /** The pins whose transistors conduct. */
  get on(): number {
    return ~this.#latch & this.#all;
  }

  pull(pin: number, isDown: boolean): void {
    this.#pulled = isDown ? this.#pulled | (1 << pin) : this.#pulled & ~(1 << pin);
  }

  files(state: ReplyState): Readonly<Record<string, SimulatedAttribute>> {
    const latch = (byte: number) => this.#set(byte);
    const checked = (read: () => string | number): SimulatedAttribute => ({
      read: () => failUnlessReplying(state, read),
    });
    const latchOutput: SimulatedAttribute = { write: (text) => latch(byteOf(state, text)) };
    switch (this.#type) {
      case 'DS2405':
        return {
          state: { read: () => unlessZeros(state, () => this.#levels) },
          output: {
            read: () => unlessZeros(state, () => this.#latch),
            write: (text) => {
              if (!/^\s*[01]/.test(text)) throw errno('EINVAL', 'output');
              failUnlessReplying(state, () => latch(Number(text)));
            },
          },
        };
      case 'DS2406':
        return { state: checked(() => character(0x30 | this.#latch)), output: latchOutput };
      case 'DS2413':
        return { state: checked(() => character(this.#statusByte)), output: latchOutput };
      default:
        return {
          state: register(state, () => this.#levels),
          output: register(state, () => this.#latch, latch),
          status_control: register(
            state,
            () => this.#control,
            (byte) => (this.#control = (byte & 0x0f) | 0x80),
          ),
        };
    }
  }

  get #levels(): number {
    return this.#latch & ~this.#pulled & this.#all;
  }

  /** The status byte of a DS2413: level and latch of each pin, and their complement. */
  get #statusByte(): number {
    const [levels, latch] = [this.#levels, this.#latch];
    const half = (levels & 1) | ((latch & 1) << 1) | ((levels & 2) << 1) | ((latch & 2) << 2);
    return half | ((~half & 0xf) << 4);
  }

  #set(latch: number): void {
    if (!this.isStuck) this.#latch = latch & this.#all;
    this.#onSwitch(this.on);
  }
}

/** DS2423. */
export class SimulatedCounters implements SimulatedChip {
  a = 0;
  b = 0;
  isDamaged = false;

  files(state: ReplyState): Readonly<Record<string, SimulatedAttribute>> {
    const line = (count: number) => {
      const bytes = [0, ...[0, 8, 16, 24].map((shift) => (count >>> shift) & 0xff), 0, 0, 0, 0];
      const rest = Array.from({ length: 33 }, () => NO_REPLY_BYTE);
      const crc = state === 'yes' && !this.isDamaged ? `crc=YES c=${count | 0}` : 'crc=NO';
      return `${hex([...bytes, ...rest])} ${crc}`;
    };
    const read = () =>
      state === 'no device' ? 'Connection error' : [0, 0, this.a, this.b].map(line).join('\n');
    return { w1_slave: { read } };
  }
}

/** DS2438. */
export class SimulatedMonitor implements SimulatedChip {
  celsius = 20;
  volts = { vad: 0, vdd: 5 };

  files(state: ReplyState): Readonly<Record<string, SimulatedAttribute>> {
    const number = (read: () => number): SimulatedAttribute => ({
      read: () => unlessZeros(state, () => Math.round(read())),
    });
    return {
      temperature: number(() => this.celsius * 256),
      vad: number(() => this.volts.vad * 100),
      vdd: number(() => this.volts.vdd * 100),
    };
  }
}

/** DS2890, which has no kernel driver: each write starts with a reset, and a read continues after it. */
export class SimulatedPotentiometer implements SimulatedChip {
  position = 0;
  #reply: readonly number[] = [];

  files(state: ReplyState): Readonly<Record<string, SimulatedAttribute>> {
    return {
      rw: {
        read: () =>
          (state === 'yes' ? this.#reply : [1, 2].map(() => noReplyByte(state))).map(character).join(''),
        write: (text) => {
          if (state === 'no device') throw errno('EIO', 'rw');
          if (state === 'yes') this.#receive([...Buffer.from(text, 'latin1')]);
        },
      },
    };
  }

  #receive([command, position = 0, echoed, release]: readonly number[]): void {
    this.#reply = [NO_REPLY_BYTE, NO_REPLY_BYTE];
    if (command === 0x0f && echoed === NO_REPLY_BYTE && release === 0x96) this.position = position;
    else if (command === 0xf0) this.#reply = [0x0c, this.position];
  }
}

/** A device without a kernel driver, of which only the presence is known. */
class IdentifyOnlyChip implements SimulatedChip {
  files(): Readonly<Record<string, SimulatedAttribute>> {
    return { name: { read: () => '' } };
  }
}

/** Creates the device for an address, in its power-on state. */
export function simulatedChip(
  address: string,
  celsius: () => number,
  onSwitch: (on: number) => void,
): SimulatedChip {
  const { kind, type, pins = 0 } = familyOf(address);
  switch (kind) {
    case 'thermometer':
      return new SimulatedThermometer(celsius);
    case 'switch':
      return new SimulatedSwitch(type, pins, onSwitch);
    case 'counter':
      return new SimulatedCounters();
    case 'monitor':
      return new SimulatedMonitor();
    case 'potentiometer':
      return new SimulatedPotentiometer();
    case 'other':
      return new IdentifyOnlyChip();
  }
}
