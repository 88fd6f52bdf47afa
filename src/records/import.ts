import { CodedText } from '../base/codes/coded-text.js';
import { messageOf } from '../base/fault.js';
import type { Caller } from './caller.js';
import type { RecordFormat } from './record-format.js';
import { type FileRecord, type RecordMapping, recordOf } from './row-to-record.js';
import { FormatError, textsOf } from './row.js';

/** Maximum number of records, or characters of texts, in one call to the gateway. */
const MAX_RECORDS = 5_000;
const MAX_TEXT = 1024 * 1024;
/** Maximum number of validation errors that are listed. */
const MAX_LISTED = 20;

/** The bytes of a file, which can be read several times from its start. */
interface RecordInput {
  chunks(): AsyncIterable<Uint8Array>;
}

/** A file to import, and how to read it. */
export interface ImportSource {
  readonly input: RecordInput;
  readonly format: RecordFormat;
  readonly meaning: RecordMapping;
  /** Both belong to it. */
  readonly fromMs: number;
  readonly toMs: number;
}

interface ImportOptions extends ImportSource {
  /** Called before each request to the gateway; its rejection ends the import. */
  readonly onRecords: (imported: number) => Promise<void>;
}

/** The validation errors of a file: the first ones, and the number of all. */
interface ValidationErrors {
  readonly listed: readonly { readonly line: number; readonly reason: CodedText }[];
  readonly count: number;
}

/** Reads a file without importing it; returns the number of records and the validation errors. */
export async function validateImport(
  source: ImportSource,
): Promise<{ records: number; errors: ValidationErrors }> {
  const listed: ValidationErrors['listed'][number][] = [];
  let [records, count] = [0, 0];
  const addError = (line: number, reason: CodedText) => {
    if (++count <= MAX_LISTED) listed.push({ line, reason });
  };
  try {
    for await (const { line, record } of recordsOf(source)) {
      if (record instanceof CodedText) addError(line, record);
      else records++;
    }
  } catch (thrown) {
    if (!(thrown instanceof FormatError)) throw thrown;
    addError(thrown.line, thrown.reason);
  }
  return { records, errors: { listed, count } };
}

/** An import failed before its end; the message says which records were imported. */
export class ImportError extends Error {
  /** The records that were imported; of the variable that failed, those before line `first`. */
  readonly imported: number;
  readonly first: number;
  /** The last line of those that failed. */
  readonly last: number;

  constructor(message: string, { imported = 0, first = 0, last = 0, cause = undefined as unknown }) {
    super(message, { cause });
    this.imported = imported;
    this.first = first;
    this.last = last;
  }
}

/**
 * Adds the records of a file without validation errors ({@link validateImport}). Rejects with an {@link
 * ImportError}.
 */
export async function importRecords(
  gateway: Caller,
  archiveId: number,
  source: ImportOptions,
): Promise<number> {
  let taken = 0;
  let batch: FileRecord[] = [];
  let characters = 0;
  const flush = async () => {
    const groups = new Map<number, FileRecord[]>();
    for (const record of batch) {
      const group = groups.get(record.variableId) ?? [];
      groups.set(record.variableId, group);
      group.push(record);
    }
    for (const [id, records] of groups) {
      await source.onRecords(taken);
      const values = records.map(({ atMs, value, isTrusted }) => ({
        TimeStamp: atMs / 1000,
        Value: value,
        ...(!isTrusted && { ClockTrusted: false }),
      }));
      try {
        await gateway.call('AC_AddLoggedValues', archiveId, id, values);
      } catch (cause) {
        const [first, last] = [records[0]?.line, records[records.length - 1]?.line];
        const what = `${messageOf(cause)}; ${taken} records were imported, of #${id} those before line ${first}; the next ones, up to line ${last}, failed. Correct the cause and import the file again: records that exist already are not changed`;
        throw new ImportError(what, { imported: taken, first, last, cause });
      }
      taken += records.length;
    }
    batch = [];
    characters = 0;
  };
  for await (const { record } of recordsOf(source)) {
    if (record instanceof CodedText)
      throw new ImportError(`the file was changed during the import: ${record.text}`, { imported: taken });
    batch.push(record);
    if (typeof record.value === 'string') characters += record.value.length;
    if (batch.length >= MAX_RECORDS || characters >= MAX_TEXT) await flush();
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
}: ImportSource): AsyncGenerator<{ line: number; record: FileRecord | CodedText }> {
  for await (const row of format.rowsOf(textsOf(input.chunks()))) {
    const record = await recordOf(row, meaning);
    if (!(record instanceof CodedText) && (record.atMs < fromMs || record.atMs > toMs)) continue;
    yield { line: row.line, record };
  }
}
