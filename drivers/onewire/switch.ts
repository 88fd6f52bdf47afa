import { errno } from '../../src/device/toolkit/sysfs-class.js';
import { fault } from '../../src/base/fault.js';
import type { Value } from '../../src/device/module.js';
import { parseBoolean } from '../../src/device/toolkit/parse-boolean.js';
import type { Chip, ChipReading } from './chip.js';
import type { DeviceFiles } from './w1-files.js';

/** How a switch stands; a bit a pin. */
interface PinState {
  /** 1: its transistor conducts, which is on. The chips say it the other way round. */
  readonly on: number;
  /** 1: the pin is pulled down, by its own transistor or by what is connected. Absent where the kernel does not tell. */
  readonly down?: number;
}

/** A switch: how it is read and written. What a kind does not check by itself is checked here. */
export abstract class Switch implements Chip {
  readonly isSlow = false;
  readonly pins: number;
  protected readonly files: DeviceFiles;

  constructor(files: DeviceFiles, pins: number) {
    this.files = files;
    this.pins = pins;
  }

  /** Rejects with `EIO` when what came can't be. */
  protected abstract readPins(): Promise<PinState>;
  /** Takes what the transistors are to be, 1 being off. */
  protected abstract writeLatch(latch: number): Promise<void>;

  protected get all(): number {
    return (1 << this.pins) - 1;
  }

  async read(): Promise<ChipReading[]> {
    const { on, down } = await this.readPins();
    const told: ChipReading[] = [{ ident: 'PORT', value: on }];
    for (let pin = 0; pin < this.pins; pin++) {
      told.push({ ident: `PIN${pin}`, value: (on & (1 << pin)) !== 0 });
      if (down !== undefined) told.push({ ident: `INPUT${pin}`, value: (down & (1 << pin)) !== 0 });
    }
    return told;
  }

  async write(ident: string, value: Value): Promise<void> {
    if (ident === 'PORT') return this.setPort(value);
    const pin = /^PIN(\d)$/.exec(ident)?.[1];
    if (pin === undefined) throw fault('READ_ONLY', ident);
    return this.setPin(Number(pin), parseBoolean(value));
  }

  /** Switches one pin; the others stay as they are found. */
  async setPin(pin: number, isOn: boolean): Promise<void> {
    if (!(pin >= 0 && pin < this.pins))
      throw fault('CANNOT_CONVERT', 'Pin', `it must be 0 to ${this.pins - 1}`);
    await this.#set(isOn ? 1 << pin : 0, 1 << pin);
  }

  /** Switches all pins; bit n is pin n, 1 being on. */
  async setPort(value: Value): Promise<void> {
    if (typeof value !== 'number' || !Number.isInteger(value) || value < 0 || value > this.all)
      throw fault('CANNOT_CONVERT', 'Value', `it must be 0 to ${this.all}`);
    await this.#set(value, this.all);
  }

  /** Switches the first pin over. */
  async toggle(): Promise<void> {
    const { on } = await this.readPins();
    await this.#set(~on & 1, 1);
  }

  async #set(wanted: number, mask: number): Promise<void> {
    // Read before anything is written: where the others can't be read, none is moved.
    const { on: before } = await this.readPins();
    await this.writeLatch(~((before & ~mask) | wanted) & this.all);
    const { on } = await this.readPins();
    if ((on & mask) !== wanted)
      throw fault(
        'DEVICE_REFUSED',
        `the 1-Wire device ${this.files.address} took it, but its pins are not so`,
      );
  }
}

/** DS2405: one pin. The kernel tells 1 for a pin that is not pulled down. */
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

/** DS2406: one pin or two, and the kernel has their transistors alone, as a digit. */
export class Ds2406 extends Switch {
  constructor(files: DeviceFiles) {
    super(files, 2);
  }

  protected async readPins(): Promise<PinState> {
    return { on: ~(await this.files.byte('state')) & this.all };
  }

  protected writeLatch(latch: number): Promise<void> {
    return this.files.write('output', [latch]);
  }
}

/** DS2413: two pins, in one byte of which the upper half is the lower turned round. */
export class Ds2413 extends Switch {
  constructor(files: DeviceFiles) {
    super(files, 2);
  }

  protected async readPins(): Promise<PinState> {
    const state = await this.files.byte('state');
    // Older kernels don't look.
    if ((state & 0xf) !== (~(state >> 4) & 0xf)) throw errno('EIO', this.files.address);
    const bits = (first: number, second: number) =>
      Number((state & first) === 0) | (Number((state & second) === 0) << 1);
    return { on: bits(2, 8), down: bits(1, 4) };
  }

  protected writeLatch(latch: number): Promise<void> {
    return this.files.write('output', [latch]);
  }
}

/** Of the DS2408's control register: bits that are always 0, and the one that makes its reset pin a strobe. */
const ALWAYS_0 = 0x70;
const STROBE = 0x04;

/** DS2408: eight pins, and one that tells by a strobe that they were written. */
export class Ds2408 extends Switch {
  #control = 0;

  constructor(files: DeviceFiles) {
    super(files, 8);
  }

  override async read(): Promise<ChipReading[]> {
    const told = await super.read();
    return [...told, { ident: 'STROBE', value: (this.#control & STROBE) !== 0 }];
  }

  override async write(ident: string, value: Value): Promise<void> {
    return ident === 'STROBE' ? this.setStrobe(parseBoolean(value)) : super.write(ident, value);
  }

  async setStrobe(isStrobe: boolean): Promise<void> {
    const { files } = this;
    const control = await this.#readControl();
    const wanted = isStrobe ? control | STROBE : control & ~STROBE;
    // The upper bits can't be written, and bit 3 tells of a lack of power until it is cleared: it stays.
    if (wanted !== control) await files.write('status_control', [wanted]);
  }

  /** Puts bytes on the port one after the other, as they are: 0 conducts. Only the pins of `mask` are changed. */
  async sendBytes(bytes: Uint8Array, mask: number): Promise<void> {
    const { on } = await this.readPins();
    const others = ~on & ~mask & this.all;
    for (const byte of bytes) await this.writeLatch((byte & mask) | others);
  }

  protected async readPins(): Promise<PinState> {
    const { files } = this;
    const latch = await files.byte('output');
    const state = await files.byte('state');
    // None of these has a checksum: where nobody answers all bits are 1, and of this register some never are.
    this.#control = await this.#readControl();
    // On a bus that is pulled down all are 0. Of a device without a supply of its own 0 could be so, once somebody has cleared bit 3.
    if ((latch | state | this.#control) === 0) throw errno('EIO', files.address);
    return { on: ~latch & this.all, down: ~state & this.all };
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
