import { FormatError, MAX_RECORD_LENGTH, type Row } from './row.js';

/** What separates fields; in a file that is read, the one that its first line has. */
const SEPARATORS = [',', ';', '\t'] as const;
const QUOTE = '"';

/** A text as a field: always in quotes, so that an empty one is told from nothing. */
export const quoted = (text: string): string => `"${text.replaceAll(QUOTE, '""')}"`;

/** Rows of CSV, each with the names of its columns, which the first line has. Throws {@link FormatError}. */
export async function* csvRows(pieces: AsyncIterable<string>): AsyncGenerator<Row> {
  let names: readonly string[] | undefined;
  for await (const { line, fields } of recordsOf(pieces)) {
    if (names === undefined) names = fields.map((name) => name.trim().toLowerCase());
    // An empty line.
    else if (fields.length === 1 && fields[0] === '') continue;
    else if (fields.length > names.length)
      yield { line, mistake: `it has ${fields.length} fields, the first line names ${names.length}` };
    else yield { line, fields: new Map(fields.map((field, n) => [names?.[n] ?? '', field])), isCsv: true };
  }
}

interface Record {
  /** Where it begins, from 1 on. */
  readonly line: number;
  readonly fields: readonly string[];
}

async function* recordsOf(pieces: AsyncIterable<string>): AsyncGenerator<Record> {
  const reader = new Reader();
  for await (const piece of pieces) yield* reader.take(piece);
  yield* reader.end();
}

/** Takes CSV a piece at a time; a field may go on over many of them. */
class Reader {
  #separator: string | undefined;
  #line = 1;
  #begun = 1;
  #fields: string[] = [];
  #field = '';
  /** Inside of quotes; or after one that ends them, unless it is the first of two. */
  #state: 'plain' | 'inside' | 'after' = 'plain';
  #held = '';

  *take(piece: string): Generator<Record> {
    let text = this.#held + piece;
    this.#held = '';
    if (this.#separator === undefined) {
      const end = text.search(/[\r\n]/);
      if (end < 0 && text.length < MAX_RECORD_LENGTH) return void (this.#held = text);
      this.#separator = separatorOf(text.slice(0, end));
    }
    // What comes after decides what it means.
    if (text.endsWith('\r')) {
      this.#held = '\r';
      text = text.slice(0, -1);
    }
    yield* this.#read(text);
  }

  *end(): Generator<Record> {
    const rest = this.#held;
    this.#held = '';
    this.#separator ??= separatorOf(rest);
    yield* this.#read(rest);
    if (this.#state === 'inside')
      throw new FormatError(this.#begun, 'a quote is open there until the end of the file');
    if (this.#field !== '' || this.#fields.length > 0 || this.#state === 'after') yield this.#record();
  }

  *#read(text: string): Generator<Record> {
    for (let at = 0; at < text.length;) {
      const char = text[at] as string;
      if (this.#state === 'inside') {
        const end = text.indexOf(QUOTE, at);
        this.#add(text.slice(at, end < 0 ? text.length : end));
        if (end < 0) return;
        this.#state = 'after';
        at = end + 1;
      } else if (char === QUOTE && this.#state === 'after') {
        this.#add(QUOTE);
        this.#state = 'inside';
        at++;
      } else if (char === QUOTE && this.#field === '') {
        this.#state = 'inside';
        at++;
      } else if (char === this.#separator) {
        this.#fields.push(this.#field);
        this.#field = '';
        this.#state = 'plain';
        at++;
      } else if (char === '\r' || char === '\n') {
        const record = this.#record();
        at += text.startsWith('\r\n', at) ? 2 : 1;
        this.#begun = ++this.#line;
        yield record;
      } else if (this.#state === 'after') {
        throw new FormatError(this.#begun, 'something stands between a quote that ends and the next field');
      } else {
        const end = this.#endOfPlain(text, at);
        this.#field += text.slice(at, end);
        at = end;
        if (this.#field.length > MAX_RECORD_LENGTH) throw new FormatError(this.#begun, 'it is too long');
      }
    }
  }

  #endOfPlain(text: string, from: number): number {
    let at = from;
    while (at < text.length && text[at] !== this.#separator && text[at] !== '\n' && text[at] !== '\r') at++;
    return at;
  }

  /** More of a field in quotes: lines in it are counted, each however it ends. */
  #add(text: string): void {
    this.#field += text;
    for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) this.#line++;
    if (this.#field.length > MAX_RECORD_LENGTH)
      throw new FormatError(this.#begun, 'a quote is open there that does not end');
  }

  #record(): Record {
    const record = { line: this.#begun, fields: [...this.#fields, this.#field] };
    this.#fields = [];
    this.#field = '';
    this.#state = 'plain';
    return record;
  }
}

function separatorOf(head: string): string {
  return SEPARATORS.find((one) => head.includes(one)) ?? ',';
}
