import type { QuantityWord } from './quantities.js';

/** A unit of the kernel in the unit of the variable, as a fraction: 1/1000 as a number is not exact. */
interface UnitFactor {
  readonly multiply: number;
  readonly divide: number;
}

/** What the name of a kernel channel says about it. */
export interface ChannelName {
  readonly quantity: QuantityWord;
  readonly factor: UnitFactor;
  /** The parts of the ident after the quantity: number, second number, modifier. */
  readonly suffix: readonly string[];
}

const by = (multiply: number, divide = 1): UnitFactor => ({ multiply, divide });
type Kind = readonly [quantity: QuantityWord, factor: UnitFactor];

/**
 * Types of IIO channels with their units after offset and scale
 * (Documentation/ABI/testing/sysfs-bus-iio): millidegrees Celsius, milli percent, kilopascal, lux, metres,
 * percent of a substance, m/s², millivolts, milliamperes, milliwatts, joules, ohms.
 */
const iioKinds: Readonly<Record<string, Kind>> = {
  temp: ['temperature', by(1, 1000)],
  humidityrelative: ['humidity', by(1, 1000)],
  pressure: ['pressure', by(10)],
  illuminance: ['light', by(1)],
  distance: ['distance', by(1)],
  concentration: ['gas', by(10_000)],
  accel: ['acceleration', by(1)],
  voltage: ['voltage', by(1, 1000)],
  current: ['current', by(1, 1000)],
  power: ['power', by(1, 1000)],
  energy: ['energy', by(1, 3_600_000)],
  resistance: ['resistance', by(1)],
};

/**
 * Types of hwmon channels (Documentation/hwmon/sysfs-interface.rst): millidegrees Celsius, milli percent,
 * millivolts, milliamperes, microwatts, microjoules.
 */
const hwmonKinds: Readonly<Record<string, Kind>> = {
  temp: ['temperature', by(1, 1000)],
  humidity: ['humidity', by(1, 1000)],
  in: ['voltage', by(1, 1000)],
  curr: ['current', by(1, 1000)],
  power: ['power', by(1, 1_000_000)],
  energy: ['energy', by(1, 3_600_000_000_000)],
};

const IIO_CHANNEL = /^in_([a-z]+)(\d*)(?:-([a-z]+)(\d+))?(?:_([a-z0-9_]+))?$/;
const HWMON_CHANNEL = /^([a-z]+)(\d+)$/;

/** What a kernel channel measures (`in_temp`, `in_voltage0-voltage1`, `temp1`); undefined if it is none. */
export function parseChannelName(channel: string): ChannelName | undefined {
  const [, type = '', first = '', , second = '', modifier = ''] = IIO_CHANNEL.exec(channel) ?? [];
  if (Object.hasOwn(iioKinds, type)) {
    const [quantity, factor] = iioKinds[type] as Kind;
    const suffix = [first, second, modifier.toUpperCase()].filter((part) => part !== '');
    return { quantity, factor, suffix };
  }
  const [, kind = '', number = ''] = HWMON_CHANNEL.exec(channel) ?? [];
  if (!Object.hasOwn(hwmonKinds, kind)) return undefined;
  const [quantity, factor] = hwmonKinds[kind] as Kind;
  return { quantity, factor, suffix: [number] };
}

/**
 * The names under which the kernel provides scale and offset of an IIO channel, the most specific first: they
 * may be shared by all channels of the type, of the direction or of the device (iio_chan_info_enum).
 */
export function sharedNames(channel: string): string[] {
  const [, type = '', , otherType] = IIO_CHANNEL.exec(channel) ?? [];
  const ofType = otherType === undefined ? `in_${type}_` : `in_${type}-${otherType}_`;
  return [...new Set([`${channel}_`, ofType, 'in_', ''])];
}
