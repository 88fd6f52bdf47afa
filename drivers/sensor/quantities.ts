import type { VariableDeclaration } from '../../src/device/module.js';

/** Words of the property Quantity; `auto` is what the kernel's channel measures. */
export const quantityWords = [
  'auto',
  'temperature',
  'humidity',
  'pressure',
  'light',
  'distance',
  'gas',
  'acceleration',
  'voltage',
  'current',
  'power',
  'energy',
  'resistance',
  'other',
] as const;
export type QuantityWord = Exclude<(typeof quantityWords)[number], 'auto'>;

/** What a channel measures, as the first part of an ident. Idents and units are an interface: they stay. */
interface Quantity extends Pick<VariableDeclaration, 'name' | 'role'> {
  readonly part: string;
  readonly profile?: string;
  /** A unit without a built-in profile; the profile is created with it. */
  readonly unit?: string;
  readonly isCounter?: boolean;
}

const quantities: Readonly<Record<QuantityWord, Quantity>> = {
  temperature: { part: 'TEMPERATURE', name: 'Temperature', role: 'main', profile: '~Temperature' },
  humidity: { part: 'HUMIDITY', name: 'Humidity', role: 'main', profile: '~Humidity.F' },
  pressure: { part: 'PRESSURE', name: 'Air pressure', role: 'main', profile: '~AirPressure.F' },
  light: { part: 'LIGHT', name: 'Illuminance', role: 'main', profile: '~Illumination.F' },
  distance: { part: 'DISTANCE', name: 'Distance', role: 'main', unit: 'm' },
  gas: { part: 'GAS', name: 'Concentration', role: 'main', unit: 'ppm' },
  acceleration: { part: 'ACCELERATION', name: 'Acceleration', role: 'detail', unit: 'm/s²' },
  voltage: { part: 'VOLTAGE', name: 'Voltage', role: 'main', unit: 'V' },
  current: { part: 'CURRENT', name: 'Current', role: 'main', unit: 'A' },
  power: { part: 'POWER', name: 'Power consumption', role: 'main', profile: '~Watt' },
  energy: { part: 'ENERGY', name: 'Energy', role: 'main', profile: '~Electricity', isCounter: true },
  resistance: { part: 'RESISTANCE', name: 'Resistance', role: 'detail', unit: 'Ω' },
  other: { part: 'VALUE', name: 'Value', role: 'main' },
};

export const quantityOf = (word: QuantityWord): Quantity => quantities[word];
