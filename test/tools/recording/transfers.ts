import type { Direction, Entry, Transfer } from '../../../src/recording/entry-format.js';

const transfer =
  (direction: Direction) =>
  (ms: number, topic: string, text: string): Transfer => ({
    ms,
    direction,
    topic,
    payload: Buffer.from(text),
    isRetained: false,
    isIncomplete: false,
  });

/** A message that the recorded gateway received. */
export const received = transfer('in');
/** A message that the recorded gateway sent. */
export const sent = transfer('out');

/** Transfers as the lines of a file, below its header. */
export const numbered = (transfers: readonly Transfer[]): (Transfer & Entry)[] =>
  transfers.map((one, index) => ({ ...one, line: index + 2 }));
