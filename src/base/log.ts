/**
 * The log of a part of the gateway, with pino's signature: an object with details, then the text. Details
 * never contain a secret. The detail `kind` is one of `logKind`: operators filter for it. `error`: a person
 * must act. `warn`: the gateway recovered by itself, or somebody should check.
 */
export interface Log {
  debug(details: object, text: string): void;
  info(details: object, text: string): void;
  warn(details: object, text: string): void;
  error(details: object, text: string): void;
  /** The log of a subject, which has its own level (`log.level` in the configuration). */
  subject(name: string): Log;
}

/** Levels of log lines, the least important first. */
export const logLevels = ['debug', 'info', 'warn', 'error'] as const;

/** A line of the log. */
export interface LogRecord {
  readonly TimeMs: number;
  readonly Level: (typeof logLevels)[number];
  readonly Subject: string;
  /** The text with its details. */
  readonly Text: string;
  /** The instance that it is about; 0 for none. */
  readonly InstanceID: number;
}

/** Discards everything; for tests and for parts that run without a gateway. */
export const silentLog: Log = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
  subject: () => silentLog,
};
