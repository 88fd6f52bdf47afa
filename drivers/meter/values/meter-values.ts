import type { Host } from '../../../src/device/module.js';
import { MeterCounts } from '../../../src/device/toolkit/meter-counts.js';
import { describeValue, SERIAL } from '../../../src/device/toolkit/meter-variables.js';
import type { Reading } from '../../../src/device/toolkit/reading.js';
import { VALUES_LIMIT, type MeterProperties } from '../meter-properties.js';

/**
 * Passes the readings of a meter on to its variables (`MeterCounts`). Values that the meter has and the
 * instance does not are added to it.
 */
export class MeterValues {
  readonly #host: Host<MeterProperties>;
  readonly #idents: ReadonlySet<string>;
  readonly #counts: MeterCounts;

  constructor(host: Host<MeterProperties>) {
    this.#host = host;
    this.#idents = new Set(host.properties.Values);
    this.#counts = new MeterCounts(host, (ident) => describeValue(ident)?.counter === true);
  }

  /** Reports the readings of one valid telegram. */
  accept(readings: readonly Reading[]): void {
    if (this.#addValues(readings)) return;
    this.#counts.report(readings.filter(({ ident }) => ident === SERIAL || this.#idents.has(ident)));
  }

  close(): void {
    this.#counts.close();
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
}
