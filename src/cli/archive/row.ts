/** Maximum characters of a record: texts have less than 1024 kB, and quotes may double them. */
export const MAX_RECORD_LENGTH = 4 * 1024 * 1024;

/** In the column `clock`: the time came from a clock that was not trusted. */
export const UNTRUSTED = 'untrusted';

/** A row of a file: its fields by column, or its error. */
export type Row =
  | {
      /** From 1 on. */
      readonly line: number;
      readonly fields: ReadonlyMap<string, unknown>;
      /** All fields are texts: what they mean follows from the variable. */
      readonly isCsv: boolean;
    }
  | { readonly line: number; readonly error: string };

/** What comes after a line can't be read. */
export class FormatError extends Error {
  readonly line: number;

  constructor(line: number, message: string) {
    super(message);
    this.line = line;
  }
}

/** Texts of a file's bytes, without a mark of their order. Throws where they are no UTF-8. */
export async function* textsOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let lines = 1;
  try {
    for await (const chunk of chunks) {
      const text = decoder.decode(chunk, { stream: true });
      yield text;
      for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) lines++;
    }
    yield decoder.decode();
  } catch (thrown) {
    if (!(thrown instanceof TypeError)) throw thrown;
    throw new FormatError(lines, 'from somewhere after it on the file is no UTF-8');
  }
}
