const DAY_MS = 86_400_000;

/** Bytes written a day (UTC): an SD card wears out by them. */
export class Wear {
  #day: number;
  #today: number;
  #yesterday = 0;
  /** Who writes → the bytes of its last word. */
  readonly #last = new Map<string, number>();

  /** `kept` is what {@link Wear.kept} gave before a restart. */
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
