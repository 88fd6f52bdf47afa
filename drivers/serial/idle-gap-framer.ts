import type { Cancel, Clock } from '../../src/base/clock.js';
import type { FrameListener, Framer } from './framer.js';

/** Splits at silence: a frame ends when nothing is received for `idleMs`. */
export class IdleGapFramer implements Framer {
  readonly #clock: Clock;
  readonly #idleMs: number;
  readonly #listener: FrameListener;
  readonly #buffer: Buffer;
  #length = 0;
  #skipping = false;
  #cancel: Cancel | undefined;

  constructor(options: { clock: Clock; idleMs: number; limit: number }, listener: FrameListener) {
    this.#clock = options.clock;
    this.#idleMs = options.idleMs;
    this.#listener = listener;
    this.#buffer = Buffer.allocUnsafeSlow(options.limit);
  }

  push(chunk: Buffer): void {
    this.#cancel?.();
    this.#cancel = this.#clock.after(this.#idleMs, () => this.#end());
    if (this.#skipping) return;
    if (this.#length + chunk.length > this.#buffer.length) {
      this.#skipping = true;
      this.#listener.onOverflow();
      return;
    }
    this.#length += chunk.copy(this.#buffer, this.#length);
  }

  close(): void {
    this.#cancel?.();
    this.#cancel = undefined;
    this.#length = 0;
    this.#skipping = false;
  }

  #end(): void {
    this.#cancel = undefined;
    const length = this.#length;
    const isComplete = !this.#skipping;
    this.#length = 0;
    this.#skipping = false;
    if (isComplete) this.#listener.onFrame(this.#buffer, 0, length);
  }
}

/**
 * Discards an incomplete frame after silence: this resynchronizes frames without a marker after a lost byte.
 */
export class IdleReset implements Framer {
  readonly #framer: Framer;
  readonly #clock: Clock;
  readonly #idleNs: bigint;
  #lastNs = 0n;

  constructor(framer: Framer, clock: Clock, idleMs: number) {
    this.#framer = framer;
    this.#clock = clock;
    this.#idleNs = BigInt(idleMs) * 1_000_000n;
  }

  push(chunk: Buffer): void {
    const nowNs = this.#clock.monotonicNs();
    if (nowNs - this.#lastNs > this.#idleNs) this.#framer.close();
    this.#lastNs = nowNs;
    this.#framer.push(chunk);
  }

  close(): void {
    this.#framer.close();
  }
}
