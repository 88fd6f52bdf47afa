import type { AnyFunction, Client } from '../../client/index.js';
import { escapeControls } from '../output/terminal.js';
import { openOutput } from './input-output.js';
import type { RecordFormat } from './record-format.js';

/** Records per request. */
const PAGE = 10_000;
/** The characters that start a formula in a spreadsheet. */
const FORMULA = /^[=+\-@\t\r]/;
/** A millisecond, in seconds. */
const NEXT_S = 0.001;

/** The result of `GW_GetRecords`. */
interface Page {
  readonly Records: readonly {
    readonly TimeStamp: number;
    readonly Value: boolean | number | string;
    readonly ClockTrusted: boolean;
  }[];
  readonly More: boolean;
}

/** Options of an export. */
interface ExportOptions {
  readonly ids: readonly number[];
  readonly fromMs: number;
  /** 0: no limit. */
  readonly toMs: number;
  readonly file: string;
  readonly format: RecordFormat;
  /** Called after each page; what it throws ends the export. */
  readonly onRecords: (count: number) => void;
}

/** The result of an export. */
interface ExportSummary {
  readonly records: number;
  /** Number of texts that a spreadsheet may interpret as formulas. */
  readonly formulas: number;
  readonly untrusted: number;
}

/**
 * Writes records to a file, with one page of them in memory. If that fails, rejects and leaves no file.
 */
export async function exportRecords(
  gateway: Client<AnyFunction>,
  wanted: ExportOptions,
): Promise<ExportSummary> {
  const { ids, fromMs, toMs, file, format, onRecords } = wanted;
  let [records, formulas, untrusted] = [0, 0, 0];
  await using output = await openOutput(file);
  const isSeen = file === '-' && process.stdout.isTTY;
  await output.write(format.head);
  for (const variableId of ids) {
    for (let fromS = fromMs / 1000, more = true; more;) {
      const page = (await gateway.call('GW_GetRecords', variableId, fromS, toMs / 1000, PAGE)) as Page;
      const lines = page.Records.map(({ TimeStamp, Value: value, ClockTrusted }) => {
        if (typeof value === 'string' && FORMULA.test(value)) formulas++;
        if (!ClockTrusted) untrusted++;
        const atMs = Math.round(TimeStamp * 1000);
        const line = format.lineOf({ variableId, atMs, value, isUntrusted: !ClockTrusted });
        return isSeen ? `${escapeControls(line.slice(0, -1))}\n` : line;
      });
      await output.write(lines.join(''));
      records += lines.length;
      onRecords(records);
      fromS = (page.Records.at(-1)?.TimeStamp ?? 0) + NEXT_S;
      more = page.More;
    }
  }
  await output.finish();
  return { records, formulas, untrusted };
}
