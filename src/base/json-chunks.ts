import { yieldToEventLoop } from './serial-queue.js';

/**
 * A JSON text that is made piece by piece, each in about a millisecond, so that a large answer never holds the event
 * loop. Whoever gets one reads it to its end or closes it.
 */
export interface JsonChunks {
  /** The next piece of the text; undefined at its end. */
  next(): string | undefined;
  close(): void;
}

/** Marks a function's result as {@link JsonChunks}, so that it is sent as it is and not encoded again. */
export class ChunkedResult implements JsonChunks {
  readonly next: () => string | undefined;
  readonly close: () => void;
  constructor(pieces: JsonChunks) {
    this.next = () => pieces.next();
    this.close = () => pieces.close();
  }
}

/** The whole text, made with a turn of the event loop between the pieces. */
export async function joinChunks(pieces: JsonChunks): Promise<string> {
  let text = '';
  try {
    for (let piece = pieces.next(); piece !== undefined; piece = pieces.next()) {
      text += piece;
      await yieldToEventLoop();
    }
  } finally {
    pieces.close();
  }
  return text;
}
