/**
 * Variables of a box that only grow: after a power cut their values tell how old they are. One is set by a
 * client, one counts the pulses that the client gives a meter.
 */
import { message } from '../../../src/kernel/messages.js';
import type { Box, Frames } from './box.js';

const METER_PIN = 1;

/** Their paths; what {@link GROWING} makes has them. */
const PATHS = ['meter/COUNT', 'ticker'] as const;
/** What must stand in the box's configuration. */
export const GROWING = `
- instance: Meter
  ident: meter
  module: GPIO Input
  properties: { Chip: 9030000.pl061, Line: "${METER_PIN}" }
- { variable: Ticker, ident: ticker, type: integer, value: 0 }
`;

/** What a value may be after a power cut. */
export interface RecordedValues {
  readonly id: number;
  readonly path: string;
  /** The value that had to be kept. */
  readonly least: number;
  /** The newest that it can have had. */
  readonly most: number;
}

/** See the file's head. */
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

  /** `frames` tells what the box told of its values. */
  static async of(box: Box, frames: Frames): Promise<Growth> {
    return new Growth(box, frames, await Promise.all(PATHS.map((path) => box.id(path))));
  }

  /** Counts up, and moves the meter's pin each time, until {@link end}; rejects when that fails before. */
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

  /** From now on the work may fail. */
  end(): void {
    this.#isOver = true;
  }

  /** How long all of them have been growing, in the guest's seconds. */
  get seconds(): number {
    const spans = this.#ids.map((id) => {
      const times = this.#told(id).map(({ at }) => at);
      return (times.at(-1) ?? 0) - (times[0] ?? 0);
    });
    return Math.min(...spans);
  }

  /**
   * What they may be afterwards when what is older than `ageLimitS`, in the guest's seconds, must be kept.
   */
  kept(ageLimitS: number): RecordedValues[] {
    return this.#ids.map((id, n) => {
      const messages = this.#told(id);
      const newest = messages.at(-1)?.at ?? 0;
      const least = messages.findLast(({ at }) => at < newest - ageLimitS)?.value ?? NaN;
      return { id, path: PATHS[n] ?? '', least, most: this.#newest };
    });
  }

  #told(id: number): { value: number; at: number }[] {
    return this.#frames.all
      .filter(({ SenderID, Message }) => SenderID === id && Message === message.VM_UPDATE)
      .map(({ Data: [value, , , at] }) => ({ value: Number(value), at: Number(at) }));
  }
}
