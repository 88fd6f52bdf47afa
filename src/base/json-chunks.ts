import { yieldToEventLoop } from './event-loop.js';

/**
 * A JSON text that is produced in chunks of about a millisecond of work, so that a large reply does not block
 * the event loop. The consumer reads it to its end or closes it.
 */
export interface JsonChunks {
  /** The next chunk; undefined at the end. */
  next(): string | undefined;
  close(): void;
}

/** Marks a function's result as {@link JsonChunks}, which is sent as it is. */
export class ChunkedResult implements JsonChunks {
  readonly next: () => string | undefined;
  readonly close: () => void;
  constructor(pieces: JsonChunks) {
    this.next = () => pieces.next();
    this.close = () => pieces.close();
  }
}

/** Joins all chunks and yields to the event loop between them. */
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
