import { type QualityProblem, quality } from '../../src/device/module.js';
import type { Chip, ChipReading } from './chip.js';
import type { DeviceFiles } from './w1-files.js';

/**
 * The range of the chips, millidegrees. Bad contacts, weak supplies and clones return values beyond it (−127,
 * 127.94).
 */
const MIN_MILLIDEGREES = -55_000;
const MAX_MILLIDEGREES = 125_000;

/**
 * The scratchpad after power-on, before the first measurement: 85 °C, and this value in byte 6 (DS18B20,
 * DS18S20).
 */
const POWER_ON_MILLIDEGREES = 85_000;
const POWER_ON_BYTE = 0x0c;
/** If the previous measurement was this close to 85 °C, 85 °C is plausible, whatever byte 6 contains. */
const POWER_ON_MARGIN = 3_000;

const badQuality = (reason: QualityProblem['reason'], text: string): QualityProblem => ({
  state: quality.bad,
  reason,
  text,
});

/** DS18B20 and related chips. Reading includes a measurement: up to 0.75 s, longer if the kernel retries. */
export class Thermometer implements Chip {
  readonly isSlow = true;
  readonly #files: DeviceFiles;
  #last: number | undefined;

  constructor(files: DeviceFiles) {
    this.#files = files;
  }

  async read(): Promise<ChipReading[]> {
    const measured = parseReading(await this.#files.read('w1_slave'), this.#last);
    if (typeof measured !== 'number') return [{ ident: 'TEMPERATURE', problem: measured }];
    this.#last = measured;
    return [{ ident: 'TEMPERATURE', value: measured / 1000 }];
  }
}

/**
 * Parses the kernel's `w1_slave` file: returns millidegrees, or why there is no measurement. `last` is the
 * previous measurement, if any. The file has two lines: nine bytes with the checksum result, and the bytes of
 * the last valid reading with `t=`.
 */
export function parseReading(text: string, last: number | undefined): number | QualityProblem {
  const [, bytes = '', crcResult, temperature] =
    /^((?:[0-9a-f]{2} ){9}): crc=[0-9a-f]{2} (YES|NO)\n.* t=(-?\d+)$/.exec(text) ?? [];
  // Since Linux 5.8, the file is empty if all attempts failed.
  if (crcResult === undefined)
    return badQuality('NO_ANSWER', 'the thermometer does not respond, or its reply is invalid');
  // If no device pulls the bus low, all bits are 1.
  if (/^(ff )+$/.test(bytes)) return badQuality('NO_ANSWER', 'the thermometer does not respond');
  if (crcResult === 'NO')
    return badQuality('CHECKSUM', 'checksum error; check the contacts and the length of the wire');
  const scratchpad = bytes
    .trim()
    .split(' ')
    .map((byte) => parseInt(byte, 16));
  // The checksum of zeros is zero: this is a bus that is shorted to ground.
  if (scratchpad.every((byte) => byte === 0))
    return badQuality(
      'NO_ANSWER',
      'the reply contains only zeros; check the bus for a short circuit to ground',
    );
  const measured = Number(temperature);
  if (measured < MIN_MILLIDEGREES || measured > MAX_MILLIDEGREES)
    return badQuality(
      'OUT_OF_RANGE',
      `${measured / 1000} °C is out of range; check the supply of the thermometer`,
    );
  const isNear = last !== undefined && Math.abs(last - POWER_ON_MILLIDEGREES) <= POWER_ON_MARGIN;
  if (measured === POWER_ON_MILLIDEGREES && scratchpad[6] === POWER_ON_BYTE && !isNear)
    return badQuality('POWER_ON', 'it has not measured since power-on; check its supply');
  return measured;
}
