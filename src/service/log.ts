import { pino, type DestinationStream, type Level } from 'pino';
import { systemClock, type Cancel, type Clock } from '../base/clock.js';
import type { Log, LogRecord } from '../base/log.js';
import { maskUrls, maskUrlsIn } from '../base/url-secrets.js';
import { priorityOf } from './journal.js';
import { LogRateLimit } from './log-rate-limit.js';
import { LogRecords } from './log-records.js';
import { LogMessages, logType, type LogType } from './log-messages.js';

/** Levels by subject; `default` is for all others. */
type LogLevels = Readonly<Record<string, Level | 'silent'>>;

/** The target of the log, and its format. */
interface LogTarget {
  write(text: string): void;
  /** `journal`: JSON with the journal's priority before it. `terminal`: for people. `json`: JSON alone. */
  readonly form: 'journal' | 'terminal' | 'json';
  /** Sends a line to the journal with fields; if it returns false, the line is written. */
  readonly sendToJournal?: (line: string) => boolean;
}

/** One line of warning or above, for the change stream: clients see it as KL_WARNING or KL_ERROR. */
export interface LogAlert {
  readonly level: 'warn' | 'error';
  readonly subject: string;
  readonly text: string;
}

/** The log of a gateway, based on pino; each subject has a level that can be changed at run time. */
export class ServiceLog {
  readonly root: Log;
  /** Counts and newest messages of the log. */
  readonly messages = new LogMessages();
  /** The newest lines, as they were written. */
  readonly records = new LogRecords();
  readonly #target: LogTarget;
  readonly #pinos = new Map<string, ReturnType<typeof pino>>();
  #levels: LogLevels;
  readonly #clock: Pick<Clock, 'nowMs' | 'monotonicNs'>;
  readonly #limits = new Map<string, LogRateLimit>();
  #alert: (line: LogAlert) => void = () => undefined;

  /** Tests replace the clock. */
  constructor(
    target: LogTarget,
    levels: LogLevels = {},
    clock: Pick<Clock, 'nowMs' | 'monotonicNs'> = systemClock(),
  ) {
    this.#clock = clock;
    this.#target = target;
    this.#levels = levels;
    this.root = this.#subject('gateway');
  }

  setLevels(levels: LogLevels): void {
    this.#levels = levels;
    for (const [subject, logger] of this.#pinos) logger.level = this.#levelOf(subject);
  }

  /**
   * Calls the listener with each warning and error after it was written. Returns a function that removes it.
   */
  onAlert(listener: (line: LogAlert) => void): Cancel {
    this.#alert = listener;
    return () => (this.#alert = () => undefined);
  }

  /** Writes a caller's line with the sender that the caller gives. */
  custom(text: string, by: { readonly sender: string; readonly user: string }): void {
    if (this.#mayWrite('call')) this.#logger('call').info(by, text);
    this.#note(logType.custom, by.sender, text);
  }

  #note(type: LogType, sender: string, text: string): void {
    this.messages.note(type, { sender, text: maskUrls(text), nowMs: this.#clock.nowMs() });
  }

  #levelOf(subject: string): Level | 'silent' {
    return this.#levels[subject] ?? this.#levels['default'] ?? 'info';
  }

  /**
   * Whether a line of this subject may be written; logs the number of omitted lines first. Errors have a
   * separate limit, so that a flood of other lines cannot suppress them.
   */
  #mayWrite(subject: string, level = ''): boolean {
    const name = level === 'error' ? `${subject} ${level}` : subject;
    const limit = this.#limits.get(name) ?? new LogRateLimit(this.#clock);
    this.#limits.set(name, limit);
    const { isAllowed, omitted } = limit.take();
    if (omitted > 0)
      this.#logger(subject).warn({ omitted }, 'lines of this subject were omitted by the rate limit');
    return isAllowed;
  }

  #subject(subject: string): Log {
    const logger = this.#logger(subject);
    const loud = (level: LogAlert['level'], details: object, text: string) => {
      this.#note(level === 'error' ? logType.error : logType.warning, subject, text);
      if (!this.#mayWrite(subject, level)) return;
      logger[level](details, text);
      this.#alert({ level, subject, text: maskUrls(text) });
    };
    const quiet = (level: 'debug' | 'info', details: object, text: string) => {
      if (!logger.isLevelEnabled(level)) return;
      // Debug lines are not limited, because the owner has requested them.
      if (level === 'debug' || this.#mayWrite(subject)) logger[level](details, text);
      this.#note(level === 'debug' ? logType.debug : logType.default, subject, text);
    };
    return {
      debug: (details, text) => quiet('debug', details, text),
      info: (details, text) => quiet('info', details, text),
      warn: (details, text) => loud('warn', details, text),
      error: (details, text) => loud('error', details, text),
      subject: (name) => this.#subject(name),
    };
  }

  #logger(subject: string): ReturnType<typeof pino> {
    const logger =
      this.#pinos.get(subject) ?? pino({ base: { subject }, level: this.#levelOf(subject) }, this.#stream());
    this.#pinos.set(subject, logger);
    return logger;
  }

  #stream(): DestinationStream {
    const { form, sendToJournal } = this.#target;
    return {
      write: (written) => {
        const line = masked(written);
        this.records.add(recordOf(line));
        if (sendToJournal?.(line) === true) return;
        const shown =
          form === 'json'
            ? line
            : form === 'journal'
              ? `<${priorityOf(levelOf(line))}>${line}`
              : forPeople(line);
        this.#target.write(shown);
      },
    };
  }
}

/**
 * Masks the secrets of URLs in a line of JSON. Parses it first, because a backslash after a URL belongs to
 * the text that follows.
 */
function masked(line: string): string {
  return maskUrls(line) === line ? line : `${JSON.stringify(maskUrlsIn(JSON.parse(line)))}\n`;
}

const LEVEL = /^\{"level":(\d+)/;

/** The level of a line. */
const levelOf = (line: string): number => Number(LEVEL.exec(line)?.[1] ?? 30);

const words: Readonly<Record<number, string>> = {
  20: 'debug',
  30: 'info ',
  40: 'WARN ',
  50: 'ERROR',
  60: 'FATAL',
};

/** `20:15:02 info  gateway: listening (port 3777)`: what happened first, details after. */
function forPeople(line: string): string {
  const { level, time, subject, err, kind: _kind, ...rest } = JSON.parse(line) as Fields;
  const at = new Date(Number(time)).toTimeString().slice(0, 8);
  const stack = typeof err === 'object' && err !== null && 'stack' in err ? `\n${String(err.stack)}` : '';
  return `${at} ${words[Number(level)] ?? String(level)} ${String(subject)}: ${textOf(rest)}${stack}\n`;
}

type Fields = Readonly<Record<string, unknown>>;

/** The text with its details: `listening (port 3777)`. */
function textOf({ msg, ...details }: Fields): string {
  const shown = Object.entries(details).map(
    ([name, value]) => `${name} ${typeof value === 'string' ? value : JSON.stringify(value)}`,
  );
  return `${String(msg)}${shown.length === 0 ? '' : ` (${shown.join(', ')})`}`;
}

/** A written line as clients get it. */
function recordOf(line: string): LogRecord {
  const { level, time, subject, err, kind: _kind, ...rest } = JSON.parse(line) as Fields;
  const { instance } = rest;
  const cause = typeof err === 'object' && err !== null && 'message' in err ? `: ${String(err.message)}` : '';
  return {
    TimeMs: Number(time),
    Level: levels[Number(level)] ?? 'error',
    Subject: String(subject),
    Text: `${textOf(rest)}${cause}`,
    InstanceID: typeof instance === 'number' ? instance : 0,
  };
}

/** pino's numbers. */
const levels: Readonly<Record<number, LogRecord['Level']>> = { 20: 'debug', 30: 'info', 40: 'warn' };
