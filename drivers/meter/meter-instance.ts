import type { Host, OpenInstance } from '../../src/device/module.js';
import { peerName, type ByteStream, type Peer } from '../../src/device/byte-stream.js';
import { TransientProblems } from '../../src/device/toolkit/transient-problems.js';
import type { MeterProperties } from './meter-properties.js';
import type { RejectionReason, Telegram, TelegramListener, TelegramParser } from './telegram.js';
import { MeterValues } from './values/meter-values.js';
import { obisReadings } from './values/obis-readings.js';
import { describeTelegram, dropText, rejectionText } from './telegram-texts.js';
import { UncheckedTelegrams } from './unchecked-telegrams.js';

/** What differs between the protocols of meters that send unsolicited telegrams. */
interface MeterProtocol {
  /** For messages: `SML`. */
  readonly name: string;
  createParser(listener: TelegramListener): TelegramParser;
  /** Whether telegrams without a checksum are accepted. */
  readonly acceptsUnchecked?: boolean;
}

/** Listens to a meter that sends unsolicited telegrams over a stream of bytes. */
export class ListeningMeter implements OpenInstance, TelegramListener {
  readonly #host: Host<MeterProperties>;
  readonly #protocol: MeterProtocol;
  readonly #values: MeterValues;
  readonly #problems: TransientProblems;
  readonly #unchecked: UncheckedTelegrams;
  readonly #parser: TelegramParser;
  readonly #unsubscribe: readonly (() => void)[];
  #sender = '';
  #last: Telegram | undefined;

  constructor(host: Host<MeterProperties>, stream: ByteStream, protocol: MeterProtocol) {
    this.#host = host;
    this.#protocol = protocol;
    this.#values = new MeterValues(host);
    this.#problems = new TransientProblems(host);
    this.#unchecked = new UncheckedTelegrams(protocol.acceptsUnchecked ?? false);
    this.#parser = protocol.createParser(this);
    const offData = stream.onData((bytes, from) => this.#receive(bytes, from));
    const offBreak = stream.onBreak?.(() => this.#parser.reset());
    this.#unsubscribe = [offData, offBreak].filter((one) => one !== undefined);
  }

  onTelegram(telegram: Telegram): void {
    this.#last = telegram;
    this.#host.debug('telegram', describeTelegram(telegram));
    const verdict = this.#unchecked.judge(telegram);
    const dropped = dropText(this.#protocol.name, verdict);
    if (dropped !== undefined) this.#problems.add('TELEGRAM', () => dropped);
    if (verdict === 'accepted') this.#values.accept(obisReadings(telegram.records));
  }

  onRejected(reason: RejectionReason): void {
    this.#problems.add('TELEGRAM', () => rejectionText(this.#protocol.name, reason));
  }

  /** The records of the last telegram, as the meter sent them. */
  knownDevices(): readonly object[] {
    return (this.#last?.records ?? []).map(({ code, value, unit }) => ({
      Code: code,
      Value: value,
      Unit: unit,
    }));
  }

  async close(): Promise<void> {
    for (const unsubscribe of this.#unsubscribe) unsubscribe();
    this.#values.close();
    this.#problems.close();
    await Promise.resolve();
  }

  #receive(bytes: Uint8Array, from: Peer | undefined): void {
    const sender = from === undefined ? '' : peerName(from);
    // Bytes of two senders do not form a telegram.
    if (sender !== this.#sender) this.#parser.reset();
    this.#sender = sender;
    this.#parser.push(bytes);
  }
}
