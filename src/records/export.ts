import type { Caller } from './caller.js';
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
  readonly format: RecordFormat;
  readonly write: (text: string) => Promise<void>;
  /** Called after each page; its rejection ends the export. */
  readonly onRecords: (count: number) => Promise<void>;
}

/** The result of an export. */
interface ExportSummary {
  readonly records: number;
  /** Number of texts that a spreadsheet may interpret as formulas. */
  readonly formulas: number;
  readonly untrusted: number;
}

/**
 * Writes records of variables, with one page of them in memory.
 */
export async function exportRecords(gateway: Caller, options: ExportOptions): Promise<ExportSummary> {
  const { ids, fromMs, toMs, format, write, onRecords } = options;
  let [records, formulas, untrusted] = [0, 0, 0];
  await write(format.head);
  for (const variableId of ids) {
    for (let fromS = fromMs / 1000, more = true; more;) {
      const page = (await gateway.call('GW_GetRecords', variableId, fromS, toMs / 1000, PAGE)) as Page;
      const lines = page.Records.map(({ TimeStamp, Value: value, ClockTrusted }) => {
        if (typeof value === 'string' && FORMULA.test(value)) formulas++;
        if (!ClockTrusted) untrusted++;
        const atMs = Math.round(TimeStamp * 1000);
        return format.lineOf({ variableId, atMs, value, isUntrusted: !ClockTrusted });
      });
      await write(lines.join(''));
      records += lines.length;
      await onRecords(records);
      fromS = (page.Records[page.Records.length - 1]?.TimeStamp ?? 0) + NEXT_S;
      more = page.More;
    }
  }
  return { records, formulas, untrusted };
}
