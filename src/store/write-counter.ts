const DAY_MS = 86_400_000;

/** Longer texts are large and are written within a budget. Characters. */
export const LARGE_TEXT_CHARACTERS = 1024;
/** Bytes of large texts written per day: as much as a busy gateway writes otherwise. */
export const LARGE_TEXT_BYTES_PER_DAY = 64 * 1024 * 1024;
/** Bytes of large texts in one commit, which must not delay the following ones. */
const LARGE_PER_COMMIT = 1024 * 1024;

/** The budget for writing large texts: a token bucket that refills over a day. */
export class LargeTextBudget {
  #left = LARGE_PER_COMMIT;
  #atMs: number | undefined;

  /** Takes bytes from the budget; returns false if the budget is used up. */
  takes(bytes: number, nowMs: number): boolean {
    const passedMs = Math.max(0, nowMs - (this.#atMs ?? nowMs));
    this.#left = Math.min(LARGE_PER_COMMIT, this.#left + (passedMs * LARGE_TEXT_BYTES_PER_DAY) / DAY_MS);
    this.#atMs = nowMs;
    // One text may exceed the budget, so that texts of any size are written.
    if (this.#left <= 0) return false;
    this.#left -= bytes;
    return true;
  }
}

/** Counts bytes written per day (UTC), which wear out an SD card. */
export class WriteCounter {
  #day: number;
  #today: number;
  #yesterday = 0;
  /** The writer → its last total. */
  readonly #last = new Map<string, number>();

  readonly #totals = new Map<string, number>();

  /** `kept` is {@link WriteCounter.kept} from before a restart. */
  constructor(nowMs: number, kept = '') {
    this.#day = Math.floor(nowMs / DAY_MS);
    const [day, today] = kept.split(':').map(Number);
    this.#today = day === this.#day && today !== undefined && Number.isFinite(today) ? today : 0;
  }

  /** Records the total of a writer in this run, as the kernel counts it. */
  note(total: number, nowMs: number, writer = 'store'): void {
    const day = Math.floor(nowMs / DAY_MS);
    if (day !== this.#day) {
      this.#yesterday = day === this.#day + 1 ? this.#today : 0;
      this.#today = 0;
      this.#day = day;
    }
    // A restarted worker counts from 0.
    const last = this.#last.get(writer) ?? 0;
    const more = total >= last ? total - last : total;
    this.#today += more;
    this.#totals.set(writer, (this.#totals.get(writer) ?? 0) + more);
    this.#last.set(writer, total);
  }

  /** The bytes that each writer has written in this run. */
  get totals(): ReadonlyMap<string, number> {
    return this.#totals;
  }

  get today(): number {
    return this.#today;
  }

  /** 0 if it is not known. */
  get yesterday(): number {
    return this.#yesterday;
  }

  /** The state to be stored for a restart. */
  get kept(): string {
    return `${this.#day}:${this.#today}`;
  }
}
