import { coded } from '../../base/codes/coded-text.js';
import { fault } from '../../base/fault.js';
import { yieldToEventLoop } from '../../base/event-loop.js';
import { array, bool, declare, float, int, type FunctionDeclaration } from '../../device/declare.js';
import type { NewRecord } from '../../archive/port.js';
import { convertValue } from '../../kernel/convert.js';
import type { Variable } from '../../kernel/variables.js';
import { checkedList } from '../argument-checks.js';
import { aggregationSpans, moreAggregationSpans } from '../enumerations.js';
import type { Ports } from '../ports.js';
import * as shapes from './archive-shapes.js';
import { InstanceID, loggingOf, VariableID } from './logging-settings.js';

/** Maximum number of records in a call: about what a request body can contain. */
const ADD_LIMIT = 50_000;
/** Records checked before yielding to the event loop. */
const BATCH_SIZE = 2_000;

/** Records with milliseconds and clock quality, oldest first; `AC_GetLoggedValues` has neither. */
export function recordsFunction({ kernel, archive }: Ports): FunctionDeclaration {
  return declare({
    name: 'GW_GetRecords',
    parameters: [VariableID, float('StartTime'), float('EndTime'), int('Limit')],
    result: 'array',
    shape: shapes.records,
    help: 'Records of a variable with milliseconds, oldest first, at most 10,000, and whether there are more; times of 0 mean from the first and to the last record.',
    run: async (_caller, id, startS, endS, limit) => {
      kernel.variables.get(id);
      const page = await (await archive()).records(id, { startS, endS, limit });
      return {
        Records: page.records.map(({ atMs, value, isTrusted }) => ({
          TimeStamp: atMs / 1000,
          Value: value,
          ClockTrusted: isTrusted,
        })),
        More: page.more,
      };
    },
  });
}

/** What reads records and their aggregations. */
export function readingFunctions(ports: Ports): FunctionDeclaration[] {
  const range = [int('StartTime'), int('EndTime'), int('Limit')] as const;
  return [
    declare({
      name: 'AC_GetLoggedValues',
      parameters: [InstanceID, VariableID, ...range],
      result: 'array',
      shape: shapes.loggedValues,
      help: 'Records of a variable between two times, newest first, at most 10,000; times of 0 mean from the first record and until now.',
      run: (_caller, _archive, id, startS, endS, limit) =>
        readLoggedValues(ports, id, { startS, endS, limit }),
    }),
    declare({
      name: 'AC_GetAggregatedValues',
      parameters: [
        InstanceID,
        VariableID,
        int('AggregationSpan', aggregationSpans, moreAggregationSpans),
        ...range,
      ],
      result: 'array',
      shape: shapes.aggregatedValues,
      help: 'Aggregated records of a variable for the spans that are completely between two times, newest first.',
      run: (_caller, _archive, id, span, startS, endS, limit) =>
        readAggregatedValues(ports, id, { span, startS, endS, limit }),
    }),
    declare({
      name: 'AC_GetAggregationVariables',
      parameters: [InstanceID, bool('CalculateStatistics')],
      result: 'array',
      shape: shapes.aggregationVariables,
      help: 'The variables that have records or are logged, including deleted ones; on request with statistics of their records.',
      run: async (_caller, _archive, calculate) => aggregationVariables(ports, calculate),
    }),
  ];
}

/** The result of `AC_GetLoggedValues`. */
export async function readLoggedValues(
  { archive, kernel }: Ports,
  id: number,
  range: { startS: number; endS: number; limit: number },
) {
  kernel.variables.get(id);
  const records = await (await archive()).logged(id, range);
  return records.map(({ timeStamp, value, durationS }) => ({
    TimeStamp: timeStamp,
    Value: value,
    Duration: durationS,
  }));
}

/** The result of `AC_GetAggregatedValues`. */
export async function readAggregatedValues(
  { archive, kernel }: Ports,
  id: number,
  { span, ...range }: { span: number; startS: number; endS: number; limit: number },
) {
  kernel.variables.get(id);
  const known = span as 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8;
  const records = await (await archive()).aggregated(id, { span: known, ...range });
  return records.map(({ timeStamp, durationS, avg, min, minTime, max, maxTime }) => ({
    TimeStamp: timeStamp,
    Avg: avg,
    Duration: durationS,
    Max: max,
    MaxTime: maxTime,
    Min: min,
    MinTime: minTime,
  }));
}

async function aggregationVariables({ archive, kernel }: Ports, calculate: boolean) {
  const port = await archive();
  const stored = new Map(
    calculate ? (await port.statistics()).map((series) => [series.id, series] as const) : [],
  );
  const recorded = calculate ? stored.keys() : await port.recordedVariables();
  const logged = kernel.variables.logged().map(({ id }) => id);
  const noRecords = { firstMs: 0, lastMs: 0, count: 0, bytes: 0 };
  return [...new Set([...logged, ...recorded])].map((id) => {
    const { firstMs, lastMs, count, bytes } = stored.get(id) ?? noRecords;
    const logging = loggingOf(kernel.tree.find(id));
    return {
      VariableID: id,
      AggregationType: Number(logging.counter),
      AggregationVisible: logging.graph,
      AggregationActive: logging.active,
      FirstTime: Math.floor(firstMs / 1000),
      LastTime: Math.floor(lastMs / 1000),
      RecordCount: count,
      RecordSize: bytes,
    };
  });
}

/** What adds, deletes and moves records. */
export function writingFunctions(ports: Ports): FunctionDeclaration[] {
  return [
    declare({
      name: 'AC_AddLoggedValues',
      parameters: [InstanceID, VariableID, array('Values', shapes.addedValues)],
      result: 'boolean',
      audited: true,
      auditParameters: (archiveId, id, given) => [archiveId, id, `(${Object.keys(given).length} records)`],
      help: 'Adds records to a logged variable, with any time up to now; a record with the same time is replaced.',
      run: async (_caller, _archive, id, given) => {
        const variable = ports.kernel.variables.get(id);
        if (!loggingOf(variable).active) throw fault('NOT_LOGGED', id);
        const values = await addedValues(ports, variable, checkedList(given, 'Values', ADD_LIMIT));
        await (await ports.archive()).add(id, values);
        return true;
      },
    }),
    declare({
      name: 'AC_DeleteVariableData',
      parameters: [InstanceID, VariableID, int('StartTime'), int('EndTime')],
      result: 'integer',
      audited: true,
      help: 'Deletes the records of a variable between two times and returns their number; 0 and 0 delete all and end logging.',
      run: async (_caller, _archive, id, startS, endS) => {
        const archive = await ports.archive();
        const variable = await variableOrRecords(ports, id);
        if (startS === 0 && endS === 0 && variable !== undefined)
          ports.kernel.variables.setLogging(variable, undefined);
        return archive.delete(id, startS, endS);
      },
    }),
    declare({
      name: 'AC_ChangeVariableID',
      parameters: [InstanceID, int('OldVariableID'), int('NewVariableID')],
      result: 'boolean',
      audited: true,
      help: 'Moves the records of a variable, which may be deleted, to another one.',
      run: async (_caller, _archive, id, toId) => {
        const to = ports.kernel.variables.get(toId);
        const from = await variableOrRecords(ports, id);
        if (from !== undefined && from.data.type !== to.data.type) throw fault('VARIABLE_TYPE', toId);
        if (id !== toId) await (await ports.archive()).move(id, toId);
        return true;
      },
    }),
    declare({
      name: 'AC_ReAggregateVariable',
      parameters: [InstanceID, VariableID],
      result: 'boolean',
      audited: true,
      help: 'Recalculates the aggregations of a variable from all its records.',
      run: async ({ user }, _archive, id) => {
        ports.kernel.variables.get(id);
        const archive = await ports.archive();
        await ports.tasks.run('reaggregation', user, (progress) => archive.reaggregate(id, progress));
        return true;
      },
    }),
  ];
}

/** The variable, or undefined if it was deleted and has records. Throws `NOT_OF_TYPE` if it has none. */
async function variableOrRecords({ kernel, archive }: Ports, id: number): Promise<Variable | undefined> {
  const object = kernel.tree.find(id);
  if (object === undefined && (await (await archive()).recordedVariables()).includes(id)) return undefined;
  return kernel.variables.get(id);
}

/** Checks given records. Throws `PARAMETER_TYPE`, `PARAMETER_BOUNDS`, `CANNOT_CONVERT`. */
async function addedValues(
  { clock }: Ports,
  { data }: Variable,
  given: readonly unknown[],
): Promise<NewRecord[]> {
  const values: NewRecord[] = [];
  // Records in the future are rejected, unless the clock is not trusted.
  const limitMs = clock.isTrusted() ? clock.nowMs() : Infinity;
  for (const one of given) {
    const {
      TimeStamp: at,
      Value: value,
      ClockTrusted: isTrusted = true,
    } = (one ?? {}) as Partial<Record<string, unknown>>;
    if (typeof at !== 'number' || value === undefined)
      throw fault(
        'PARAMETER_TYPE',
        'Values',
        coded`EACH_RECORD_NEEDS_TIMESTAMP: each record needs a TimeStamp, which is a number, and a Value`,
      );
    if (typeof isTrusted !== 'boolean')
      throw fault('PARAMETER_TYPE', 'Values', coded`CLOCKTRUSTED_TRUE_FALSE: ClockTrusted is true or false`);
    const atMs = Math.round(at * 1000);
    if (!(atMs > 0 && atMs <= Math.min(limitMs, LAST_MS))) throw fault('PARAMETER_BOUNDS', 'TimeStamp');
    values.push({ atMs, value: convertValue(data.type, value), isTrusted });
    if (values.length % BATCH_SIZE === 0) await yieldToEventLoop();
  }
  return values;
}

/** The year 2100; a later time is probably in milliseconds. */
const LAST_MS = 4_102_444_800_000;
