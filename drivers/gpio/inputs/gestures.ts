/** What a person does with a button, in the order in which it is reported. */
export const gestures = ['press', 'release', 'single', 'double', 'triple', 'long', 'hold'] as const;
export type Gesture = (typeof gestures)[number];

const clickGestures = ['single', 'double', 'triple'] as const;
/** The highest number of clicks that is a separate gesture. */
export const MAX_CLICKS = clickGestures.length;

/** The times that distinguish gestures, in milliseconds. */
export interface GestureTimes {
  /** A press that lasts this long is a long press and not a click. */
  readonly longMs: number;
  /** After that, `hold` is repeated at this interval; 0 for never. */
  readonly holdEveryMs: number;
  /** A press that begins within this time after a release belongs to the same sequence of clicks. */
  readonly clickGapMs: number;
  /** This many clicks are reported immediately, without waiting for more: 1 … MAX_CLICKS. */
  readonly maxClicks: number;
}

/**
 * Turns presses and releases into gestures. Only the timestamps of the edges matter: gestures and their times
 * are the same however late or often `advance` is called.
 */
export class GestureRecognizer {
  readonly #times: GestureTimes;
  readonly #onGesture: (gesture: Gesture, atMs: number) => void;
  #isPressed: boolean;
  /** Whether the beginning of a press was seen; otherwise a release is no gesture. */
  #hasSeenPress = false;
  #isLong = false;
  #clicks = 0;
  #dueMs: number | undefined;

  /** `isPressed`: the initial state of the button. */
  constructor(times: GestureTimes, isPressed: boolean, onGesture: (gesture: Gesture, atMs: number) => void) {
    this.#times = times;
    this.#isPressed = isPressed;
    this.#onGesture = onGesture;
  }

  /** When to call `advance` next unless an edge comes first; undefined if only an edge matters. */
  get dueMs(): number | undefined {
    return this.#dueMs;
  }

  /** Processes a press or a release; call it in chronological order. */
  edge(isPressed: boolean, atMs: number): void {
    this.advance(atMs);
    // If edges were dropped, two in the same direction may follow each other.
    if (isPressed === this.#isPressed) return;
    this.#isPressed = isPressed;
    if (isPressed) this.#onPress(atMs);
    else if (this.#hasSeenPress) this.#onRelease(atMs);
  }

  /** Reports the gestures that are certain by now, including those due at exactly this time. */
  advance(nowMs: number): void {
    while (this.#dueMs !== undefined && this.#dueMs <= nowMs) {
      const atMs = this.#dueMs;
      this.#dueMs = undefined;
      if (this.#isPressed) this.#onHold(atMs);
      else this.#endClicks(atMs);
    }
  }

  #onPress(atMs: number): void {
    this.#hasSeenPress = true;
    this.#isLong = false;
    this.#onGesture('press', atMs);
    this.#dueMs = atMs + this.#times.longMs;
  }

  #onRelease(atMs: number): void {
    this.#dueMs = undefined;
    this.#onGesture('release', atMs);
    if (this.#isLong) return;
    this.#clicks++;
    if (this.#clicks >= this.#times.maxClicks) this.#endClicks(atMs);
    else this.#dueMs = atMs + this.#times.clickGapMs;
  }

  #onHold(atMs: number): void {
    const { holdEveryMs } = this.#times;
    if (!this.#isLong) this.#endClicks(atMs);
    this.#onGesture(this.#isLong ? 'hold' : 'long', atMs);
    this.#isLong = true;
    if (holdEveryMs > 0) this.#dueMs = atMs + holdEveryMs;
  }

  #endClicks(atMs: number): void {
    const gesture = clickGestures[this.#clicks - 1];
    this.#clicks = 0;
    if (gesture !== undefined) this.#onGesture(gesture, atMs);
  }
}
