/**
 * Variables of a box that only increase: after a power cut their values show how old they are. One is set by
 * a client, one counts the pulses that the client gives a meter.
 */
import { message } from '../../../src/kernel/messages.js';
import type { Box, Frames } from './box.js';

const METER_PIN = 1;

/** Their paths, as created by {@link GROWING}. */
const PATHS = ['meter/COUNT', 'ticker'] as const;
/** The required part of the box's configuration. */
export const GROWING = `
- instance: Meter
  ident: meter
  module: GPIO Input
  properties: { Chip: 9030000.pl061, Line: "${METER_PIN}" }
- { variable: Ticker, ident: ticker, type: integer, value: 0 }
`;

/** The possible values of a variable after a power cut. */
export interface RecordedValues {
  readonly id: number;
  readonly path: string;
  /** The value that must have been kept. */
  readonly min: number;
  /** The newest possible value. */
  readonly max: number;
}

/** A client that increases the variables. */
export class Growth {
  readonly #box: Box;
  readonly #frames: Frames;
  readonly #ids: readonly number[];
  #newest = 0;
  #isOver = false;

  private constructor(box: Box, frames: Frames, ids: readonly number[]) {
    this.#box = box;
    this.#frames = frames;
    this.#ids = ids;
  }

  /** `frames` receives the updates of the box. */
  static async of(box: Box, frames: Frames): Promise<Growth> {
    return new Growth(box, frames, await Promise.all(PATHS.map((path) => box.id(path))));
  }

  /**
   * Increments the variable, and moves the meter's pin each time, until {@link end}; rejects if that fails
   * before.
   */
  async work(): Promise<void> {
    const pins = await this.#box.machine.pins();
    const ticker = this.#ids[PATHS.indexOf('ticker')];
    try {
      for (;;) {
        await this.#box.call('SetValue', ticker, ++this.#newest);
        await pins.drive(METER_PIN, this.#newest % 2 === 1);
      }
    } catch (failure) {
      if (!this.#isOver) throw failure;
    }
  }

  /** From now on this may fail. */
  end(): void {
    this.#isOver = true;
  }

  /** How long all of them have been increasing, in the guest's seconds. */
  get seconds(): number {
    const spans = this.#ids.map((id) => {
      const times = this.#updates(id).map(({ at }) => at);
      return (times.at(-1) ?? 0) - (times[0] ?? 0);
    });
    return Math.min(...spans);
  }

  /**
   * Their possible values afterwards, if everything older than `ageLimitS`, in the guest's seconds, must be
   * kept.
   */
  kept(ageLimitS: number): RecordedValues[] {
    return this.#ids.map((id, n) => {
      const updates = this.#updates(id);
      const newest = updates.at(-1)?.at ?? 0;
      const min = updates.findLast(({ at }) => at < newest - ageLimitS)?.value ?? NaN;
      return { id, path: PATHS[n] ?? '', min, max: this.#newest };
    });
  }

  #updates(id: number): { value: number; at: number }[] {
    return this.#frames.all
      .filter(({ SenderID, Message }) => SenderID === id && Message === message.VM_UPDATE)
      .map(({ Data: [value, , , at] }) => ({ value: Number(value), at: Number(at) }));
  }
}
