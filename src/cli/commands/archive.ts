import { systemClock } from '../../base/clock.js';
import { resolve } from 'node:path';
import type { AnyFunction, Client } from '../../client/index.js';
import { RpcError } from '../../client/index.js';
import { coded, codedTextOf } from '../../base/codes/coded-text.js';
import { exportToFile } from '../archive/export-to-file.js';
import { Input } from '../archive/input-output.js';
import { asTask } from '../../records/reported-task.js';
import { formatOfFile, recordFormats, type RecordFormat } from '../../records/record-format.js';
import { importRecords, validateImport } from '../../records/import.js';
import type { ImportTarget } from '../../records/row-to-record.js';
import { parseMoment, TIME_EXAMPLES } from '../../records/times.js';
import { command, UsageError } from '../command.js';
import { runMaintenance } from '../maintenance/run-maintenance.js';
import { exitCode } from '../exit-codes.js';
import { chownBelow } from '../file-ownership.js';
import { ProgressLine } from '../output/progress-line.js';
import { resolveId } from '../arguments/object-id.js';
import {
  locateData,
  gatewayClient,
  gatewayOptions,
  type GatewayArguments,
} from '../arguments/locate-gateway.js';

const nowMs = (): number => systemClock().nowMs();

const ARCHIVE = '{43192F0B-135B-4CE7-A0A7-1475603F3060}';

interface Given extends GatewayArguments {
  readonly format?: string;
  readonly from?: string;
  readonly to?: string;
  readonly variable?: string;
  readonly data?: string;
  readonly write?: boolean;
}

/** `stellwerk archive`: exports, imports and salvages records of variables. */
export const archive = command({
  usage: 'archive [options] export FILE [VARIABLE…] | import FILE | salvage [FILE]',
  about: `export writes the records of some or all variables to FILE, which must not exist; import adds the records in
FILE to the archive. - as FILE is stdout or stdin.

CSV: a first line with the columns variable, time, value, then one line per record; an import may have ; or
tabs as separators, and further columns. JSON lines: {"variable":12345,"time":"…","value":21.5}.
Times are written in UTC with milliseconds. An import accepts ${TIME_EXAMPLES}.

All show their progress on a terminal; export and import also in the console, which can cancel them, too. Ctrl-C
cancels them: an export leaves no file; records that an import or a salvage has added stay, and it can be repeated.

An import checks the complete FILE first. If lines are wrong it lists them and imports nothing. A record
replaces one of the same variable and millisecond, so FILE can be imported again.

salvage reads a damaged archive (archive.db.damaged-…) chunk by chunk, verifies checksums, and reports what is
valid. With --write, while the gateway is stopped, it adds the valid records to the archive.`,
  options: {
    ...gatewayOptions,
    format: {
      type: 'string',
      value: 'FORMAT',
      help: 'csv or jsonl; default: from the name of FILE, otherwise csv',
    },
    from: { type: 'string', value: 'TIME', help: 'only records from this time on' },
    to: { type: 'string', value: 'TIME', help: 'only records up to this time' },
    data: {
      type: 'string',
      value: 'DIR',
      help: 'salvage: the data directory; default /var/lib/stellwerk, in a checkout data/',
    },
    write: { type: 'boolean', help: 'salvage: add the valid records to the archive' },
    variable: {
      type: 'string',
      value: 'VARIABLE',
      help: 'import: all records belong to this variable, regardless of the column variable.\nVARIABLE is an id or a path of idents or names: ground_floor/setpoint',
    },
  },
  words: [1, Infinity],
  exits:
    '0 done, 1 nothing was imported, or only a part (with the reason; of salvage: some chunks are damaged), 69 the gateway cannot be reached, 78 errors in the configuration, 130 cancelled',
  run: async (options, [what = '', file = '', ...variables]) => {
    if (what === 'salvage') return salvaged(options, file);
    if (what !== 'export' && what !== 'import')
      throw new UsageError(`${what} is neither export, import nor salvage`);
    if (file === '') throw new UsageError('give FILE');
    if (what === 'export') return exported(options, file, variables);
    if (variables.length > 0) throw new UsageError(`unexpected argument ${variables[0]}: use --variable`);
    return imported(options, file);
  },
});

async function exported(options: Given, file: string, variables: readonly string[]): Promise<number> {
  if (options.variable !== undefined) throw new UsageError('export takes variables after FILE');
  const format = formatOf(options.format, file);
  const range = rangeOf(options);
  const gateway = await gatewayClient(options);
  const ids = await Promise.all(variables.map((word) => resolveId(gateway, word)));
  const { kept, gone } = ids.length > 0 ? { kept: ids, gone: [] } : await recorded(gateway);
  using progress = new ProgressLine(nowMs);
  const done = await asTask(gateway, { kind: 'export', total: 0, nowMs }, (report) => {
    const onRecords = (count: number) => {
      progress.update(`${count} records`);
      return report(count);
    };
    return exportToFile(gateway, file, { ids: kept, ...range, format, onRecords });
  });
  if (file !== '-') process.stdout.write(`${file}: ${done.records} records of ${kept.length} variables\n`);
  const remarks = [
    gone.length > 0 &&
      `omitted: ${gone.join(', ')}, because the variables were deleted (AC_ChangeVariableID moves their records to another one)`,
    done.untrusted > 0 && `${done.untrusted} records have times of an untrusted clock and are marked`,
    done.formulas > 0 &&
      `${done.formulas} texts start like formulas (= + - @): import the column into a spreadsheet as text`,
  ];
  for (const remark of remarks) if (remark !== false) process.stderr.write(`${remark}\n`);
  return exitCode.ok;
}

async function imported(options: Given, file: string): Promise<number> {
  if (file === '-' && options['password-file'] === '-')
    throw new UsageError('stdin can hold the records or the password, not both');
  const format = formatOf(options.format, file);
  const { fromMs, toMs } = rangeOf(options);
  await using input = await Input.open(file);
  const gateway = await gatewayClient(options);
  const archiveId = await archiveOf(gateway);
  const only = options.variable === undefined ? undefined : await resolveId(gateway, options.variable);
  const targets = new Map<number, Promise<ImportTarget>>();
  const target = (id: number): Promise<ImportTarget> => {
    const known = targets.get(id) ?? targetOf(gateway, archiveId, id);
    targets.set(id, known);
    return known;
  };
  using progress = new ProgressLine(nowMs);
  const source = {
    input,
    format,
    meaning: { variableId: only, target },
    fromMs,
    toMs: toMs || Infinity,
  };
  const { records, errors } = await validateImport(source);
  if (errors.count > 0) {
    const more = errors.count - errors.listed.length;
    const rest = more > 0 ? [`and ${more} more`] : [];
    const listed = errors.listed.map(({ line, reason }) => `line ${line}: ${reason.text}`);
    process.stderr.write(`${[...listed, ...rest, 'nothing was imported'].join('\n')}\n`);
    return exitCode.failed;
  }
  const taken = await asTask(gateway, { kind: 'import', total: records, nowMs }, (report) => {
    const onRecords = (count: number) => {
      progress.update(`${count} of ${records} records`);
      return report(count);
    };
    return importRecords(gateway, archiveId, { ...source, onRecords });
  });
  process.stdout.write(`${taken} records of ${records}, for ${targets.size} variables\n`);
  return exitCode.ok;
}

async function salvaged({ data, write = false }: Given, file: string): Promise<number> {
  const directory = resolve(locateData(data, undefined).data);
  const cancelled = write
    ? 'records that were copied stay in the archive, the others can be salvaged again'
    : 'nothing was written';
  const reports = await runMaintenance(
    {
      kind: 'salvage',
      directory,
      file: file === '' ? undefined : resolve(file),
      write,
      nowMs: systemClock().nowMs(),
    },
    { textOf: (chunks) => `${chunks} chunks`, cancelled },
  ).finally(() => {
    if (write) chownBelow(directory);
  });
  process.stdout.write(`${reports.map(({ text }) => text).join('\n')}\n`);
  const next = write
    ? 'the valid records are in the archive; delete the damaged file if nothing else in it is needed'
    : 'nothing was written: stop the gateway and add --write to copy the valid records to its archive';
  process.stdout.write(`${next}\n`);
  return reports.every(({ isComplete }) => isComplete) ? exitCode.ok : exitCode.failed;
}

/** The named format, or that of the file. Throws UsageError. */
function formatOf(name: string | undefined, file: string): RecordFormat {
  const key = name ?? formatOfFile(file);
  if (key === 'csv' || key === 'jsonl') return recordFormats[key];
  throw new UsageError(`there is no format ${key}: csv or jsonl`);
}

function rangeOf({ from, to }: Given): { fromMs: number; toMs: number } {
  const [fromMs = 0, toMs = 0] = [from, to].map((given) => {
    const ms = given === undefined ? 0 : parseMoment(given, systemClock().nowMs());
    if (ms === undefined) throw new UsageError(`${given} is not a time: ${TIME_EXAMPLES}`);
    return ms;
  });
  return { fromMs, toMs };
}

async function archiveOf(gateway: Client<AnyFunction>): Promise<number> {
  const [id] = (await gateway.call('SVC_GetInstanceListByModuleID', ARCHIVE)) as number[];
  if (id === undefined) throw new Error('the gateway has no archive');
  return id;
}

/** All variables that have records. */
async function recorded(gateway: Client<AnyFunction>): Promise<{ kept: number[]; gone: number[] }> {
  const archiveId = await archiveOf(gateway);
  const all = (await gateway.call('AC_GetAggregationVariables', archiveId, false)) as {
    VariableID: number;
  }[];
  const ids = all.map(({ VariableID }) => VariableID).sort((a, b) => a - b);
  const there = new Set((await gateway.call('SVC_GetVariableList')) as number[]);
  return { kept: ids.filter((id) => there.has(id)), gone: ids.filter((id) => !there.has(id)) };
}

async function targetOf(gateway: Client<AnyFunction>, archiveId: number, id: number): Promise<ImportTarget> {
  try {
    const { VariableType: type } = (await gateway.call('SVC_GetVariable', id)) as { VariableType: number };
    if ((await gateway.call('AC_GetLoggingStatus', archiveId, id)) === true) return { type };
    return {
      rejected: coded`NOT_RECORDED: #${id} is not recorded: stellwerk call AC_SetLoggingStatus ${archiveId} ${id} true`,
    };
  } catch (thrown) {
    if (thrown instanceof RpcError) return { rejected: codedTextOf(thrown.message) };
    throw thrown;
  }
}
