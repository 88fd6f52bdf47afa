import { codedTextOf, coded, recordOf as textRecord } from '../../../base/codes/coded-text.js';
import { RpcError } from '../../../client/errors.js';
import { realTiming } from '../../../client/timing.js';
import type { Caller } from '../../../records/caller.js';
import { exportRecords } from '../../../records/export.js';
import { importRecords, ImportError, validateImport, type ImportSource } from '../../../records/import.js';
import { type FormatName, formatOfFile, recordFormats } from '../../../records/record-format.js';
import { asTask, CancelledByOwner } from '../../../records/reported-task.js';
import type { ImportTarget } from '../../../records/row-to-record.js';
import type { LocalTime } from '../../../records/times.js';
import { locale } from '../../web/i18n/i18n.js';
import { localTime, unixSeconds } from '../../web/zone-time.js';
import { errorText, type ConsoleApp } from '../app.js';
import { sentence } from '../i18n/gateway-texts.js';
import { saveFile } from '../parts/save-file.js';
import { recordTexts } from './record-texts.js';

/** Bytes that are read from a file together. */
const CHUNK = 256 * 1024;

const nowMs = () => realTiming.nowMs();
const callerOf = (app: ConsoleApp): Caller => ({
  call: (method, ...params) => app.callByName(method, params),
});

export const countText = (n: number) => n.toLocaleString(locale());

interface ExportChoice {
  /** Empty: all variables with records. */
  readonly ids: readonly number[];
  readonly format: FormatName;
  readonly fromMs: number;
  /** 0: no limit. */
  readonly toMs: number;
}

/** Exports records to a download; the list of tasks shows the progress and can cancel it. */
export async function startExport(app: ConsoleApp, archive: number, choice: ExportChoice): Promise<void> {
  const { model } = app.gateway;
  const text = recordTexts();
  const parts: string[] = [];
  try {
    const recorded = await app.call('AC_GetAggregationVariables', archive, false);
    const all = recorded.map(({ VariableID }) => VariableID).filter((id) => model.find(id) !== undefined);
    const ids = choice.ids.length > 0 ? choice.ids : all.sort((a, b) => a - b);
    const gateway = callerOf(app);
    const done = await asTask(gateway, { kind: 'export', total: 0, nowMs }, (onRecords) => {
      const write = (part: string) => Promise.resolve(void parts.push(part));
      return exportRecords(gateway, {
        ...choice,
        ids,
        format: recordFormats[choice.format],
        write,
        onRecords,
      });
    });
    saveFile(`records-${localTime(app.gateway.now(), model.timezone).slice(0, 10)}.${choice.format}`, parts);
    const remarks = [
      text.exported(countText(done.records)),
      ...(done.untrusted > 0 ? [text.untrusted(countText(done.untrusted))] : []),
      ...(done.formulas > 0 ? [text.formulas(countText(done.formulas))] : []),
    ];
    app.notice.value = { text: remarks.join(' '), isError: false };
  } catch (thrown) {
    const isCancelled = thrown instanceof CancelledByOwner;
    app.notice.value = { text: isCancelled ? text.cancelled : errorText(thrown), isError: !isCancelled };
  }
}

/** What a check of a file has found. */
interface CheckedFile {
  readonly source: ImportSource;
  readonly records: number;
  readonly problems: readonly { readonly line: number; readonly text: string }[];
  /** Of all lines that are wrong. */
  readonly count: number;
}

/** Reads a complete file without importing it. Rejects as the calls of the gateway, or if it cannot be read. */
export async function checkFile(
  app: ConsoleApp,
  { archive, file, variable }: { readonly archive: number; readonly file: File; readonly variable: number },
): Promise<CheckedFile> {
  const targets = new Map<number, Promise<ImportTarget>>();
  const target = (id: number) => {
    const known = targets.get(id) ?? targetOf(app, archive, id);
    targets.set(id, known);
    return known;
  };
  const source: ImportSource = {
    input: { chunks: () => chunksOf(file) },
    format: recordFormats[formatOfFile(file.name)],
    meaning: {
      variableId: variable === 0 ? undefined : variable,
      target,
      zone: zoneOf(app.gateway.model.timezone),
    },
    fromMs: 0,
    toMs: Infinity,
  };
  const { records, errors } = await validateImport(source);
  const problems = errors.listed.map(({ line, reason }) => ({ line, text: sentence(textRecord(reason)) }));
  return { source, records, problems, count: errors.count };
}

/** Imports a checked file; the list of tasks shows the progress and can cancel it. */
export async function startImport(
  app: ConsoleApp,
  archive: number,
  { source, records }: CheckedFile,
): Promise<void> {
  const text = recordTexts();
  try {
    const gateway = callerOf(app);
    const imported = await asTask(gateway, { kind: 'import', total: records, nowMs }, (onRecords) =>
      importRecords(gateway, archive, { ...source, onRecords }),
    );
    app.notice.value = { text: text.imported(countText(imported)), isError: false };
  } catch (thrown) {
    const isCancelled = thrown instanceof CancelledByOwner;
    app.notice.value = {
      text: isCancelled ? text.importCancelled : importProblem(thrown),
      isError: !isCancelled,
    };
  }
}

function importProblem(thrown: unknown): string {
  if (!(thrown instanceof ImportError) || thrown.first === 0) return errorText(thrown);
  const { cause, imported, first, last } = thrown;
  return recordTexts().stopped(errorText(cause), countText(imported), `${first}–${last}`);
}

async function targetOf(app: ConsoleApp, archive: number, id: number): Promise<ImportTarget> {
  const type = app.gateway.model.find(id)?.entry.peek().data.type;
  if (type === undefined) return { rejected: coded`NO_VARIABLE_WITH_ID: there is no variable #${id}` };
  try {
    if (await app.call('AC_GetLoggingStatus', archive, id)) return { type };
    return { rejected: coded`NOT_RECORDED_YET: #${id} is not recorded: add it to the archive first` };
  } catch (thrown) {
    if (thrown instanceof RpcError) return { rejected: codedTextOf(errorText(thrown)) };
    throw thrown;
  }
}

async function* chunksOf(file: File): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < file.size; at += CHUNK)
    yield new Uint8Array(await file.slice(at, at + CHUNK).arrayBuffer());
}

const two = (n: number) => String(n).padStart(2, '0');

/** Local times of the gateway, not of this browser. */
function zoneOf(timezone: string): LocalTime {
  return ([year, month, day, hour, minute, second]) => {
    const given = `${String(year).padStart(4, '0')}-${two(month + 1)}-${two(day)}T${two(hour)}:${two(minute)}`;
    const seconds = unixSeconds(given, timezone);
    // A time that the change of the clocks skips is moved.
    if (seconds === undefined || localTime(seconds * 1000, timezone) !== given) return undefined;
    return (seconds + second) * 1000;
  };
}
