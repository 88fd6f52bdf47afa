import { CsvError, parse } from 'csv-parse';
import { coded, type Text } from '../base/codes/coded-text.js';
import { FormatError, MAX_RECORD_LENGTH, type Row } from './row.js';

/** Possible separators of a file, detected from its first line. */
const SEPARATORS = [',', ';', '\t'] as const;
const QUOTE = '"';

/** A text as a field, always quoted, so that an empty text differs from a missing value. */
export const quoted = (text: string): string => `"${text.replaceAll(QUOTE, '""')}"`;

/** Reads the rows of a CSV file; the first line names the columns. Throws {@link FormatError}. */
export async function* csvRows(pieces: AsyncIterable<string>): AsyncGenerator<Row> {
  let names: readonly string[] | undefined;
  for await (const { line, fields } of recordsOf(pieces)) {
    if (names === undefined) names = fields.map((name) => name.trim().toLowerCase());
    else if (fields.length === 1 && fields[0] === '') continue;
    else if (fields.length > names.length)
      yield {
        line,
        error: coded`ROW_FIELDS: it has ${fields.length} fields, the first line names ${names.length}`,
      };
    else yield { line, fields: new Map(fields.map((field, n) => [names?.[n] ?? '', field])), isCsv: true };
  }
}

interface CsvRecord {
  /** The line on which it starts; the first line is 1. */
  readonly line: number;
  readonly fields: readonly string[];
}

async function* recordsOf(pieces: AsyncIterable<string>): AsyncGenerator<CsvRecord> {
  const all = pieces[Symbol.asyncIterator]();
  let [head, isEnd] = ['', false];
  // The complete first line is needed to detect the separator.
  while (!isEnd && !/[\r\n]/.test(head) && head.length < MAX_RECORD_LENGTH) {
    const piece = await all.next();
    if (piece.done === true) isEnd = true;
    else head += piece.value;
  }
  const reader = new CsvReader(separatorOf(head));
  yield* reader.read(head);
  for (let piece = await all.next(); piece.done !== true; piece = await all.next())
    yield* reader.read(piece.value);
  yield* reader.end();
}

/** Parses CSV in chunks with csv-parse, and counts the lines of its records. */
class CsvReader {
  readonly #parser;
  #records: string[][] = [];
  #line = 1;

  constructor(delimiter: string) {
    this.#parser = parse({
      delimiter,
      record_delimiter: ['\r\n', '\n', '\r'],
      relax_column_count: true,
      max_record_size: MAX_RECORD_LENGTH,
      // Collected here, not read from the stream, because an error would discard the records in the stream.
      on_record: (fields: string[]) => {
        this.#records.push(fields);
        return null;
      },
    });
    // The callbacks of write and end get the errors.
    this.#parser.on('error', () => undefined);
  }

  async *read(piece: string): AsyncGenerator<CsvRecord> {
    const thrown = await new Promise<unknown>((resolve) => this.#parser.write(piece, resolve));
    yield* this.#take(thrown);
  }

  async *end(): AsyncGenerator<CsvRecord> {
    const thrown = await new Promise<unknown>((resolve) => this.#parser.end(resolve));
    yield* this.#take(thrown);
  }

  *#take(thrown: unknown): Generator<CsvRecord> {
    for (const fields of this.#records.splice(0)) {
      yield { line: this.#line, fields };
      this.#line += 1;
      for (const field of fields) this.#line += field.split('\n').length - 1;
    }
    if (thrown instanceof CsvError) throw new FormatError(this.#line, problemOf(thrown));
    if (thrown instanceof Error) throw thrown;
  }
}

function problemOf({ code, message }: CsvError): Text {
  switch (code) {
    case 'CSV_QUOTE_NOT_CLOSED':
      return coded`CSV_QUOTE_OPEN: a quote is opened but never closed`;
    case 'CSV_INVALID_CLOSING_QUOTE':
      return coded`CSV_TEXT_AFTER_QUOTE: there is text between a closing quote and the next separator`;
    case 'INVALID_OPENING_QUOTE':
      return coded`CSV_QUOTE_WITHIN: there is a quote within a field that does not begin with one`;
    case 'CSV_MAX_RECORD_SIZE':
      return coded`CSV_RECORD_TOO_LONG: it is longer than 4 MiB; perhaps a closing quote is missing`;
    default:
      return message;
  }
}

function separatorOf(text: string): string {
  const head = text.slice(0, text.search(/[\r\n]|$/));
  return SEPARATORS.find((one) => head.includes(one)) ?? ',';
}
