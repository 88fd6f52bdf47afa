import { coded } from '../../base/codes/coded-text.js';
import type { Cancel } from '../../base/clock.js';
import { quality, type Host, type QualityProblem } from '../module.js';
import { SERIAL } from './meter-variables.js';
import { exact, type Reading } from './reading.js';

/** The numbers of a meter and of its sub-meters. */
const NUMBERS = [SERIAL, ...Array.from({ length: 9 }, (_, index) => `${SERIAL}_${index + 1}`)];

/** How long the change of a meter stays a problem of its instance. */
const CHANGE_SHOWN_MS = 24 * 60 * 60 * 1000;

const BACKWARD: QualityProblem = {
  state: quality.bad,
  reason: 'OUT_OF_RANGE',
  text: 'the meter reports less than before; if it was replaced or its count overflowed, set Meter to another number',
};

/**
 * Reports the readings of a meter. A count never goes down, except once after the meter was replaced, which
 * is reported.
 */
export class MeterCounts {
  readonly #host: Host<{ readonly Meter: string }>;
  readonly #isCounter: (ident: string) => boolean;
  /** The counts that were reported since a meter was replaced, by the ident of its number. */
  readonly #sinceChange = new Map<string, Set<string>>();
  #cancel: Cancel | undefined;

  constructor(host: Host<{ readonly Meter: string }>, isCounter: (ident: string) => boolean) {
    this.#host = host;
    this.#isCounter = isCounter;
  }

  /** Reports readings that belong together, with the number of their meter if they contain it. */
  report(readings: readonly Reading[]): void {
    // A sub-meter has a number of its own; what the owner enters applies to all counts.
    for (const { ident, value } of this.#numbers(readings)) {
      if (!this.#noteMeter(ident, String(value))) continue;
      const changed = value === this.#host.properties.Meter ? NUMBERS : [ident];
      for (const number of changed) this.#sinceChange.set(number, new Set());
    }
    for (const reading of readings) if (!isSerial(reading.ident)) this.#report(reading);
  }

  close(): void {
    this.#cancel?.();
  }

  /** The numbers of the meter and its sub-meters; one that the owner has given replaces the one that is sent. */
  #numbers(readings: readonly Reading[]): Pick<Reading, 'ident' | 'value'>[] {
    const { Meter } = this.#host.properties;
    const sent = readings.filter(({ ident }) => isSerial(ident));
    if (Meter === '') return sent;
    return [{ ident: SERIAL, value: Meter }, ...sent.filter(({ ident }) => ident !== SERIAL)];
  }

  /** Whether these readings are the first ones of another meter. */
  #noteMeter(ident: string, serial: string): boolean {
    const before = String(this.#host.lastValue(ident) ?? '');
    this.#host.report(ident, serial);
    // A meter may begin to send its number: it is still the same meter, unless the owner has entered this
    // number.
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

  #report({ ident, value, resolution, atMs }: Reading): void {
    const before = this.#host.lastValue(ident);
    const since = this.#sinceChange.get(numberIdentOf(ident));
    const isFirst = since !== undefined && !since.has(ident);
    since?.add(ident);
    if (this.#isCounter(ident) && !isFirst && typeof before === 'number' && Number(value) < before) {
      // After a power cut, some meters send only integers (kilowatt-hours) until their PIN is entered.
      if (exact(before - Number(value)) >= resolution) return this.#host.markUncertain(ident, BACKWARD);
      return this.#host.report(ident, before, atMs);
    }
    this.#host.report(ident, value, atMs);
  }
}

const isSerial = (ident: string): boolean => /^SERIAL(?:_[1-9])?$/.test(ident);

/** The ident of the number of the meter that has a value: `GAS_1` is one of the sub-meter `SERIAL_1`. */
export const numberIdentOf = (ident: string): string => SERIAL + (/_[1-9]$/.exec(ident)?.[0] ?? '');
