import type { MeterRecord } from '../telegram.js';
import { SERIAL } from '../../../src/device/toolkit/meter-variables.js';
import { parseObis } from './obis-code.js';
import { numeric } from './numeric.js';
import { exact, type Reading } from '../../../src/device/toolkit/reading.js';
import { serialText, subMeterReadings, type CodedRecord } from './sub-meters.js';
import type { Target } from './units.js';

/** Electricity; codes without a medium are those of an electricity meter. */
const ELECTRICITY = 1;
/** Anything that is not about one medium: identification, sub-meters (DSMR). */
const ABSTRACT = 0;

/** The status word of meters with a power without a sign (FNN, EDL21) has two bytes; 0x182 while importing. */
const STATUS_LIMIT = 0xffff;
const STATUS_EXPORT = 0x20;

/** Codes of the meter's number, the most specific one first. */
const IDENTIFICATIONS = [
  '96.1.0',
  '96.1.1',
  '0.0.9',
  'C.1.0',
  'C.1',
  '0.0.0',
  '0.0',
  '9.21',
  '96.1.255',
  '42.0.0',
];

/** Values per phase and in total: the code of the value, and its variable. */
const plain: Readonly<Record<string, readonly [ident: string, target: Target]>> = {
  '14.7.0': ['FREQUENCY', 'Hz'],
  '13.7.0': ['POWER_FACTOR', ''],
  '33.7.0': ['POWER_FACTOR_L1', ''],
  '53.7.0': ['POWER_FACTOR_L2', ''],
  '73.7.0': ['POWER_FACTOR_L3', ''],
  '32.7.0': ['VOLTAGE_L1', 'V'],
  '52.7.0': ['VOLTAGE_L2', 'V'],
  '72.7.0': ['VOLTAGE_L3', 'V'],
  '31.7.0': ['CURRENT_L1', 'A'],
  '51.7.0': ['CURRENT_L2', 'A'],
  '71.7.0': ['CURRENT_L3', 'A'],
  '3.8.0': ['REACTIVE_IN', 'kvarh'],
  '4.8.0': ['REACTIVE_OUT', 'kvarh'],
  // Heat meters with IEC 62056-21.
  '6.8': ['ENERGY', 'kWh'],
  '6.26': ['VOLUME', 'm3'],
};

/** Where the power is: signed, as import and export, or as an amount with the direction in a status word. */
const powers = [
  { ident: 'POWER', signed: '16.7.0', imported: '1.7.0', exported: '2.7.0', amount: '15.7.0' },
  { ident: 'POWER_L1', signed: '36.7.0', imported: '21.7.0', exported: '22.7.0', amount: '35.7.0' },
  { ident: 'POWER_L2', signed: '56.7.0', imported: '41.7.0', exported: '42.7.0', amount: '55.7.0' },
  { ident: 'POWER_L3', signed: '76.7.0', imported: '61.7.0', exported: '62.7.0', amount: '75.7.0' },
] as const;

/** The readings of a telegram's present values. */
export function obisReadings(records: readonly MeterRecord[]): Reading[] {
  const coded = records.flatMap((record): CodedRecord[] => {
    const code = parseObis(record.code);
    return code?.isPresent === true ? [{ code, record }] : [];
  });
  const electric = coded.filter(({ code }) => (code.medium ?? ELECTRICITY) === ELECTRICITY);
  const byGroup = new Map(electric.toReversed().map((one) => [one.code.group, one.record]));
  return [
    ...identification(coded),
    ...electric.flatMap(energy),
    ...Object.entries(plain).flatMap(([group, [ident, target]]) =>
      numeric(ident, byGroup.get(group), target),
    ),
    ...powers.flatMap((power) => powerReading(power, byGroup)),
    ...tariff(coded),
    ...subMeterReadings(coded),
  ];
}

function identification(coded: readonly CodedRecord[]): Reading[] {
  for (const wanted of IDENTIFICATIONS) {
    const found = coded.find(
      ({ code, record }) => code.group === wanted && code.channel === 0 && record.value !== '',
    );
    if (found !== undefined) return [{ ident: SERIAL, value: serialText(found.record), resolution: 0 }];
  }
  return [];
}

/** Import and export, in total (tariff 0) and per tariff. */
function energy({ code: { c, d, e }, record }: CodedRecord): Reading[] {
  if ((c !== '1' && c !== '2') || d !== '8' || !/^[0-9]{1,2}$/.test(e)) return [];
  const ident = c === '1' ? 'ENERGY_IN' : 'ENERGY_OUT';
  return numeric(e === '0' ? ident : `${ident}_T${Number(e)}`, withUnit(record, 'kWh'), 'kWh');
}

/** Some telegrams of IEC 62056-21 have no unit; the energy is then in kilowatt-hours. */
function withUnit(record: MeterRecord, unit: string): MeterRecord {
  return record.unit === '' ? { ...record, unit } : record;
}

function powerReading(
  { ident, signed, imported, exported, amount }: (typeof powers)[number],
  byGroup: ReadonlyMap<string, MeterRecord>,
): Reading[] {
  const read = (group: string) => numeric(ident, byGroup.get(group), 'W');
  const direct = read(signed);
  if (direct.length > 0) return direct;
  const [taken] = read(imported);
  const [given] = read(exported);
  if (taken !== undefined || given !== undefined) {
    const value = exact(Number(taken?.value ?? 0) - Number(given?.value ?? 0));
    return [{ ...(taken ?? given ?? { ident, resolution: 0 }), value }];
  }
  const sized = read(amount);
  const sign = isExporting(byGroup) ? -1 : 1;
  if (sized.length > 0) return sized.map((one) => ({ ...one, value: sign * Number(one.value) }));
  // A meter that sends the power of each tariff sends that of the present one.
  return ident === 'POWER' ? read('1.7.1') : [];
}

/** Meters that send the amount of the power say in the status word of a count whether it is exported. */
function isExporting(byGroup: ReadonlyMap<string, MeterRecord>): boolean {
  const status = byGroup.get('1.8.0')?.status ?? byGroup.get('2.8.0')?.status ?? 0;
  return status <= STATUS_LIMIT && (status & STATUS_EXPORT) !== 0;
}

function tariff(coded: readonly CodedRecord[]): Reading[] {
  const found = coded.find(({ code }) => code.medium === ABSTRACT && code.group === '96.14.0');
  const value = Number(found?.record.value);
  return Number.isInteger(value) ? [{ ident: 'TARIFF', value, resolution: 1 }] : [];
}
