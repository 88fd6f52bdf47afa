import { coded } from '../../src/base/codes/coded-text.js';
import { errno } from '../../src/device/toolkit/sysfs-class.js';
import { fault } from '../../src/base/fault.js';
import type { Value } from '../../src/device/module.js';
import { parseBoolean } from '../../src/device/toolkit/parse-boolean.js';
import type { Chip, ChipReading } from './chip.js';
import type { DeviceFiles } from './w1-files.js';

/** State of a switch, one bit per pin. */
interface PinState {
  /** 1 if the transistor conducts (on); the chips use the inverse. */
  readonly on: number;
  /**
   * 1 if the pin is low, pulled down by its own transistor or from outside. Undefined if the kernel does not
   * report it.
   */
  readonly down?: number;
}

/** A switch. Verifies every write by reading back, for chips that do not do so themselves. */
export abstract class Switch implements Chip {
  readonly isSlow = false;
  readonly pins: number;
  protected readonly files: DeviceFiles;

  constructor(files: DeviceFiles, pins: number) {
    this.files = files;
    this.pins = pins;
  }

  /** Reads the pins; rejects with `EIO` if the data is implausible. */
  protected abstract readPins(): Promise<PinState>;
  /** Writes the latch; 1 is off. */
  protected abstract writeLatch(latch: number): Promise<void>;

  protected get allPins(): number {
    return (1 << this.pins) - 1;
  }

  async read(): Promise<ChipReading[]> {
    const { on, down } = await this.readPins();
    const readings: ChipReading[] = [{ ident: 'PORT', value: on }];
    for (let pin = 0; pin < this.pins; pin++) {
      readings.push({ ident: `PIN${pin}`, value: (on & (1 << pin)) !== 0 });
      if (down !== undefined) readings.push({ ident: `INPUT${pin}`, value: (down & (1 << pin)) !== 0 });
    }
    return readings;
  }

  async write(ident: string, value: Value): Promise<void> {
    if (ident === 'PORT') return this.setPort(value);
    const pin = /^PIN(\d)$/.exec(ident)?.[1];
    if (pin === undefined) throw fault('READ_ONLY', ident);
    return this.setPin(Number(pin), parseBoolean(value));
  }

  /** Switches one pin; the others keep their state. */
  async setPin(pin: number, isOn: boolean): Promise<void> {
    if (!(pin >= 0 && pin < this.pins))
      throw fault('CANNOT_CONVERT', 'Pin', coded`RANGE_FROM_0: it must be 0 to ${this.pins - 1}`);
    await this.#set(isOn ? 1 << pin : 0, 1 << pin);
  }

  /** Switches all pins; bit n is pin n, and 1 is on. */
  async setPort(value: Value): Promise<void> {
    if (typeof value !== 'number' || !Number.isInteger(value) || value < 0 || value > this.allPins)
      throw fault('CANNOT_CONVERT', 'Value', coded`RANGE_FROM_0: it must be 0 to ${this.allPins}`);
    await this.#set(value, this.allPins);
  }

  /** Toggles the first pin. */
  async toggle(): Promise<void> {
    const { on } = await this.readPins();
    await this.#set(~on & 1, 1);
  }

  async #set(pins: number, mask: number): Promise<void> {
    // Read first: if the other pins cannot be read, none is changed.
    const { on: before } = await this.readPins();
    await this.writeLatch(~((before & ~mask) | pins) & this.allPins);
    const { on } = await this.readPins();
    if ((on & mask) !== pins)
      throw fault(
        'DEVICE_REFUSED',
        coded`ONE_WIRE_PINS_UNCHANGED: the 1-Wire device ${this.files.address} accepted the command, but its pins did not change accordingly`,
      );
  }
}

/** DS2405: one pin. The kernel reports 1 for a pin that is not pulled down. */
export class Ds2405 extends Switch {
  constructor(files: DeviceFiles) {
    super(files, 1);
  }

  protected async readPins(): Promise<PinState> {
    const isOff = await this.files.number('output');
    const isUp = await this.files.number('state');
    return { on: 1 - (isOff & 1), down: 1 - (isUp & 1) };
  }

  protected writeLatch(latch: number): Promise<void> {
    return this.files.write('output', String(latch));
  }
}

/** DS2406: one or two pins; the kernel reports only their latches, as a digit. */
export class Ds2406 extends Switch {
  constructor(files: DeviceFiles) {
    super(files, 2);
  }

  protected async readPins(): Promise<PinState> {
    return { on: ~(await this.files.byte('state')) & this.allPins };
  }

  protected writeLatch(latch: number): Promise<void> {
    return this.files.write('output', [latch]);
  }
}

/** DS2413: two pins in one byte, whose upper half is the complement of the lower. */
export class Ds2413 extends Switch {
  constructor(files: DeviceFiles) {
    super(files, 2);
  }

  protected async readPins(): Promise<PinState> {
    const state = await this.files.byte('state');
    // Older kernels do not check the complement.
    if ((state & 0xf) !== (~(state >> 4) & 0xf)) throw errno('EIO', this.files.address);
    const bits = (first: number, second: number) =>
      Number((state & first) === 0) | (Number((state & second) === 0) << 1);
    return { on: bits(2, 8), down: bits(1, 4) };
  }

  protected writeLatch(latch: number): Promise<void> {
    return this.files.write('output', [latch]);
  }
}

/**
 * Bits of the DS2408 control register: those that are always 0, and the one that makes the reset pin a strobe
 * output.
 */
const ALWAYS_0 = 0x70;
const STROBE = 0x04;

/** DS2408: eight pins, and a strobe output that signals writes. */
export class Ds2408 extends Switch {
  #control = 0;

  constructor(files: DeviceFiles) {
    super(files, 8);
  }

  override async read(): Promise<ChipReading[]> {
    const readings = await super.read();
    return [...readings, { ident: 'STROBE', value: (this.#control & STROBE) !== 0 }];
  }

  override async write(ident: string, value: Value): Promise<void> {
    return ident === 'STROBE' ? this.setStrobe(parseBoolean(value)) : super.write(ident, value);
  }

  async setStrobe(isStrobe: boolean): Promise<void> {
    const { files } = this;
    const control = await this.#readControl();
    const next = isStrobe ? control | STROBE : control & ~STROBE;
    // The upper bits are read-only. Bit 3, which flags a power-on reset until cleared, is preserved.
    if (next !== control) await files.write('status_control', [next]);
  }

  /** Writes bytes to the port one after another; a 0 bit conducts. Only the pins of `mask` change. */
  async sendBytes(bytes: Uint8Array, mask: number): Promise<void> {
    const { on } = await this.readPins();
    const others = ~on & ~mask & this.allPins;
    for (const byte of bytes) await this.writeLatch((byte & mask) | others);
  }

  protected async readPins(): Promise<PinState> {
    const { files } = this;
    const latch = await files.byte('output');
    const state = await files.byte('state');
    // These registers have no checksum. Without a reply all bits are 1, but some bits of the control
    // register never are.
    this.#control = await this.#readControl();
    // If the bus is shorted to ground, all bits are 0. A parasitically powered device can only match that
    // once bit 3 has been cleared.
    if ((latch | state | this.#control) === 0) throw errno('EIO', files.address);
    return { on: ~latch & this.allPins, down: ~state & this.allPins };
  }

  protected writeLatch(latch: number): Promise<void> {
    return this.files.write('output', [latch]);
  }

  async #readControl(): Promise<number> {
    const control = await this.files.byte('status_control');
    if ((control & ALWAYS_0) !== 0) throw errno('EIO', this.files.address);
    return control;
  }
}
