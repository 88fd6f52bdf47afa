const DAY_MS = 86_400_000;

/** Texts longer than this are large: they are written within a budget. Characters. */
export const LARGE_TEXT_CHARACTERS = 1024;
/** What large texts may have written to the disk a day, bytes: as much as all the rest of a busy gateway. */
export const LARGE_TEXT_BYTES_PER_DAY = 64 * 1024 * 1024;
/** And at once: a commit must not hold up those that follow it. */
const LARGE_AT_ONCE = 1024 * 1024;

/** How many bytes of large texts may go to the disk now: so many a day, some of them at once. */
export class LargeTextBudget {
  #left = LARGE_AT_ONCE;
  #atMs: number | undefined;

  /** Takes the bytes from the budget where it has some left. */
  takes(bytes: number, nowMs: number): boolean {
    const passedMs = Math.max(0, nowMs - (this.#atMs ?? nowMs));
    this.#left = Math.min(LARGE_AT_ONCE, this.#left + (passedMs * LARGE_TEXT_BYTES_PER_DAY) / DAY_MS);
    this.#atMs = nowMs;
    // Below nothing by one text at most: the largest, too, has its turn.
    if (this.#left <= 0) return false;
    this.#left -= bytes;
    return true;
  }
}

/** Bytes written a day (UTC): an SD card wears out by them. */
export class WriteCounter {
  #day: number;
  #today: number;
  #yesterday = 0;
  /** Who writes → the bytes of its last word. */
  readonly #last = new Map<string, number>();

  /** `kept` is what {@link WriteCounter.kept} gave before a restart. */
  constructor(nowMs: number, kept = '') {
    this.#day = Math.floor(nowMs / DAY_MS);
    const [day, today] = kept.split(':').map(Number);
    this.#today = day === this.#day && today !== undefined && Number.isFinite(today) ? today : 0;
  }

  /** The bytes of this run so far, as the kernel counts them of one who writes. */
  note(total: number, nowMs: number, writer = 'store'): void {
    const day = Math.floor(nowMs / DAY_MS);
    if (day !== this.#day) {
      this.#yesterday = day === this.#day + 1 ? this.#today : 0;
      this.#today = 0;
      this.#day = day;
    }
    // A worker that was started anew counts from nothing.
    const last = this.#last.get(writer) ?? 0;
    this.#today += total >= last ? total - last : total;
    this.#last.set(writer, total);
  }

  get today(): number {
    return this.#today;
  }

  /** 0 where it is not known. */
  get yesterday(): number {
    return this.#yesterday;
  }

  get kept(): string {
    return `${this.#day}:${this.#today}`;
  }
}
