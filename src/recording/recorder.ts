import { hideSecrets } from './hide-secrets.js';
import { headerOf, noteLine, transferLine, type Traffic, type Transfer } from './entry-format.js';

interface RecorderOptions {
  readonly traffic: Traffic;
  /** Writes a part of the file. Parts are written one after the other. */
  readonly write: (text: string) => Promise<void>;
  /** The limit of the file, bytes. */
  readonly limit: number;
  /** Texts to hide, in addition to what is named like a secret. */
  readonly secrets: readonly string[];
  /** The file is full, or cannot be written. Called at most once. */
  readonly onEnd: (cause: Error | undefined) => void;
}

/**
 * Writes what is transferred into a recording, without secrets. What is not written yet waits in memory, which
 * the limit of the file bounds.
 */
export class Recorder {
  readonly #options: RecorderOptions;
  #written: Promise<void>;
  #bytes = 0;
  #hasEnded = false;
  /** Number of messages, or of pieces of bytes. */
  transfers = 0;
  /** How many of them have hidden secrets. */
  hidden = 0;

  constructor(options: RecorderOptions) {
    this.#options = options;
    this.#written = Promise.resolve();
    this.#append(headerOf(options.traffic));
  }

  add(transfer: Transfer): void {
    const { topic, payload } = hideSecrets(transfer, this.#options.secrets);
    const isHidden = topic !== transfer.topic || payload !== transfer.payload;
    const isIncomplete = transfer.isIncomplete || isHidden;
    if (!this.#append(transferLine({ ...transfer, topic, payload, isIncomplete }))) return;
    this.transfers += 1;
    if (isHidden) this.hidden += 1;
  }

  note(ms: number, note: string): void {
    this.#append(noteLine({ ms, note }));
  }

  /** Resolves when everything is written; rejects if that failed. Nothing is added afterwards. */
  async end(): Promise<void> {
    this.#hasEnded = true;
    await this.#written;
  }

  #append(line: string): boolean {
    const size = Buffer.byteLength(line);
    if (this.#hasEnded) return false;
    if (this.#bytes + size > this.#options.limit) {
      this.#stop(undefined);
      return false;
    }
    this.#bytes += size;
    this.#written = this.#written.then(() => this.#options.write(line));
    this.#written.catch((thrown: Error) => this.#stop(thrown));
    return true;
  }

  #stop(cause: Error | undefined): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#options.onEnd(cause);
  }
}
