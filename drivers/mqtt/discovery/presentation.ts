import {
  variableType,
  type ProfileDefinition,
  type Value,
  type VariableType,
} from '../../../src/device/module.js';
import { hashOf, humanized } from './names.js';
import { memberOf } from './readers.js';

const { boolean, integer, float, string } = variableType;

/** The built-in profiles of measurements, by class and unit; the unit alone if there is no class. */
const MEASUREMENTS: Readonly<Record<string, string>> = {
  'temperature °C': '~Temperature',
  'temperature °F': '~Temperature.Fahrenheit',
  'humidity %': '~Humidity.F',
  'pressure hPa': '~AirPressure.F',
  'atmospheric_pressure hPa': '~AirPressure.F',
  'illuminance lx': '~Illumination.F',
  'wind_speed km/h': '~WindSpeed.kmh',
  'wind_speed m/s': '~WindSpeed.ms',
  'precipitation mm': '~Rainfall',
  'voltage V': '~Volt',
  'current A': '~Ampere',
  'current mA': '~Milliampere',
  'frequency Hz': '~Hertz',
  'power W': '~Watt',
  'power kW': '~Power',
  'energy kWh': '~Electricity',
  'energy Wh': '~Electricity.Wh',
  'gas m³': '~Gas',
  'water m³': '~Water',
  ' °C': '~Temperature',
  ' V': '~Volt',
  ' A': '~Ampere',
  ' W': '~Watt',
  ' kWh': '~Electricity',
  ' Hz': '~Hertz',
};

/** Decimals of units that are not whole numbers; all others are shown without. */
const DIGITS: Readonly<Record<string, number>> = {
  '°C': 1,
  '°F': 1,
  K: 1,
  V: 1,
  A: 2,
  W: 1,
  kW: 2,
  kWh: 3,
  MWh: 3,
  Wh: 1,
  VA: 1,
  var: 1,
  Hz: 1,
  'm³': 3,
  'm³/h': 2,
  'L/min': 1,
  L: 1,
  hPa: 1,
  kPa: 2,
  bar: 2,
  'm/s': 1,
  'km/h': 1,
  mm: 1,
  cm: 1,
  m: 2,
  kg: 2,
  pH: 1,
  '': 2,
};

const ICONS: Readonly<Record<string, string>> = {
  temperature: 'Temperature',
  humidity: 'Drops',
  moisture: 'Drops',
  battery: 'Battery',
  illuminance: 'Sun',
  pressure: 'Gauge',
  atmospheric_pressure: 'Gauge',
  carbon_dioxide: 'Gauge',
  power: 'Electricity',
  energy: 'Electricity',
  voltage: 'Electricity',
  current: 'Electricity',
  gas: 'Flame',
  water: 'Drops',
  wind_speed: 'WindSpeed',
  precipitation: 'Rainfall',
  duration: 'Clock',
};

/** The profiles of binary sensors by class: false and true. Others are off and on. */
const BINARY: Readonly<Record<string, string | readonly [off: string, on: string, icon: string]>> = {
  battery: '~Battery',
  battery_charging: ['Not charging', 'Charging', 'Battery'],
  carbon_monoxide: '~Alert',
  connectivity: ['Disconnected', 'Connected', ''],
  door: '~Window',
  garage_door: '~Window',
  gas: '~Alert',
  heat: '~Alert',
  lock: '~Lock.Reversed',
  moisture: '~Alert',
  motion: '~Motion',
  moving: '~Motion',
  occupancy: '~Presence',
  opening: '~Window',
  plug: ['Unplugged', 'Plugged in', 'Electricity'],
  presence: '~Presence',
  problem: '~Alert',
  safety: '~Alert',
  smoke: '~Alert',
  sound: ['Quiet', 'Sound', ''],
  tamper: '~Alert',
  update: ['Up to date', 'Update available', ''],
  vibration: ['Still', 'Vibration', 'Motion'],
  window: '~Window',
};

/** The profile of a binary sensor. */
export function binaryProfile(deviceClass: string | undefined): string | ProfileDefinition {
  const found = memberOf(BINARY, deviceClass ?? '');
  if (found === undefined) return '~Switch';
  if (typeof found === 'string') return found;
  const [off, on, icon] = found;
  return associationsProfile(
    boolean,
    [
      [false, off],
      [true, on],
    ],
    icon,
  );
}

/** What is known of a number. */
interface NumberFacts {
  readonly unit?: string | undefined;
  readonly deviceClass?: string | undefined;
  readonly digits?: number | undefined;
  readonly range?: readonly [min: number, max: number, step: number] | undefined;
  readonly type?: typeof integer | typeof float;
}

/** The profile of a number: a built-in one if it fits. Profiles with the same content are one profile. */
export function numberProfile({
  unit = '',
  deviceClass,
  range,
  type = float,
  ...rest
}: NumberFacts): string | ProfileDefinition {
  const builtIn = MEASUREMENTS[`${deviceClass ?? ''} ${unit}`];
  const { digits: fixed } = rest;
  if (builtIn !== undefined && fixed === undefined && range === undefined && type === float) return builtIn;
  if (unit === '%' && type === integer && range === undefined && deviceClass === 'battery')
    return '~Battery.100';
  const digits = type === integer ? 0 : (fixed ?? digitsOf(range?.[2]) ?? memberOf(DIGITS, unit.trim()) ?? 0);
  const [min, max, step] = allowedRange(unit, range);
  const icon = memberOf(ICONS, deviceClass ?? '') ?? '';
  const suffix = unit.trim() === '' ? '' : unit === '%' || unit === '°' ? unit : ` ${unit}`;
  const limits = range === undefined ? '' : `.${min}-${max}${step === 0 ? '' : `-${step}`}`;
  const name = `MQTT${type === integer ? '.i' : ''}.${named(unit)}.${digits}${icon === '' ? '' : `.${icon}`}${limits}`;
  return { name, type, icon, prefix: '', suffix, min, max, step, digits, associations: [] };
}

/** A percentage of a range that does not begin at 0 would be shown as another number. */
function allowedRange(unit: string, range: NumberFacts['range']): readonly [number, number, number] {
  if (range === undefined) return [0, 0, 0];
  const [min, max, step] = range;
  return unit === '%' && (min !== 0 || max !== 100) ? [0, 0, step] : [min, max, step];
}

/** The profile of a share of `scale`, which is shown in per cent. */
export function shareProfile(scale: number, icon = 'Intensity'): string | ProfileDefinition {
  if (icon === 'Intensity' && scale === 255) return '~Intensity.255';
  if (icon === 'Intensity' && scale === 100) return '~Intensity.100';
  const range = { min: 0, max: scale, step: 1, digits: 0 };
  return {
    name: `MQTT.Share.${scale}`,
    type: integer,
    icon,
    prefix: '',
    suffix: '%',
    ...range,
    associations: [],
  };
}

/** The profile of a text that is one of some options. */
export function optionsProfile(options: readonly string[], icon = ''): ProfileDefinition | undefined {
  if (options.length === 0) return undefined;
  const named = options.map((one): [string, string] => [
    one,
    one === one.toLowerCase() ? humanized(one) : one,
  ]);
  return associationsProfile(string, named, icon);
}

/** The profile of a command without a value. */
export const pressProfile = (name: string): ProfileDefinition =>
  associationsProfile(integer, [[0, name]], 'Execute');

function associationsProfile(
  type: VariableType,
  names: readonly (readonly [Value, string])[],
  icon: string,
): ProfileDefinition {
  const words = names.map(([, name]) => name).join(' ');
  const name = `MQTT.${named(words.slice(0, 40))}.${hashOf(JSON.stringify([type, names, icon]))}`;
  const associations = names.map(([value, text]) => ({ value, name: text, icon: '', color: -1 }));
  const numbers = { min: 0, max: 0, step: 0, digits: 0 };
  return { name, type, icon, prefix: '', suffix: '', ...numbers, associations };
}

/** The decimals of a step: 2 for 0.05. */
function digitsOf(step: number | undefined): number | undefined {
  if (step === undefined || step === 0) return undefined;
  const [, decimals = ''] = String(step).split('.');
  return String(step).includes('e') ? 6 : Math.min(decimals.length, 6);
}

/** A unit or words as a part of the name of a profile, in which `~` is not allowed. */
const named = (text: string): string => text.replaceAll('~', '-').trim();
