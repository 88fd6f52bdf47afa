import { logLevels, type LogRecord } from '../base/log.js';
import { Signal } from '../base/signal.js';

/** The newest records that are kept: some hours of a usual gateway, or its start. */
const KEPT = 500;
/** Maximum length of a record's text in characters; some lines contain a script's output. */
const TEXT_LENGTH = 1000;

/** Conditions for records. */
interface LogQuery {
  /** Unix milliseconds; records from then on. */
  readonly sinceMs: number;
  readonly level: LogRecord['Level'];
  /** '' for all. */
  readonly subject: string;
  readonly limit: number;
}

/** The newest lines of the log, exactly as they were written. */
export class LogRecords {
  readonly #records: LogRecord[] = [];
  /** Emitted with each record. */
  readonly added = new Signal<LogRecord>();

  add(record: LogRecord): void {
    const short = { ...record, Text: record.Text.slice(0, TEXT_LENGTH) };
    this.#records.push(short);
    if (this.#records.length > KEPT) this.#records.shift();
    this.added.emit(short);
  }

  /** The newest records that meet the conditions, oldest first. */
  find({ sinceMs, level, subject, limit }: LogQuery): readonly LogRecord[] {
    const lowest = logLevels.indexOf(level);
    return this.#records
      .filter(
        ({ TimeMs, Level, Subject }) =>
          TimeMs >= sinceMs && logLevels.indexOf(Level) >= lowest && (subject === '' || subject === Subject),
      )
      .slice(-limit);
  }
}
