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
  readonly #idents: ReadonlySet<string>;
  #cancel: Cancel | undefined;

  constructor(host: Host<MeterProperties>) {
    this.#host = host;
    this.#idents = new Set(host.properties.Values);
  }

  /** Reports the readings of one valid telegram. */
  accept(readings: readonly Reading[]): void {
    if (this.#addValues(readings)) return;
    const known = readings.filter(({ ident }) => ident === SERIAL || this.#idents.has(ident));
    this.#acceptKnown(known);
  }

  #acceptKnown(readings: readonly Reading[]): void {
    // A sub-meter has a number of its own.
    const replaced = new Set<string>();
    for (const { ident, value } of [...this.#ownNumber(readings), ...readings])
      if (isSerial(ident) && this.#noteMeter(ident, String(value))) replaced.add(ident);
    for (const reading of readings)
      if (!isSerial(reading.ident)) this.#report(reading, replaced.has(serialOf(reading.ident)));
  }

  close(): void {
    this.#cancel?.();
  }

  /** Adds new values to the properties, which reopens the instance. */
  #addValues(readings: readonly Reading[]): boolean {
    const { Values, Learn } = this.#host.properties;
    if (!Learn) return false;
    const missing = readings
      .filter(({ isPresent = true }) => isPresent)
      .map(({ ident }) => ident)
      .filter((ident) => ident !== SERIAL && !this.#idents.has(ident) && describeValue(ident) !== undefined);
    const room = VALUES_LIMIT - Values.length;
    const added = [...new Set(missing)].slice(0, room);
    if (added.length === 0) return false;
    this.#host.reconfigure({ Values: [...Values, ...added] });
    return true;
  }

  /** The number that the owner has given to a meter that does not send it. */
  #ownNumber(readings: readonly Reading[]): Pick<Reading, 'ident' | 'value'>[] {
    const { Meter } = this.#host.properties;
    if (Meter === '' || readings.some(({ ident }) => ident === SERIAL)) return [];
    return [{ ident: SERIAL, value: Meter }];
  }

  /** Whether these readings are the first ones of another meter. */
  #noteMeter(ident: string, serial: string): boolean {
    const before = String(this.#host.lastValue(ident) ?? '');
    this.#host.report(ident, serial);
    // A meter may begin to send its number: that is no other meter, unless the owner says so.
    if (serial === before || (before === '' && serial !== this.#host.properties.Meter)) return false;
    if (before !== '') this.#reportReplaced(before, serial);
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

const isSerial = (ident: string): boolean => /^SERIAL(?:_[1-9])?$/.test(ident);

/** The ident of the number of the meter that has a value: `GAS_1` is one of the sub-meter `SERIAL_1`. */
const serialOf = (ident: string): string => SERIAL + (/_[1-9]$/.exec(ident)?.[0] ?? '');
