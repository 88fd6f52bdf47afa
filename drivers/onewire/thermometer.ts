import { type QualityProblem, quality } from '../../src/device/module.js';
import type { Chip, ChipReading } from './chip.js';
import type { DeviceFiles } from './w1-files.js';

/** What the chips measure, millidegrees: beyond it stands what bad contacts, weak supplies and clones give (−127, 127.94). */
const MIN_MILLIDEGREES = -55_000;
const MAX_MILLIDEGREES = 125_000;

/** What stands in a chip that has had power but has not measured: 85 °C, and this in byte 6 (DS18B20, DS18S20: "power-on"). */
const POWER_ON_MILLIDEGREES = 85_000;
const POWER_ON_BYTE = 0x0c;
/** A chip that was so near to 85 °C when it last measured may be there now, whatever its byte 6 says. */
const POWER_ON_MARGIN = 3_000;

const doubt = (reason: string, text: string): QualityProblem => ({ state: quality.bad, reason, text });

/** DS18B20 and its kin. Reading takes as long as measuring: up to three quarters of a second, more where the kernel tries again. */
export class Thermometer implements Chip {
  readonly isSlow = true;
  readonly #files: DeviceFiles;
  #last: number | undefined;

  constructor(files: DeviceFiles) {
    this.#files = files;
  }

  async read(): Promise<ChipReading[]> {
    const measured = parseReading(await this.#files.read('w1_slave'), this.#last);
    if (typeof measured !== 'number') return [{ ident: 'TEMPERATURE', doubt: measured }];
    this.#last = measured;
    return [{ ident: 'TEMPERATURE', value: measured / 1000 }];
  }
}

/**
 * What the kernel's `w1_slave` says, in millidegrees, or why that is no measurement. `last` is the measurement before, where there is
 * one. The kernel's two lines: nine bytes with the checksum's verdict, and the bytes of the last good reading with `t=`.
 */
export function parseReading(text: string, last: number | undefined): number | QualityProblem {
  const [, bytes = '', verdict, shown] =
    /^((?:[0-9a-f]{2} ){9}): crc=[0-9a-f]{2} (YES|NO)\n.* t=(-?\d+)$/.exec(text) ?? [];
  // From Linux 5.8 on it says nothing when its tries have failed, whatever came.
  if (verdict === undefined)
    return doubt('NO_ANSWER', 'the thermometer does not answer, or not so that it could be read');
  // Where nobody pulls the wire down all bits are 1.
  if (/^(ff )+$/.test(bytes)) return doubt('NO_ANSWER', 'the thermometer does not answer');
  if (verdict === 'NO')
    return doubt('CHECKSUM', 'what came over the wire is damaged: a bad contact, or a long wire');
  const pad = bytes
    .trim()
    .split(' ')
    .map((byte) => parseInt(byte, 16));
  // The checksum of zeros is zero: so looks a bus that is pulled down.
  if (pad.every((byte) => byte === 0)) return doubt('NO_ANSWER', 'the thermometer answers with zeros alone');
  const measured = Number(shown);
  if (measured < MIN_MILLIDEGREES || measured > MAX_MILLIDEGREES)
    return doubt('OUT_OF_RANGE', `${measured / 1000} °C can't be measured by it: look at its supply`);
  const isNear = last !== undefined && Math.abs(last - POWER_ON_MILLIDEGREES) <= POWER_ON_MARGIN;
  if (measured === POWER_ON_MILLIDEGREES && pad[6] === POWER_ON_BYTE && !isNear)
    return doubt('POWER_ON', 'it has not measured since it got power: look at its supply');
  return measured;
}
