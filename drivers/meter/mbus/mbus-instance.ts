import { coded, type Text } from '../../../src/base/codes/coded-text.js';
import type { Cancel } from '../../../src/base/clock.js';
import { codedMessageOf, codeOf, fault, isAbort } from '../../../src/base/fault.js';
import type { ByteStream } from '../../../src/device/byte-stream.js';
import type { Host, OpenInstance } from '../../../src/device/module.js';
import { selectionOf, type MbusProperties } from '../mbus-properties.js';
import { MeterValues } from '../values/meter-values.js';
import type { MbusBuses } from './bus.js';
import type { MbusFrame } from './frames.js';
import { mbusReadings } from './mbus-readings.js';
import { MbusSyntaxError, type MbusRecord } from './records.js';
import { MbusApplicationError, readTelegram, type MbusTelegram } from './telegram.js';

/** Requests that may fail in a row before the meter counts as unavailable; each is repeated twice. */
const TOLERATED_FAILURES = 1;

/** A meter on a wired M-Bus. */
export class MbusInstance implements OpenInstance {
  readonly #host: Host<MbusProperties>;
  readonly #stream: ByteStream;
  readonly #buses: MbusBuses;
  readonly #values: MeterValues;
  readonly #abort = new AbortController();
  readonly #cancel: Cancel;
  #running: Promise<void> | undefined;
  #failures = 0;
  #last: readonly MbusRecord[] = [];

  constructor(host: Host<MbusProperties>, { stream, buses }: { stream: ByteStream; buses: MbusBuses }) {
    this.#host = host;
    this.#stream = stream;
    this.#buses = buses;
    this.#values = new MeterValues(host);
    this.#cancel = host.clock.every(host.properties.EveryS * 1000, () => this.#poll());
    this.#poll();
  }

  /**
   * Requests the values. Does not wait for them: a command has 10 s, and other meters of the bus may be first.
   */
  async refresh(): Promise<void> {
    this.#poll();
    await Promise.resolve();
  }

  /** The records of the last reply. */
  knownDevices(): readonly object[] {
    return this.#last.map(({ quantity, value = '', unit, function: kind, storage, tariff, device }) => ({
      Quantity: quantity,
      Value: value,
      Unit: unit,
      Function: kind,
      Storage: storage,
      Tariff: tariff,
      Device: device,
    }));
  }

  async close(): Promise<void> {
    this.#cancel();
    this.#abort.abort(new DOMException('the meter is closed', 'AbortError'));
    this.#values.close();
    await this.#running?.catch(() => undefined); // cancelled
  }

  #poll(): void {
    this.#running ??= this.#run();
    // A failure was reported by `#run`.
    this.#running.catch(() => undefined);
  }

  async #run(): Promise<void> {
    const fromNs = this.#host.clock.monotonicNs();
    try {
      await this.#request();
    } catch (thrown) {
      if (codeOf(thrown) === 'DEVICE_OFFLINE') this.#host.reportLost(thrown);
      else if (!isAbort(thrown)) this.#noteFailure(codedMessageOf(thrown));
      throw thrown;
    } finally {
      this.#host.recordPoll(fromNs);
      this.#running = undefined;
    }
  }

  async #request(): Promise<void> {
    const { Address, Number: number, TimeoutMs } = this.#host.properties;
    const selection = selectionOf(number);
    const frames = await this.#buses.request(this.#stream, {
      target: selection === undefined ? { address: Address } : { selection },
      timeoutMs: TimeoutMs,
      clock: this.#host.clock,
      signal: this.#abort.signal,
      observe: (what, bytes) => this.#host.debug(what, bytes),
      hasMore: (frame) => telegramOf(frame).hasMore,
    });
    const [first, ...others] = frames.map(telegramOf);
    if (first === undefined) return;
    const telegram = { ...first, records: [first, ...others].flatMap(({ records }) => records) };
    this.#failures = 0;
    // Before the values are reported: it makes those of before the failure stale.
    this.#setUnavailable(undefined);
    this.#last = telegram.records;
    this.#values.accept(mbusReadings(telegram));
  }

  #noteFailure(why: Text): void {
    this.#failures += 1;
    if (this.#failures <= TOLERATED_FAILURES) return;
    this.#setUnavailable(
      coded`MBUS_SILENT: the meter does not respond (${why}); check its address, the baud rate (usually 2400 8E1) and the wiring`,
    );
  }

  #setUnavailable(reason: Text | undefined): void {
    this.#host.setUnavailable(reason);
    this.#host.setProblem('NO_ANSWER', reason);
  }
}

/** Throws `DEVICE_REFUSED` for data that are not those of a meter, and for an error of the meter. */
function telegramOf(frame: MbusFrame): MbusTelegram {
  try {
    return readTelegram(frame);
  } catch (thrown) {
    if (thrown instanceof MbusApplicationError)
      throw fault('DEVICE_REFUSED', coded`MBUS_ERROR: the meter reports: ${thrown.message}`);
    if (thrown instanceof MbusSyntaxError)
      throw fault('DEVICE_REFUSED', coded`MBUS_UNREADABLE: its reply cannot be read: ${thrown.message}`);
    throw thrown;
  }
}
