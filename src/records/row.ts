import { coded, codedTextOf, type CodedText, type Text } from '../base/codes/coded-text.js';

/** Maximum number of characters of a record: texts have at most 1024 kB, and quoting may double them. */
export const MAX_RECORD_LENGTH = 4 * 1024 * 1024;

/** Value of the column `clock`: the time is from an untrusted clock. */
export const UNTRUSTED = 'untrusted';

/** A row of a file: its fields by column, or its error. */
export type Row =
  | {
      /** Counted from 1. */
      readonly line: number;
      readonly fields: ReadonlyMap<string, unknown>;
      /** All fields are texts; the variable's type determines how they are converted. */
      readonly isCsv: boolean;
    }
  | { readonly line: number; readonly error: CodedText };

/** The file cannot be read after this line. */
export class FormatError extends Error {
  readonly line: number;
  readonly reason: CodedText;

  constructor(line: number, reason: Text) {
    super(String(reason));
    this.line = line;
    this.reason = codedTextOf(reason);
  }
}

/** Decodes a file's bytes and skips a byte order mark. Throws {@link FormatError} if they are not UTF-8. */
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
    throw new FormatError(lines, coded`FILE_NO_UTF8: the file is not UTF-8 after this line`);
  }
}
