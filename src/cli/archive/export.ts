import type { AnyFunction, Client } from '../../client/index.js';
import { escapeControls } from '../output/terminal.js';
import { openOutput } from './input-output.js';
import type { RecordFormat } from './record-format.js';

/** Records per request. */
const PAGE = 10_000;
/** What a spreadsheet takes for the beginning of a formula. */
const FORMULA = /^[=+\-@\t\r]/;
/** A millisecond, in seconds. */
const NEXT_S = 0.001;

/** What `GW_GetRecords` gives. */
interface Page {
  readonly Records: readonly {
    readonly TimeStamp: number;
    readonly Value: boolean | number | string;
    readonly ClockTrusted: boolean;
  }[];
  readonly More: boolean;
}

/** What is to be written, and how. */
interface ExportOptions {
  readonly ids: readonly number[];
  readonly fromMs: number;
  /** 0: all there is. */
  readonly toMs: number;
  readonly file: string;
  readonly format: RecordFormat;
}

/** What was written. */
interface ExportSummary {
  readonly records: number;
  /** Texts that a spreadsheet may take for formulas. */
  readonly formulas: number;
  readonly untrusted: number;
}

/**
 * Writes records into a file, a page of them in memory. Rejects, leaving no file, when it can't be done to
 * its end.
 */
export async function exportRecords(
  gateway: Client<AnyFunction>,
  wanted: ExportOptions,
): Promise<ExportSummary> {
  const { ids, fromMs, toMs, file, format } = wanted;
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
      fromS = (page.Records.at(-1)?.TimeStamp ?? 0) + NEXT_S;
      more = page.More;
    }
  }
  await output.finish();
  return { records, formulas, untrusted };
}
