/** The record of one slot for a script process (`SVC_GetScriptThread`, interface §1). */
export interface ThreadRecord {
  readonly ThreadID: number;
  /** Start of the current run, unix seconds; 0 if it is idle. */
  readonly StartTime: number;
  readonly ExecuteCount: number;
  /** Shortest, average and longest run, ms. */
  readonly ExecutionMin: number;
  readonly ExecutionAvg: number;
  readonly ExecutionMax: number;
  /** Bytes. */
  readonly PeakMemoryUsage: number;
  /** Number of its processes that were stopped to free their memory or to stop a script. */
  readonly MemoryCleanups: number;
  /** The running script; 0 for a text, or if it is idle. */
  readonly ScriptID: number;
  readonly FilePath: string;
  readonly Sender: string;
}

/** The running script, as a slot's record shows it. */
export interface RunInfo {
  readonly id: number;
  readonly file: string;
  readonly sender: string;
}

/** A slot for a script process. Its number is permanent; its process changes. */
export class Thread {
  readonly id: number;
  isTaken = false;
  #run: RunInfo | undefined;
  #startMs = 0;
  #count = 0;
  #shortestMs = Infinity;
  #longestMs = 0;
  #totalMs = 0;
  #peakBytes = 0;
  #cleanups = 0;

  constructor(id: number) {
    this.id = id;
  }

  start(run: RunInfo, nowMs: number): void {
    this.#run = run;
    this.#startMs = nowMs;
  }

  end(durationMs: number): void {
    this.#run = undefined;
    this.#count++;
    this.#totalMs += durationMs;
    this.#shortestMs = Math.min(this.#shortestMs, durationMs);
    this.#longestMs = Math.max(this.#longestMs, durationMs);
  }

  /** Records the peak memory of its process. */
  recordMemory(bytes: number): void {
    this.#peakBytes = Math.max(this.#peakBytes, bytes);
  }

  /** Records that its process was ended. */
  recordCleanup(): void {
    this.#cleanups++;
  }

  record(): ThreadRecord {
    return {
      ThreadID: this.id,
      StartTime: this.#run === undefined ? 0 : Math.floor(this.#startMs / 1000),
      ExecuteCount: this.#count,
      ExecutionMin: this.#count === 0 ? 0 : rounded(this.#shortestMs),
      ExecutionAvg: this.#count === 0 ? 0 : rounded(this.#totalMs / this.#count),
      ExecutionMax: rounded(this.#longestMs),
      PeakMemoryUsage: this.#peakBytes,
      MemoryCleanups: this.#cleanups,
      ScriptID: this.#run?.id ?? 0,
      FilePath: this.#run?.file ?? '',
      Sender: this.#run?.sender ?? '',
    };
  }
}

/** Rounds to microseconds. */
const rounded = (ms: number): number => Math.round(ms * 1000) / 1000;

/** All slots: one per concurrent script, and those that nested scripts have needed. */
export class Threads {
  readonly #all: Thread[] = [];

  /** Takes the free slot with the lowest number. */
  take(): Thread {
    let thread = this.#all.find(({ isTaken }) => !isTaken);
    if (thread === undefined) this.#all.push((thread = new Thread(this.#all.length + 1)));
    thread.isTaken = true;
    return thread;
  }

  /** The records of all slots, at least `minimum`. */
  records(minimum: number): ThreadRecord[] {
    const missing = Array.from({ length: Math.max(0, minimum - this.#all.length) }, (_, i) =>
      new Thread(this.#all.length + i + 1).record(),
    );
    return [...this.#all.map((thread) => thread.record()), ...missing];
  }
}
