/** Types of log messages by their numbers in the interface (§1). */
export const logType = {
  default: 0,
  success: 1,
  notify: 2,
  warning: 3,
  error: 4,
  debug: 5,
  custom: 6,
} as const;
export type LogType = (typeof logType)[keyof typeof logType];

/** Number of messages kept per type. */
const KEPT = 100;
/** Maximum number of characters kept of a message's text. */
const TEXT_KEPT = 1000;

/** A message of the log, as `UC_GetLastLogMessages` returns it. */
interface LogMessage {
  readonly Type: number;
  /** Unix seconds. */
  readonly TimeStamp: number;
  readonly Sender: string;
  readonly Message: string;
}

/** Counts the log's messages by type and keeps the newest of each. */
export class LogMessages {
  #counts = new Map<LogType, number>();
  #last = new Map<LogType, LogMessage[]>();

  /** Counts a message and keeps it in place of the oldest of its type. */
  note(type: LogType, { sender, text, nowMs }: { sender: string; text: string; nowMs: number }): void {
    this.#counts.set(type, this.count(type) + 1);
    const last = this.#last.get(type) ?? [];
    this.#last.set(type, last);
    const TimeStamp = Math.floor(nowMs / 1000);
    last.push({ Type: type, TimeStamp, Sender: sender, Message: text.slice(0, TEXT_KEPT) });
    if (last.length > KEPT) last.shift();
  }

  /** The number of messages since the last `resetCounts`. */
  count(type: LogType): number {
    return this.#counts.get(type) ?? 0;
  }

  /** The kept messages of a type, newest first. */
  last(type: number): readonly LogMessage[] {
    return (this.#last.get(type as LogType) ?? []).toReversed();
  }

  resetCounts(): void {
    this.#counts = new Map();
  }

  resetLast(): void {
    this.#last = new Map();
  }

  /** The counts, as `UC_GetLogMessageStatistics` returns them. */
  counts() {
    return {
      MessageDefaultCount: this.count(logType.default),
      MessageSuccessCount: this.count(logType.success),
      MessageNotifyCount: this.count(logType.notify),
      MessageWarningCount: this.count(logType.warning),
      MessageErrorCount: this.count(logType.error),
      MessageCustomCount: this.count(logType.custom),
    };
  }
}
