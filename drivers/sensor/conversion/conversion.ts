import { coded, either, type Text } from '../../../src/base/codes/coded-text.js';
import { quality, type QualityProblem } from '../../../src/device/module.js';
import type { QuantityWord } from '../quantities.js';
import { betaCelsius, parseNtcTable, steinhartHartCelsius, tableCelsius } from './ntc.js';
import { RTD_MAX_CELSIUS, RTD_MIN_CELSIUS, rtdCelsius } from './rtd.js';

/** How the reading of a channel becomes the value of the variable. */
export const conversionWords = [
  'none',
  '0-10V',
  '0-20mA',
  '4-20mA',
  'pt100',
  'pt1000',
  'ntc-beta',
  'ntc-steinhart-hart',
  'ntc-table',
] as const;
type ConversionWord = (typeof conversionWords)[number];

/** The properties of a channel that a conversion has; absent ones have the defaults of `docs`. */
export interface ConversionSettings {
  readonly Conversion?: ConversionWord;
  readonly From?: number;
  readonly To?: number;
  readonly Divider?: number;
  readonly ShuntOhm?: number;
  readonly SeriesOhm?: number;
  readonly SupplyV?: number;
  readonly Ohm25?: number;
  readonly Beta?: number;
  readonly A?: number;
  readonly B?: number;
  readonly C?: number;
  readonly Table?: string;
}

/** A value, or why there is none. */
export type Converted = number | QualityProblem;

/** Converts a reading in V, A or Ω. */
export type Convert = (reading: number) => Converted;

/** A transmitter signals a failure below 3.6 mA or above 21 mA (NAMUR NE 43). */
const WIRE_BREAK_MA = 3.6;
const FAILURE_MA = 21;

/** A divider whose output is this part of its supply has an open sensor; a hundredth of it, a shorted one. */
const OPEN_PART = 0.99;
const SHORT_PART = 0.002;

/** No NTC is used beyond these temperatures, °C: the reading is of a broken or a shorted sensor. */
const NTC_MIN_CELSIUS = -80;
const NTC_MAX_CELSIUS = 300;

/** Ohms at 0 °C. */
const nominalOhm = { pt100: 100, pt1000: 1000 } as const;

const bad = (reason: QualityProblem['reason'], text: string): QualityProblem => ({
  state: quality.bad,
  reason,
  text,
});
const wireBreak = () => bad('WIRE_BREAK', 'the sensor is disconnected or its wire is broken');
const shorted = () => bad('OUT_OF_RANGE', 'the sensor or its wire has a short circuit');

/** The quantity of a value after the conversion; undefined if it is that of the channel. */
export function convertedQuantity(conversion: ConversionWord): QuantityWord | undefined {
  if (conversion === 'none') return undefined;
  return /^(?:pt|ntc)/.test(conversion) ? 'temperature' : 'other';
}

/**
 * What is wrong with the settings of a conversion of a channel with this quantity; undefined if nothing is. The
 * quantity is undefined while it is unknown.
 */
export function conversionError(
  channel: string,
  settings: ConversionSettings,
  quantity: QuantityWord | undefined,
): Text | undefined {
  const { Conversion = 'none', ShuntOhm = 0, SeriesOhm = 0, SupplyV = 0, From = 0, To = 0 } = settings;
  if (Conversion === 'none') return undefined;
  const isSignal = convertedQuantity(Conversion) === 'other';
  const inputs = inputsOf(Conversion);
  if (quantity !== undefined && !inputs.includes(quantity))
    return coded`SENSOR_CONVERSION_INPUT: the conversion ${Conversion} of ${channel} needs a channel that measures ${either(inputs)}`;
  if (isSignal && From === To)
    return coded`SENSOR_SIGNAL_RANGE: ${channel} needs From and To, the values at both ends of the signal`;
  if (isSignal && Conversion !== '0-10V' && quantity === 'voltage' && ShuntOhm <= 0)
    return coded`SENSOR_SHUNT: ${channel} measures a voltage; set ShuntOhm to the resistance that the current flows through`;
  if (!isSignal && quantity === 'voltage' && (SeriesOhm <= 0 || SupplyV <= 0))
    return coded`SENSOR_DIVIDER: ${channel} measures a voltage; set SeriesOhm and SupplyV to those of the voltage divider`;
  return ntcError(channel, settings);
}

function inputsOf(conversion: ConversionWord): readonly QuantityWord[] {
  if (conversion === '0-10V') return ['voltage'];
  return convertedQuantity(conversion) === 'other' ? ['current', 'voltage'] : ['resistance', 'voltage'];
}

function ntcError(
  channel: string,
  { Conversion, Ohm25 = 0, Beta = 0, A = 0, B = 0, Table = '' }: ConversionSettings,
): Text | undefined {
  if (Conversion === 'ntc-beta' && (Ohm25 <= 0 || Beta <= 0))
    return coded`SENSOR_NTC_BETA: ${channel} needs Ohm25 and Beta from the data sheet of the NTC`;
  if (Conversion === 'ntc-steinhart-hart' && (A <= 0 || B <= 0))
    return coded`SENSOR_NTC_COEFFICIENTS: ${channel} needs the coefficients A, B and C of the NTC`;
  if (Conversion === 'ntc-table' && parseNtcTable(Table) === undefined)
    return coded`SENSOR_NTC_TABLE: Table of ${channel} needs at least two points such as 0:32554 25:10000, with falling resistances`;
  return undefined;
}

/** The conversion of a channel with this quantity; the settings are without errors. */
export function conversionOf(settings: ConversionSettings, quantity: QuantityWord): Convert {
  const { Conversion = 'none', From = 0, To = 0, Divider = 1, ShuntOhm = 0 } = settings;
  const scaled = (part: number) => From + part * (To - From);
  const milliamperes = (reading: number) => (quantity === 'current' ? reading : reading / ShuntOhm) * 1000;
  switch (Conversion) {
    case 'none':
      return (reading) => reading;
    case '0-10V':
      return (reading) => scaled((reading * Divider) / 10);
    case '0-20mA':
      return (reading) => scaled(milliamperes(reading) / 20);
    case '4-20mA':
      return (reading) => {
        const current = milliamperes(reading);
        if (current < WIRE_BREAK_MA) return wireBreak();
        return current > FAILURE_MA
          ? bad('OUT_OF_RANGE', 'the transmitter signals a failure: its current is above 21 mA')
          : scaled((current - 4) / 16);
      };
    default:
      return ofResistance(settings, Conversion, quantity);
  }
}

function ofResistance(
  settings: ConversionSettings,
  conversion: Exclude<ConversionWord, 'none' | '0-10V' | '0-20mA' | '4-20mA'>,
  quantity: QuantityWord,
): Convert {
  const { SeriesOhm = 0, SupplyV = 0 } = settings;
  const isPlatinum = conversion === 'pt100' || conversion === 'pt1000';
  const celsius = isPlatinum
    ? (ohm: number) => rtdCelsius(ohm, nominalOhm[conversion])
    : ntcCelsius(settings, conversion);
  const [min, max] = isPlatinum ? [RTD_MIN_CELSIUS, RTD_MAX_CELSIUS] : [NTC_MIN_CELSIUS, NTC_MAX_CELSIUS];
  return (reading) => {
    if (quantity === 'voltage' && reading >= SupplyV * OPEN_PART) return wireBreak();
    if (quantity === 'voltage' && reading <= SupplyV * SHORT_PART) return shorted();
    const ohm = quantity === 'voltage' ? (SeriesOhm * reading) / (SupplyV - reading) : reading;
    if (ohm <= 0) return shorted();
    const value = celsius(ohm);
    if (typeof value !== 'number') return value;
    // The resistance of platinum rises with the temperature, that of an NTC falls.
    if (value > max) return isPlatinum ? wireBreak() : shorted();
    if (value < min) return isPlatinum ? shorted() : wireBreak();
    return value;
  };
}

function ntcCelsius(
  { Ohm25 = 0, Beta = 0, A = 0, B = 0, C = 0, Table = '' }: ConversionSettings,
  conversion: 'ntc-beta' | 'ntc-steinhart-hart' | 'ntc-table',
): (ohm: number) => Converted {
  if (conversion === 'ntc-beta') return (ohm) => betaCelsius(ohm, Ohm25, Beta);
  if (conversion === 'ntc-steinhart-hart') return (ohm) => steinhartHartCelsius(ohm, [A, B, C]);
  const points = parseNtcTable(Table) ?? [];
  return (ohm) =>
    tableCelsius(ohm, points) ?? bad('OUT_OF_RANGE', 'the resistance is outside the table of the sensor');
}
