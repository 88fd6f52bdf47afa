/**
 * Where a part of the gateway writes what happened. The shape is pino's: an object with details first, then the text.
 * Details never hold a secret. `error` is for what a person must look at, `warn` for what mended itself or may need a look.
 */
export interface Log {
  debug(details: object, text: string): void;
  info(details: object, text: string): void;
  warn(details: object, text: string): void;
  error(details: object, text: string): void;
  /** A log of one subject, with its own level (`log.level` in the configuration). */
  subject(name: string): Log;
}

/** Says nothing; for tests and for parts that are used without a gateway. */
export const silentLog: Log = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
  subject: () => silentLog,
};
