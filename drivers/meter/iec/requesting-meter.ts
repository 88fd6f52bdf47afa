import { coded, type Text } from '../../../src/base/codes/coded-text.js';
import type { Cancel } from '../../../src/base/clock.js';
import { codedMessageOf, codeOf, isAbort } from '../../../src/base/fault.js';
import type { ByteStream } from '../../../src/device/byte-stream.js';
import type { Host, OpenInstance } from '../../../src/device/module.js';
import { DeviceQueue } from '../../../src/device/toolkit/device-queue.js';
import type { IecProperties } from '../iec-properties.js';
import type { MeterRecord } from '../telegram.js';
import { describeTelegram, dropText } from '../telegram-texts.js';
import { UncheckedTelegrams } from '../unchecked-telegrams.js';
import { MeterValues } from '../values/meter-values.js';
import { obisReadings } from '../values/obis-readings.js';
import { INITIAL_BAUD } from './baud-rates.js';
import { readOut } from './readout.js';

/** Readouts that may fail in a row before the meter counts as unavailable: a head may slip for a moment. */
const TOLERATED_FAILURES = 2;

/** A meter that sends its values on request (IEC 62056-21 modes A to C). */
export class RequestingMeter implements OpenInstance {
  readonly #host: Host<IecProperties>;
  readonly #stream: ByteStream;
  readonly #queue: DeviceQueue;
  readonly #values: MeterValues;
  readonly #unchecked: UncheckedTelegrams;
  readonly #abort = new AbortController();
  readonly #cancel: Cancel;
  #isBusy = false;
  #failures = 0;
  #last: readonly MeterRecord[] = [];

  constructor(host: Host<IecProperties>, stream: ByteStream) {
    this.#host = host;
    this.#stream = stream;
    this.#queue = new DeviceQueue(host, coded`METER_ON: the meter on ${stream.name}`);
    this.#values = new MeterValues(host);
    this.#unchecked = new UncheckedTelegrams(host.properties.AcceptUnchecked);
    this.#cancel = host.clock.every(host.properties.EveryS * 1000, () => this.#poll());
    this.#poll();
  }

  /** Starts a readout. Does not wait for its end, which may take minutes: a command has 10 s. */
  async refresh(): Promise<void> {
    this.#poll();
    await Promise.resolve();
  }

  /** The records of the last readout, as the meter sent them. */
  knownDevices(): readonly object[] {
    return this.#last.map(({ code, value, unit }) => ({ Code: code, Value: value, Unit: unit }));
  }

  async close(): Promise<void> {
    this.#cancel();
    this.#abort.abort(new DOMException('the meter is closed', 'AbortError'));
    await this.#queue.close(() => this.#values.close());
  }

  #poll(): void {
    // A readout at 300 baud may take longer than the interval.
    if (this.#isBusy) return;
    // A failure was reported by `#readOut`.
    this.#readOut().catch(() => undefined);
  }

  async #readOut(): Promise<void> {
    this.#isBusy = true;
    const fromNs = this.#host.clock.monotonicNs();
    try {
      await this.#queue.run(() => this.#request());
    } catch (thrown) {
      if (!isAbort(thrown) && codeOf(thrown) !== 'DEVICE_OFFLINE') this.#noteFailure(codedMessageOf(thrown));
      throw thrown;
    } finally {
      this.#host.recordPoll(fromNs);
      this.#isBusy = false;
    }
  }

  async #request(): Promise<void> {
    const { Address, MaxBaud } = this.#host.properties;
    const telegram = await readOut({
      stream: this.#stream,
      clock: this.#host.clock,
      signal: this.#abort.signal,
      address: Address,
      maxBaud: MaxBaud,
      initialBaud: this.#stream.baudRate ?? INITIAL_BAUD,
      observe: (what, bytes) => this.#host.debug(what, bytes),
    });
    this.#failures = 0;
    // Before the values are reported: it makes those of before the failure stale.
    this.#setUnavailable(undefined);
    this.#last = telegram.records;
    this.#host.debug('telegram', describeTelegram(telegram));
    const verdict = this.#unchecked.judge(telegram);
    this.#host.setProblem('TELEGRAM', dropText('IEC 62056-21', verdict));
    if (verdict === 'accepted') this.#values.accept(obisReadings(telegram.records));
  }

  #noteFailure(why: Text): void {
    this.#failures += 1;
    if (this.#failures <= TOLERATED_FAILURES) return;
    this.#setUnavailable(
      coded`METER_SILENT: the meter does not respond (${why}); check the reading head, and that the port has 300 baud, 7 data bits and even parity`,
    );
  }

  #setUnavailable(reason: Text | undefined): void {
    this.#host.setUnavailable(reason);
    this.#host.setProblem('NO_ANSWER', reason);
  }
}
