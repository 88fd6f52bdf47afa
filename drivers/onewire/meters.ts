import { coded } from '../../src/base/codes/coded-text.js';
import { errno } from '../../src/device/toolkit/sysfs-class.js';
import { fault } from '../../src/base/fault.js';
import { type QualityProblem, quality, type Value } from '../../src/device/module.js';
import type { Chip, ChipReading } from './chip.js';
import type { DeviceFiles } from './w1-files.js';

/**
 * The lines of `w1_slave` with the counters of the two inputs of a DS2423. The lines before them count writes
 * to its memory.
 */
const COUNTER_LINES = [
  ['COUNTER_A', 2],
  ['COUNTER_B', 3],
] as const;

const CHECKSUM_ERROR: QualityProblem = {
  state: quality.bad,
  reason: 'CHECKSUM',
  text: 'checksum error; check the contacts and the length of the wire',
};

/** DS2423: two 32-bit counters. */
export class Ds2423 implements Chip {
  readonly isSlow = false;
  readonly #files: DeviceFiles;

  constructor(files: DeviceFiles) {
    this.#files = files;
  }

  async read(): Promise<ChipReading[]> {
    const lines = (await this.#files.read('w1_slave')).split('\n');
    if (lines.length !== 4) throw errno('EIO', this.#files.address);
    return COUNTER_LINES.map(([ident, line]): ChipReading => {
      const count = /crc=YES c=(-?\d+)$/.exec(lines[line] ?? '')?.[1];
      // The kernel prints values from 2^31 as negative numbers.
      return count === undefined ? { ident, problem: CHECKSUM_ERROR } : { ident, value: Number(count) >>> 0 };
    });
  }
}

/** DS2438: a thermometer and two voltages. */
export class Ds2438 implements Chip {
  readonly isSlow = false;
  readonly #files: DeviceFiles;

  constructor(files: DeviceFiles) {
    this.#files = files;
  }

  async read(): Promise<ChipReading[]> {
    const files = this.#files;
    const temperature = await files.number('temperature');
    const vad = await files.number('vad');
    const vdd = await files.number('vdd');
    // The supply voltage is never 0. All zeros, whose checksum is zero, are read from a bus that is shorted
    // to ground.
    if (vdd === 0) throw errno('EIO', files.address);
    return [
      { ident: 'TEMPERATURE', value: temperature / 256 },
      { ident: 'VAD', value: vad / 100 },
      { ident: 'VDD', value: vdd / 100 },
    ];
  }
}

/** Commands of the DS2890. */
const READ_POSITION = 0xf0;
const WRITE_POSITION = 0x0f;
const RELEASE = 0x96;
/** Sending it reads a byte; here, the byte that the chip echoes. */
const READ_SLOT = 0xff;

/** DS2890: a potentiometer with 256 steps. The kernel has no driver for it, only raw access (`rw`). */
export class Ds2890 implements Chip {
  readonly isSlow = false;
  readonly #files: DeviceFiles;

  constructor(files: DeviceFiles) {
    this.#files = files;
  }

  async read(): Promise<ChipReading[]> {
    return [{ ident: 'POSITION', value: await this.#read() }];
  }

  async write(ident: string, value: Value): Promise<void> {
    if (ident !== 'POSITION') throw fault('READ_ONLY', ident);
    await this.setPosition(value);
  }

  async setPosition(value: Value): Promise<void> {
    if (typeof value !== 'number' || !Number.isInteger(value) || value < 0 || value > 255)
      throw fault('CANNOT_CONVERT', 'Value', coded`RANGE_0_255: it must be 0 to 255`);
    await this.#files.write('rw', [WRITE_POSITION, value, READ_SLOT, RELEASE]);
    if ((await this.#read()) !== value)
      throw fault(
        'DEVICE_REFUSED',
        coded`ONE_WIRE_POSITION_REJECTED: the 1-Wire device ${this.#files.address} did not accept position ${value}`,
      );
  }

  async #read(): Promise<number> {
    const files = this.#files;
    await files.write('rw', [READ_POSITION]);
    const [control = READ_SLOT, position = READ_SLOT] = await files.bytes('rw', 2);
    // Without a reply all bits are 1, or 0 if the bus is shorted to ground. The control register is never
    // either: two of its bits are the complement of others.
    if (control === 0xff || control === 0) throw errno('EIO', files.address);
    return position;
  }
}
