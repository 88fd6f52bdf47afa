import { coded } from '../../../src/base/codes/coded-text.js';
import type { Cancel } from '../../../src/base/clock.js';
import { quality, type Host, type QualityProblem } from '../../../src/device/module.js';
import { VALUES_LIMIT, type MeterProperties } from '../meter-properties.js';
import { describeValue, SERIAL } from './meter-variables.js';
import { exact, type Reading } from './reading.js';

/** How long the change of a meter stays a problem of its instance. */
const CHANGE_SHOWN_MS = 24 * 60 * 60 * 1000;

const BACKWARD: QualityProblem = {
  state: quality.bad,
  reason: 'OUT_OF_RANGE',
  text: 'the meter reports less than before; if it was replaced, set Meter to its number',
};

/**
 * Passes the readings of a meter on to its variables. A count never goes down, except after the meter was
 * replaced, which is reported. Values that the meter has and the instance does not are added to it.
 */
export class MeterValues {
  readonly #host: Host<MeterProperties>;
  #cancel: Cancel | undefined;

  constructor(host: Host<MeterProperties>) {
    this.#host = host;
  }

  /** Reports the readings of one valid telegram. */
  accept(readings: readonly Reading[]): void {
    if (this.#addValues(readings)) return;
    const isReplaced = this.#noteMeter(readings);
    for (const reading of readings) if (reading.ident !== SERIAL) this.#report(reading, isReplaced);
  }

  close(): void {
    this.#cancel?.();
  }

  /** Adds new values to the properties, which reopens the instance. */
  #addValues(readings: readonly Reading[]): boolean {
    const { Values, Learn } = this.#host.properties;
    if (!Learn) return false;
    const missing = readings
      .map(({ ident }) => ident)
      .filter((ident) => ident !== SERIAL && !Values.includes(ident) && describeValue(ident) !== undefined);
    const room = VALUES_LIMIT - Values.length;
    const added = [...new Set(missing)].slice(0, room);
    if (added.length === 0) return false;
    this.#host.reconfigure({ Values: [...Values, ...added] });
    return true;
  }

  /** Whether these readings are the first ones of another meter. */
  #noteMeter(readings: readonly Reading[]): boolean {
    const { Meter } = this.#host.properties;
    const sent = readings.find(({ ident }) => ident === SERIAL)?.value;
    const serial = String(sent ?? Meter);
    const before = this.#host.lastValue(SERIAL) ?? '';
    if (serial === '') return false;
    this.#host.report(SERIAL, serial);
    // A meter may begin to send its number: that is no other meter, unless the owner says so.
    if (serial === before || (before === '' && sent !== undefined)) return false;
    if (before !== '') this.#reportReplaced(String(before), serial);
    return true;
  }

  #reportReplaced(before: string, serial: string): void {
    const { id, log, clock } = this.#host;
    const text = coded`METER_REPLACED: the meter ${before} was replaced by ${serial}; its counts start over`;
    log.warn({ instance: id, before, serial }, text.toString());
    this.#host.setProblem('METER_REPLACED', text);
    this.#cancel?.();
    this.#cancel = clock.after(CHANGE_SHOWN_MS, () => this.#host.setProblem('METER_REPLACED', undefined));
  }

  #report({ ident, value, resolution, atMs }: Reading, isReplaced: boolean): void {
    const before = this.#host.lastValue(ident);
    const isCounter = describeValue(ident)?.counter === true;
    if (isCounter && !isReplaced && typeof before === 'number' && Number(value) < before) {
      // Some meters send complete kilowatt-hours only after a power cut, until their PIN is entered.
      if (exact(before - Number(value)) >= resolution) return this.#host.markUncertain(ident, BACKWARD);
      return this.#host.report(ident, before, atMs);
    }
    this.#host.report(ident, value, atMs);
  }
}
