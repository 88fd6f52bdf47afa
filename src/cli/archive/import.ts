import { messageOf } from '../../base/fault.js';
import type { AnyFunction, Client } from '../../client/index.js';
import type { Input } from './input-output.js';
import type { RecordFormat } from './record-format.js';
import { type FileRecord, type RecordMapping, recordOf } from './row-to-record.js';
import { FormatError, textsOf } from './row.js';

/** Most records, or characters of texts, in one call to the gateway. */
const MOST_RECORDS = 5_000;
const MOST_TEXT = 1024 * 1024;
/** Most validation errors that are listed. */
const MAX_LISTED = 20;

/** A file to import, and how to read it. */
interface ImportSource {
  readonly input: Input;
  readonly format: RecordFormat;
  readonly meaning: RecordMapping;
  /** Both belong to it. */
  readonly fromMs: number;
  readonly toMs: number;
  /** Called before each request to the gateway; what it throws ends the import. */
  readonly onRecords: (imported: number) => void;
}

/** The validation errors of a file: the first ones as text, and the number of all. */
interface ValidationErrors {
  readonly listed: readonly string[];
  readonly count: number;
}

/** Reads a file without importing it; returns the number of records and the validation errors. */
export async function validateImport(
  source: ImportSource,
): Promise<{ records: number; errors: ValidationErrors }> {
  const listed: string[] = [];
  let [records, count] = [0, 0];
  const addError = (line: number, error: string) => {
    if (++count <= MAX_LISTED) listed.push(`line ${line}: ${error}`);
  };
  try {
    for await (const { line, record } of recordsOf(source)) {
      if (typeof record === 'string') addError(line, record);
      else records++;
    }
  } catch (thrown) {
    if (!(thrown instanceof FormatError)) throw thrown;
    addError(thrown.line, messageOf(thrown));
  }
  return { records, errors: { listed, count } };
}

/** An import failed before its end; the message says which records were imported. */
class ImportError extends Error {}

/**
 * Adds the records of a file without validation errors ({@link validateImport}). Rejects with an {@link
 * ImportError}.
 */
export async function importRecords(
  gateway: Client<AnyFunction>,
  archiveId: number,
  source: ImportSource,
): Promise<number> {
  let taken = 0;
  let batch: FileRecord[] = [];
  let characters = 0;
  const flush = async () => {
    const groups = Map.groupBy(batch, ({ variableId }) => variableId);
    for (const [id, records] of groups) {
      source.onRecords(taken);
      const values = records.map(({ atMs, value, isTrusted }) => ({
        TimeStamp: atMs / 1000,
        Value: value,
        ...(!isTrusted && { ClockTrusted: false }),
      }));
      try {
        await gateway.call('AC_AddLoggedValues', archiveId, id, values);
      } catch (cause) {
        const [first, last] = [records[0]?.line, records.at(-1)?.line];
        const what = `${messageOf(cause)}; ${taken} records were imported, of #${id} those before line ${first}; the next ones, up to line ${last}, failed. Correct the cause and import the file again: records that exist already are not changed`;
        throw new ImportError(what, { cause });
      }
      taken += records.length;
    }
    batch = [];
    characters = 0;
  };
  for await (const { record } of recordsOf(source)) {
    if (typeof record === 'string')
      throw new ImportError(`the file was changed during the import: ${record}`);
    batch.push(record);
    if (typeof record.value === 'string') characters += record.value.length;
    if (batch.length >= MOST_RECORDS || characters >= MOST_TEXT) await flush();
  }
  await flush();
  return taken;
}

async function* recordsOf({
  input,
  format,
  meaning,
  fromMs,
  toMs,
}: ImportSource): AsyncGenerator<{ line: number; record: FileRecord | string }> {
  for await (const row of format.rowsOf(textsOf(input.chunks()))) {
    const record = await recordOf(row, meaning);
    if (typeof record !== 'string' && (record.atMs < fromMs || record.atMs > toMs)) continue;
    yield { line: row.line, record };
  }
}
