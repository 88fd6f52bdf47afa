/** What a person does with a button, in the order in which it is told. */
export const gestures = ['press', 'release', 'single', 'double', 'triple', 'long', 'hold'] as const;
export type Gesture = (typeof gestures)[number];

const clicked = ['single', 'double', 'triple'] as const;
/** The most clicks that have a name of their own. */
export const MAX_CLICKS = clicked.length;

/** When a press is what. All in milliseconds. */
export interface GestureTimes {
  /** A press that lasts this long is a long one, and no click. */
  readonly longMs: number;
  /** From then on it is told again and again, this far apart; 0: it is not. */
  readonly holdEveryMs: number;
  /** A press that begins this soon after a release goes on from it. */
  readonly clickGapMs: number;
  /** So many clicks are told at once, without waiting for more: 1 … MOST_CLICKS. */
  readonly mostClicks: number;
}

/**
 * Turns presses and releases into gestures. Goes by the times of the edges alone: what is told, and with which time, is
 * the same however late or often it is asked to `advance`.
 */
export class GestureRecognizer {
  readonly #times: GestureTimes;
  readonly #tell: (gesture: Gesture, atMs: number) => void;
  #isPressed: boolean;
  /** A press whose beginning was not seen is none. */
  #isSeen = false;
  #isLong = false;
  #clicks = 0;
  #dueMs: number | undefined;

  /** `isPressed`: how the button was found. */
  constructor(times: GestureTimes, isPressed: boolean, tell: (gesture: Gesture, atMs: number) => void) {
    this.#times = times;
    this.#isPressed = isPressed;
    this.#tell = tell;
  }

  /** When to `advance` next, unless an edge comes before; undefined: not before the next edge. */
  get dueMs(): number | undefined {
    return this.#dueMs;
  }

  /** The button was pressed or released. Times must not go back. */
  edge(isPressed: boolean, atMs: number): void {
    this.advance(atMs);
    // Where edges were lost, two in the same direction follow each other.
    if (isPressed === this.#isPressed) return;
    this.#isPressed = isPressed;
    if (isPressed) this.#pressed(atMs);
    else if (this.#isSeen) this.#released(atMs);
  }

  /** Tells what has become sure by now. A deadline that is met at the very millisecond is met. */
  advance(nowMs: number): void {
    while (this.#dueMs !== undefined && this.#dueMs <= nowMs) {
      const atMs = this.#dueMs;
      this.#dueMs = undefined;
      if (this.#isPressed) this.#lasts(atMs);
      else this.#endClicks(atMs);
    }
  }

  #pressed(atMs: number): void {
    this.#isSeen = true;
    this.#isLong = false;
    this.#tell('press', atMs);
    this.#dueMs = atMs + this.#times.longMs;
  }

  #released(atMs: number): void {
    this.#dueMs = undefined;
    this.#tell('release', atMs);
    if (this.#isLong) return;
    this.#clicks++;
    if (this.#clicks >= this.#times.mostClicks) this.#endClicks(atMs);
    else this.#dueMs = atMs + this.#times.clickGapMs;
  }

  #lasts(atMs: number): void {
    const { holdEveryMs } = this.#times;
    if (!this.#isLong) this.#endClicks(atMs);
    this.#tell(this.#isLong ? 'hold' : 'long', atMs);
    this.#isLong = true;
    if (holdEveryMs > 0) this.#dueMs = atMs + holdEveryMs;
  }

  #endClicks(atMs: number): void {
    const gesture = clicked[this.#clicks - 1];
    this.#clicks = 0;
    if (gesture !== undefined) this.#tell(gesture, atMs);
  }
}
