import { errno } from '../../src/device/toolkit/sysfs-class.js';
import type { SimulatedAttribute } from '../../src/device/toolkit/simulated-sysfs.js';
import { familyOf } from './families.js';

/**
 * Whether a device answers; one that doesn't may be alone on its bus, which the kernel then notices. A bus that is pulled to ground
 * answers with zeros, and to a reset as if devices were there.
 */
export type ReplyState = 'yes' | 'no' | 'nobody does' | 'zeros';

/** A simulated device: the files that the kernel makes of it, by name, as things stand on the wire. */
export interface SimulatedChip {
  files(answers: ReplyState): Readonly<Record<string, SimulatedAttribute>>;
}

/** Where nobody pulls the wire down all bits are 1. */
const NO_REPLY_BYTE = 0xff;

const noReplyByte = (answers: ReplyState) => (answers === 'zeros' ? 0 : NO_REPLY_BYTE);
const character = (byte: number) => String.fromCharCode(byte);
const hex = (bytes: readonly number[]) => bytes.map((byte) => byte.toString(16).padStart(2, '0')).join(' ');

/** A file of one byte, which the kernel asks for with no checksum. */
const register = (
  answers: ReplyState,
  read: () => number,
  write?: (byte: number) => void,
): SimulatedAttribute => ({
  read() {
    if (answers === 'nobody does') throw errno('EIO', 'register');
    return character(answers === 'yes' ? read() : noReplyByte(answers));
  },
  ...(write && { write: (text: string) => write(byteOf(answers, text)) }),
});

/** What only comes with its checksum, or as an answer that can't be a mistake. */
function failUnlessReplying<T>(answers: ReplyState, read: () => T): T {
  if (answers !== 'yes') throw errno('EIO', 'checked');
  return read();
}

/** What zeros pass for: the checksum of zeros is zero, or there is none. */
function unlessZeros(answers: ReplyState, read: () => number): number {
  return answers === 'zeros' ? 0 : failUnlessReplying(answers, read);
}

function byteOf(answers: ReplyState, text: string): number {
  return failUnlessReplying(answers, () => text.charCodeAt(0));
}

/** The 8-bit checksum of 1-Wire. */
export function checksum(bytes: readonly number[]): number {
  let sum = 0;
  for (const byte of bytes)
    for (let bit = 0; bit < 8; bit++) {
      const isOdd = (((byte >> bit) ^ sum) & 1) === 1;
      sum = (sum >> 1) ^ (isOdd ? 0x8c : 0);
    }
  return sum;
}

/** Since power came it has not measured: 85 °C, and 0C in byte 6. */
const POWER_ON_SCRATCHPAD = [0x50, 0x05, 0x4b, 0x46, 0x7f, 0xff, 0x0c, 0x10];

/** DS18B20. What it measures is told; measuring takes time, which is the world's business. */
export class SimulatedThermometer implements SimulatedChip {
  /** What there is to measure, °C. */
  celsius: () => number;
  /** Its supply breaks down when it measures. */
  isWeak = false;
  /** Bits are lost on their way. */
  isDamaged = false;
  /** A clone that leaves byte 6 as it is at the start. */
  isClone = false;
  #pad = POWER_ON_SCRATCHPAD;

  constructor(celsius: () => number) {
    this.celsius = celsius;
  }

  measure(): void {
    if (this.isWeak) return void (this.#pad = POWER_ON_SCRATCHPAD);
    const raw = Math.round(this.celsius() * 16) & 0xffff;
    const sixth = this.isClone ? 0x0c : 0x10 - (raw & 0xf);
    this.#pad = [raw & 0xff, raw >> 8, 0x4b, 0x46, 0x7f, 0xff, sixth, 0x10];
  }

  files(answers: ReplyState): Readonly<Record<string, SimulatedAttribute>> {
    return { w1_slave: { read: () => this.#text(answers) } };
  }

  #text(answers: ReplyState): string {
    if (answers === 'nobody does') return '';
    const sent = [...this.#pad, checksum(this.#pad)];
    const came = answers === 'yes' ? sent : sent.map(() => noReplyByte(answers));
    if (this.isDamaged) came[0] = (came[0] as number) ^ 1;
    const crc = checksum(came.slice(0, 8));
    // It tries a few times, and then says nothing (Linux from 5.8 on).
    if (crc !== came[8]) return '';
    const raw = (((came[1] as number) << 24) >> 16) | (came[0] as number);
    const t = Math.trunc((raw * 1000) / 16);
    return `${hex(came)} : crc=${hex([crc])} YES\n${hex(came)} t=${t}`;
  }
}

/** DS2405, DS2406, DS2408, DS2413. */
export class SimulatedSwitch implements SimulatedChip {
  readonly #type: string;
  readonly #moved: (on: number) => void;
  readonly #all: number;
  /** A bit a pin: 0 conducts. After power came none does. */
  #latch: number;
  /** Pins that are pulled down from outside. */
  #pulled = 0;
  #control = 0x88;
  /** It confirms what it is told, and does nothing. */
  isStuck = false;

  constructor(type: string, pins: number, moved: (on: number) => void) {
    this.#type = type;
    this.#moved = moved;
    this.#all = (1 << pins) - 1;
    this.#latch = this.#all;
  }

  /** Pins whose transistor conducts. */
  get on(): number {
    return ~this.#latch & this.#all;
  }

  pull(pin: number, isDown: boolean): void {
    this.#pulled = isDown ? this.#pulled | (1 << pin) : this.#pulled & ~(1 << pin);
  }

  files(answers: ReplyState): Readonly<Record<string, SimulatedAttribute>> {
    const latch = (byte: number) => this.#set(byte);
    const checked = (read: () => string | number): SimulatedAttribute => ({
      read: () => failUnlessReplying(answers, read),
    });
    const taken: SimulatedAttribute = { write: (text) => latch(byteOf(answers, text)) };
    switch (this.#type) {
      case 'DS2405':
        return {
          state: { read: () => unlessZeros(answers, () => this.#levels) },
          output: {
            read: () => unlessZeros(answers, () => this.#latch),
            write: (text) => {
              if (!/^\s*[01]/.test(text)) throw errno('EINVAL', 'output');
              failUnlessReplying(answers, () => latch(Number(text)));
            },
          },
        };
      case 'DS2406':
        return { state: checked(() => character(0x30 | this.#latch)), output: taken };
      case 'DS2413':
        return { state: checked(() => character(this.#both)), output: taken };
      default:
        return {
          state: register(answers, () => this.#levels),
          output: register(answers, () => this.#latch, latch),
          status_control: register(
            answers,
            () => this.#control,
            (byte) => (this.#control = (byte & 0x0f) | 0x80),
          ),
        };
    }
  }

  get #levels(): number {
    return this.#latch & ~this.#pulled & this.#all;
  }

  /** A DS2413's answer: level and latch of each pin, and all of that turned round. */
  get #both(): number {
    const [levels, latch] = [this.#levels, this.#latch];
    const half = (levels & 1) | ((latch & 1) << 1) | ((levels & 2) << 1) | ((latch & 2) << 2);
    return half | ((~half & 0xf) << 4);
  }

  #set(latch: number): void {
    if (!this.isStuck) this.#latch = latch & this.#all;
    this.#moved(this.on);
  }
}

/** DS2423. */
export class SimulatedCounters implements SimulatedChip {
  a = 0;
  b = 0;
  isDamaged = false;

  files(answers: ReplyState): Readonly<Record<string, SimulatedAttribute>> {
    const line = (count: number) => {
      const bytes = [0, ...[0, 8, 16, 24].map((shift) => (count >>> shift) & 0xff), 0, 0, 0, 0];
      const rest = Array.from({ length: 33 }, () => NO_REPLY_BYTE);
      const verdict = answers === 'yes' && !this.isDamaged ? `crc=YES c=${count | 0}` : 'crc=NO';
      return `${hex([...bytes, ...rest])} ${verdict}`;
    };
    const read = () =>
      answers === 'nobody does' ? 'Connection error' : [0, 0, this.a, this.b].map(line).join('\n');
    return { w1_slave: { read } };
  }
}

/** DS2438. */
export class SimulatedMonitor implements SimulatedChip {
  celsius = 20;
  volts = { vad: 0, vdd: 5 };

  files(answers: ReplyState): Readonly<Record<string, SimulatedAttribute>> {
    const number = (read: () => number): SimulatedAttribute => ({
      read: () => unlessZeros(answers, () => Math.round(read())),
    });
    return {
      temperature: number(() => this.celsius * 256),
      vad: number(() => this.volts.vad * 100),
      vdd: number(() => this.volts.vdd * 100),
    };
  }
}

/** DS2890, which the kernel does not know: what is written goes to it after a reset, what is read it says then. */
export class SimulatedPotentiometer implements SimulatedChip {
  position = 0;
  #says: readonly number[] = [];

  files(answers: ReplyState): Readonly<Record<string, SimulatedAttribute>> {
    return {
      rw: {
        read: () =>
          (answers === 'yes' ? this.#says : [1, 2].map(() => noReplyByte(answers))).map(character).join(''),
        write: (text) => {
          if (answers === 'nobody does') throw errno('EIO', 'rw');
          if (answers === 'yes') this.#hear([...Buffer.from(text, 'latin1')]);
        },
      },
    };
  }

  #hear([command, position = 0, listened, release]: readonly number[]): void {
    this.#says = [NO_REPLY_BYTE, NO_REPLY_BYTE];
    if (command === 0x0f && listened === NO_REPLY_BYTE && release === 0x96) this.position = position;
    else if (command === 0xf0) this.#says = [0x0c, this.position];
  }
}

/** A device of which the kernel knows only that it is there. */
class IdentifyOnlyChip implements SimulatedChip {
  files(): Readonly<Record<string, SimulatedAttribute>> {
    return { name: { read: () => '' } };
  }
}

/** The device of an address as it is when it has just got power. */
export function simulatedChip(
  address: string,
  celsius: () => number,
  moved: (on: number) => void,
): SimulatedChip {
  const { kind, type, pins = 0 } = familyOf(address);
  switch (kind) {
    case 'thermometer':
      return new SimulatedThermometer(celsius);
    case 'switch':
      return new SimulatedSwitch(type, pins, moved);
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
