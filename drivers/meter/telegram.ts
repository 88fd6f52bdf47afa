/** One value of a telegram, as the meter sends it: not yet converted. */
export interface MeterRecord {
  /** The OBIS code, `1-0:1.8.0*255`; meters may leave groups out: `1.8.0`. */
  readonly code: string;
  readonly value: number | string;
  /** `Wh`, `m3`, or '' if the telegram has none. */
  readonly unit: string;
  /** The value of the last digit, in the record's unit; 0 if it is not known. */
  readonly resolution: number;
  /** A number as the telegram has it, with leading zeros. */
  readonly text?: string;
  /** The status word that SML sends with the value. */
  readonly status?: number;
  /** When the value was measured, unix milliseconds, if the telegram says so. */
  readonly atMs?: number;
}

/** A telegram that was received completely. */
export interface Telegram {
  /**
   * `absent`: this kind of telegram has no checksum. Telegrams with a wrong one are never passed on.
   */
  readonly check: 'valid' | 'absent';
  readonly records: readonly MeterRecord[];
}

/** Why a parser dropped bytes: a wrong checksum, a wrong structure, or more bytes than a telegram has. */
export type RejectionReason = 'checksum' | 'malformed' | 'too long';

/** Receives what a parser finds in a stream. */
export interface TelegramListener {
  onTelegram(telegram: Telegram): void;
  onRejected(reason: RejectionReason): void;
}

/**
 * Finds the telegrams of one protocol in a stream of bytes. It keeps a limited number of bytes, does no
 * input or output, and finds the next valid telegram after any input.
 */
export interface TelegramParser {
  push(bytes: Uint8Array): void;
  /** Discards a partial telegram: the connection was interrupted. */
  reset(): void;
}
