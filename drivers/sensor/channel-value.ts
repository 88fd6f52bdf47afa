import { fault } from '../../src/base/fault.js';
import { quality, type QualityProblem } from '../../src/device/module.js';
import { ChannelFilter } from './channel-filter.js';
import { parseChannelName, type ChannelName } from './channel-names.js';
import { conversionOf, type Convert, type Converted } from './conversion/conversion.js';
import { channelError, identOf, type ChannelProperties } from './sensor-properties.js';

/** Digits of a value: the last ones of a product of doubles are no measurement. */
const SIGNIFICANT_DIGITS = 12;

/**
 * How the readings of one channel become the values of its variable: unit, conversion, calibration, limits,
 * filters.
 */
export class ChannelValue {
  readonly ident: string;
  readonly #settings: ChannelProperties;
  readonly #factor: ChannelName['factor'];
  readonly #convert: Convert;
  readonly #filter: ChannelFilter;

  /** Throws a fault if the settings do not fit what the channel of the kernel measures. */
  static of(settings: ChannelProperties, channel: string): ChannelValue {
    const name = parseChannelName(channel) as ChannelName;
    const error = channelError(settings, name.quantity);
    if (error !== undefined) throw fault('DEVICE_CONFIGURATION', error);
    return new ChannelValue(settings, name);
  }

  private constructor(settings: ChannelProperties, { factor, quantity }: ChannelName) {
    this.ident = identOf(settings);
    this.#settings = settings;
    this.#factor = factor;
    this.#convert = conversionOf(settings, quantity);
    this.#filter = new ChannelFilter(settings);
  }

  /** The value after a reading in the unit of the kernel, at a time on the monotonic clock, ms. */
  next(reading: number, atMs: number): Converted {
    const { multiply, divide } = this.#factor;
    const converted = this.#convert((reading * multiply) / divide);
    if (typeof converted !== 'number') return this.reject(converted);
    const value = this.#calibrate(converted);
    const problem = this.#limitProblem(value);
    if (problem !== undefined) return this.reject(problem);
    return Number(this.#filter.add(value, atMs).toPrecision(SIGNIFICANT_DIGITS));
  }

  /** Forgets earlier readings because of a problem, which is returned. */
  reject(problem: QualityProblem): QualityProblem {
    this.#filter.reset();
    return problem;
  }

  #calibrate(value: number): number {
    const { MeasuredLow, ActualLow, MeasuredHigh, ActualHigh } = this.#settings;
    if (MeasuredLow === undefined || MeasuredHigh === undefined) return value;
    if (ActualLow === undefined || ActualHigh === undefined) return value;
    return ActualLow + ((value - MeasuredLow) * (ActualHigh - ActualLow)) / (MeasuredHigh - MeasuredLow);
  }

  #limitProblem(value: number): QualityProblem | undefined {
    const { Min = -Infinity, Max = Infinity, Channel } = this.#settings;
    if (value >= Min && value <= Max) return undefined;
    const text = `${Number(value.toPrecision(6))} is outside the limits of ${Channel}`;
    return { state: quality.bad, reason: 'OUT_OF_RANGE', text };
  }
}
