import { SERIAL } from '../../../src/device/toolkit/meter-variables.js';
import { exact, type Reading } from '../../../src/device/toolkit/reading.js';
import { conversionFactor, type Target } from '../values/units.js';
import type { MbusRecord } from './records.js';
import type { MbusTelegram } from './telegram.js';

const ELECTRICITY = 2;
const GAS = 3;
/** Warm, hot, cold and plain water, and double registers. */
const WATERS = [6, 7, 0x15, 0x16, 0x17];

/** The part of an ident, and the unit of the variable, by quantity. */
const targets: Readonly<Record<string, readonly [part: string, target: Target]>> = {
  energy: ['ENERGY', 'kWh'],
  volume: ['VOLUME', 'm3'],
  mass: ['MASS', 'kg'],
  power: ['POWER', 'W'],
  flow: ['FLOW', 'm3/h'],
  'flow temperature': ['FLOW_TEMPERATURE', '°C'],
  'return temperature': ['RETURN_TEMPERATURE', '°C'],
  'temperature difference': ['TEMPERATURE_DIFFERENCE', 'K'],
  'external temperature': ['TEMPERATURE', '°C'],
  pressure: ['PRESSURE', 'bar'],
  humidity: ['HUMIDITY', '%'],
  'heat cost units': ['HCA', ''],
  'operating time': ['OPERATING_TIME', 'h'],
  'on time': ['ON_TIME', 'h'],
  'error flags': ['ERROR_FLAGS', ''],
  voltage: ['VOLTAGE', 'V'],
  current: ['CURRENT', 'A'],
};

const functionSuffixes = { instantaneous: '', maximum: '_MAX', minimum: '_MIN', error: '_ERR' } as const;

/** The readings of a telegram; the first one of each ident. */
export function mbusReadings({ id, medium, records }: MbusTelegram): Reading[] {
  const readings = new Map<string, Reading>([[SERIAL, { ident: SERIAL, value: id, resolution: 0 }]]);
  for (const record of records)
    for (const reading of readingOf(record, medium))
      if (!readings.has(reading.ident)) readings.set(reading.ident, reading);
  return [...readings.values()];
}

function readingOf(record: MbusRecord, medium: number): Reading[] {
  const row = targets[record.quantity];
  if (row === undefined || typeof record.value !== 'number') return [];
  const [part, target] = row;
  const factor = conversionFactor(record.unit, target);
  if (factor === undefined) return [];
  const { tariff, storage, device } = record;
  const suffixes = [
    ...(tariff > 0 ? [`_T${tariff}`] : []),
    ...(storage > 0 ? [`_S${storage}`] : []),
    ...(device > 0 ? [`_U${device}`] : []),
  ];
  const ident = `${partOf(part, record, medium)}${suffixes.join('')}${functionSuffixes[record.function]}`;
  return [
    {
      ident,
      value: exact(exact(record.value * factor.multiply) / factor.divide),
      resolution: exact(exact(record.resolution * factor.multiply) / factor.divide),
      // Stored values are as many as a meter has months.
      isPresent: storage === 0 && device === 0 && record.function === 'instantaneous',
    },
  ];
}

/** Electricity has two directions; gas and water have variables of their own. */
function partOf(part: string, { isBackward }: MbusRecord, medium: number): string {
  if (part === 'ENERGY' && medium === ELECTRICITY) return isBackward ? 'ENERGY_OUT' : 'ENERGY_IN';
  if (part === 'VOLUME' && medium === GAS) return 'GAS';
  if (part === 'VOLUME' && WATERS.includes(medium)) return 'WATER';
  return part;
}
