import type { MeterRecord } from '../telegram.js';
import { numeric } from './numeric.js';
import type { ObisCode } from './obis-code.js';
import type { Reading } from '../../../src/device/toolkit/reading.js';
import type { Target } from './units.js';

/** A record whose code was parsed. */
export interface CodedRecord {
  readonly code: ObisCode;
  readonly record: MeterRecord;
}

/** Channels of an M-Bus master in an electricity meter (DSMR P1, chapter 6.10). */
const CHANNELS = [1, 2, 3, 4] as const;
/** Codes of the kind of a sub-meter, its number, and its count: the corrected one first. */
const KIND = '24.1.0';
const NUMBERS = ['96.1.0', '96.1.1'];
const COUNTS = ['24.2.1', '24.2.3', '24.3.0'];

/** The kinds of sub-meters by their number (EN 13757-3): what they count. */
const kinds: Readonly<Record<number, readonly [part: string, target: Target]>> = {
  3: ['GAS', 'm3'],
  4: ['ENERGY', 'kWh'],
  6: ['WATER', 'm3'],
  7: ['WATER', 'm3'],
  8: ['HCA', ''],
  10: ['ENERGY', 'kWh'],
  11: ['ENERGY', 'kWh'],
  12: ['ENERGY', 'kWh'],
  13: ['ENERGY', 'kWh'],
};

/** The counts and numbers of the meters behind an electricity meter. */
export function subMeterReadings(coded: readonly CodedRecord[]): Reading[] {
  const abstract = coded.filter(({ code }) => code.medium === 0);
  return CHANNELS.flatMap((channel) => {
    const mine = new Map(
      abstract.filter(({ code }) => code.channel === channel).map(({ code, record }) => [code.group, record]),
    );
    const kind = kinds[Number(mine.get(KIND)?.value)];
    if (kind === undefined) return [];
    const [part, target] = kind;
    const count = COUNTS.map((group) => mine.get(group)).find((one) => one !== undefined);
    const number = NUMBERS.map((group) => mine.get(group)).find((one) => one !== undefined);
    return [
      ...numeric(`${part}_${channel}`, count, target),
      ...(number === undefined || number.value === ''
        ? []
        : [{ ident: `SERIAL_${channel}`, value: serialText(number), resolution: 0 }]),
    ];
  });
}

/** DSMR sends numbers as the hexadecimal codes of their characters; shorter ones are digits themselves. */
const HEXADECIMAL = /^(?:[0-9A-Fa-f]{2}){8,}$/;
const SERIAL_TEXT = /^[0-9A-Z]+$/;

/** The number of a meter as on its case. */
export function serialText({ value, text = String(value) }: MeterRecord): string {
  const decoded = HEXADECIMAL.test(text) ? Buffer.from(text, 'hex').toString('latin1') : '';
  return SERIAL_TEXT.test(decoded) ? decoded : text.trim();
}
