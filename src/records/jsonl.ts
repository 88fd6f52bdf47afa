import { coded } from '../base/codes/coded-text.js';
import { findBigInt, parseJson } from '../base/json.js';
import { FormatError, MAX_RECORD_LENGTH, type Row } from './row.js';

/** Reads the rows of a JSON Lines file, one object per line. Throws {@link FormatError}. */
export async function* jsonRows(pieces: AsyncIterable<string>): AsyncGenerator<Row> {
  let [line, rest] = [0, ''];
  for await (const piece of pieces) {
    const lines = (rest + piece).split('\n');
    rest = lines.pop() ?? '';
    for (const text of lines) yield* rowOf(text, ++line);
    if (rest.length > MAX_RECORD_LENGTH) throw new FormatError(line + 1, coded`ROW_TOO_LONG: it is too long`);
  }
  yield* rowOf(rest, line + 1);
}

function* rowOf(text: string, line: number): Generator<Row> {
  if (text.trim() === '') return;
  const object = objectOf(text);
  const inexact = findBigInt(object);
  if (object === undefined) yield { line, error: coded`ROW_NO_OBJECT: it is not a JSON object` };
  else if (inexact !== undefined)
    yield { line, error: coded`ROW_INEXACT: ${String(inexact)} cannot be represented exactly` };
  else yield { line, fields: new Map(Object.entries(object)), isCsv: false };
}

function objectOf(text: string): object | undefined {
  try {
    const value = parseJson(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
