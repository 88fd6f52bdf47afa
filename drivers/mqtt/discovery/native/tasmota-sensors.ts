import type { AnnouncedEntity } from '../announcement.js';
import { humanized } from '../names.js';
import { isObject, memberOf } from '../readers.js';
import type { Tasmota } from './tasmota.js';

/** Sensors of one device; more is an error or an attack. */
const SENSOR_LIMIT = 200;
/** How deeply values are nested. */
const DEPTH_LIMIT = 4;

/** Class and unit of values by their names; those without are numbers without a unit, or texts. */
const KINDS: Readonly<Record<string, readonly [deviceClass: string | undefined, unit: string]>> = {
  ApparentPower: ['apparent_power', 'VA'],
  Battery: ['battery', '%'],
  CarbonDioxide: ['carbon_dioxide', 'ppm'],
  Current: ['current', 'A'],
  Distance: ['distance', 'cm'],
  eCO2: ['carbon_dioxide', 'ppm'],
  Factor: ['power_factor', ''],
  Frequency: ['frequency', 'Hz'],
  Gas: [undefined, 'kΩ'],
  Humidity: ['humidity', '%'],
  Illuminance: ['illuminance', 'lx'],
  Moisture: ['moisture', '%'],
  PM1: ['pm1', 'µg/m³'],
  'PM2.5': ['pm25', 'µg/m³'],
  PM10: ['pm10', 'µg/m³'],
  Power: ['power', 'W'],
  ReactivePower: ['reactive_power', 'var'],
  Temperature: ['temperature', '°C'],
  DewPoint: ['temperature', '°C'],
  Pressure: ['pressure', 'hPa'],
  SeaPressure: ['pressure', 'hPa'],
  Total: ['energy', 'kWh'],
  Today: ['energy', 'kWh'],
  Yesterday: ['energy', 'kWh'],
  TVOC: [undefined, 'ppb'],
  Voltage: ['voltage', 'V'],
  Weight: ['weight', 'kg'],
};

/** Members that are no values, or that other entities have. */
const SKIPPED =
  /^(?:Time|TempUnit|PressureUnit|SpeedUnit|Id|TotalStartTime|Epoch|(?:Switch|Button|Shutter)\d+)$/;

/** The sensors in the announcement `{"sn":{"AM2301":{"Temperature":20.1},"TempUnit":"C"}}`. */
export function tasmotaSensors(tasmota: Tasmota, payload: unknown): AnnouncedEntity[] {
  const sensors = isObject(payload) ? memberOf(payload, 'sn') : undefined;
  if (!isObject(sensors)) return [];
  const units = {
    '°C': memberOf(sensors, 'TempUnit') === 'F' ? '°F' : '°C',
    hPa: typeof sensors['PressureUnit'] === 'string' ? sensors['PressureUnit'] : 'hPa',
  };
  return valuesIn(sensors)
    .slice(0, SENSOR_LIMIT)
    .map(({ path, value }) => {
      const name = String(path.findLast((step) => typeof step === 'string') ?? '');
      const [deviceClass, unit = ''] = memberOf(KINDS, name) ?? [];
      const shownUnit = unit === '°C' || unit === 'hPa' ? units[unit] : unit;
      const steps = path.map((step) =>
        typeof step === 'number' ? `[${step}]` : `[${JSON.stringify(step)}]`,
      );
      // A sensor that is missing in a message says nothing.
      const checks = path.map((_, at) => `{% if r${steps.slice(0, at + 1).join('')} is defined %}`);
      const template = (root: string) =>
        `{% set r = ${root} %}${checks.join('')}{{ r${steps.join('')} }}${'{% endif %}'.repeat(path.length)}`;
      const settings = {
        name: path.map((step) => (typeof step === 'number' ? String(step + 1) : humanized(step))).join(' '),
        ...(deviceClass === undefined ? {} : { device_class: deviceClass }),
        ...(shownUnit === '' ? {} : { unit_of_measurement: shownUnit }),
        ...(typeof value === 'number' ? { state_class: 'measurement' } : {}),
        state_topic: [
          { topic: tasmota.telemetry('SENSOR'), template: template('value_json') },
          { topic: tasmota.status('STATUS10'), template: template('value_json.StatusSNS') },
        ],
      };
      return tasmota.entity('sensor', path.join('_'), settings);
    });
}

interface Found {
  readonly path: readonly (string | number)[];
  readonly value: number | string;
}

function valuesIn(value: unknown, path: readonly (string | number)[] = []): Found[] {
  if (path.length > DEPTH_LIMIT) return [];
  if (typeof value === 'number' || typeof value === 'string') return path.length < 2 ? [] : [{ path, value }];
  if (Array.isArray(value)) return value.slice(0, 16).flatMap((one, at) => valuesIn(one, [...path, at]));
  if (!isObject(value)) return [];
  return Object.entries(value)
    .filter(([key]) => !SKIPPED.test(key))
    .flatMap(([key, one]) => valuesIn(one, [...path, key]));
}
