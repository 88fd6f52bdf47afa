import { fault } from '../../base/fault.js';
import { yieldToEventLoop } from '../../base/serial-queue.js';
import { array, bool, declare, float, int, type FunctionDeclaration } from '../../device/declare.js';
import type { NewRecord } from '../../archive/port.js';
import { settableValue } from '../../kernel/convert.js';
import type { Logging } from '../../kernel/object.js';
import type { Variable } from '../../kernel/variables.js';
import { checkedList } from '../argument-checks.js';
import { aggregationSpans, aggregationTypes, compactionTypes } from '../enumerations.js';
import type { Ports } from '../ports.js';
import * as shapes from './archive-shapes.js';

/** The module whose one instance stands for the archive (interface §1). */
const ARCHIVE = '{43192F0B-135B-4CE7-A0A7-1475603F3060}';
/** Records of one call: what the body of a call can hold. */
const MOST_ADDED = 50_000;
/** Records that are looked at in one go. */
const SLICE = 2_000;

/** A hundred years. */
const MOST_MONTHS = 1200;

const InstanceID = int('InstanceID');
const VariableID = int('VariableID');

/** Recording values, and what becomes of them (interface §1, §9 "Archive control"). */
export function archiveFunctions(ports: Ports): FunctionDeclaration[] {
  const all = [
    ...reading(ports),
    ...writing(ports),
    ...settings(ports),
    ...changes(ports),
    ...compaction(ports),
  ];
  return [...all.map((declared) => ofArchive(ports, declared)), records(ports)];
}

/** Our own: what people read is whole seconds, newest first, and says nothing of the clock. */
function records({ kernel, archive }: Ports): FunctionDeclaration {
  return declare({
    name: 'GW_GetRecords',
    parameters: [VariableID, float('StartTime'), float('EndTime'), int('Limit')],
    result: 'array',
    shape: shapes.records,
    help: 'Records of a variable to the millisecond, oldest first, at most 10,000, and whether there are more; 0 is the beginning, and the end.',
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

/** Each takes the archive first, which must be one before anything else is looked at. */
function ofArchive(ports: Ports, { run, ...declared }: FunctionDeclaration): FunctionDeclaration {
  return {
    ...declared,
    run: (caller, ...args) => {
      checkArchiveInstance(ports, args[0] as unknown as number);
      return run(caller, ...args);
    },
  };
}

function reading(ports: Ports): FunctionDeclaration[] {
  const range = [int('StartTime'), int('EndTime'), int('Limit')] as const;
  return [
    declare({
      name: 'AC_GetLoggedValues',
      parameters: [InstanceID, VariableID, ...range],
      result: 'array',
      shape: shapes.loggedValues,
      help: 'Records of a variable between two times, newest first, at most 10,000; 0 is the beginning, and now.',
      run: (_caller, _archive, id, startS, endS, limit) =>
        readLoggedValues(ports, id, { startS, endS, limit }),
    }),
    declare({
      name: 'AC_GetAggregatedValues',
      parameters: [InstanceID, VariableID, int('AggregationSpan', aggregationSpans), ...range],
      result: 'array',
      shape: shapes.aggregatedValues,
      help: 'What the records of a variable come to in pieces of time that lie wholly between two times, newest first.',
      run: (_caller, _archive, id, span, startS, endS, limit) =>
        readAggregatedValues(ports, id, { span, startS, endS, limit }),
    }),
    declare({
      name: 'AC_GetAggregationVariables',
      parameters: [InstanceID, bool('CalculateStatistics')],
      result: 'array',
      shape: shapes.aggregationVariables,
      help: 'The variables that have records or are logged, also those that are gone; on request with what is stored.',
      run: async (_caller, _archive, calculate) => aggregationVariables(ports, calculate),
    }),
  ];
}

/** The records of a variable as `AC_GetLoggedValues` gives them. */
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

/** The records of a variable as `AC_GetAggregatedValues` gives them. */
export async function readAggregatedValues(
  { archive, kernel }: Ports,
  id: number,
  { span, ...range }: { span: number; startS: number; endS: number; limit: number },
) {
  kernel.variables.get(id);
  const known = span as 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7;
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
  const nothing = { firstMs: 0, lastMs: 0, count: 0, bytes: 0 };
  return [...new Set([...logged, ...recorded])].map((id) => {
    const { firstMs, lastMs, count, bytes } = stored.get(id) ?? nothing;
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

function writing(ports: Ports): FunctionDeclaration[] {
  return [
    declare({
      name: 'AC_AddLoggedValues',
      parameters: [InstanceID, VariableID, array('Values', shapes.addedValues)],
      result: 'boolean',
      audited: true,
      auditParameters: (archiveId, id, given) => [archiveId, id, `(${Object.keys(given).length} records)`],
      help: 'Adds records to a logged variable, of any time up to now; one of the same time as another takes its place.',
      run: async (_caller, _archive, id, given) => {
        const variable = ports.kernel.variables.get(id);
        if (!loggingOf(variable).active) throw fault('NOT_LOGGED', id);
        const values = await addedValues(ports, variable, checkedList(given, 'Values', MOST_ADDED));
        await (await ports.archive()).add(id, values);
        return true;
      },
    }),
    declare({
      name: 'AC_DeleteVariableData',
      parameters: [InstanceID, VariableID, int('StartTime'), int('EndTime')],
      result: 'integer',
      audited: true,
      help: 'Deletes the records of a variable between two times and gives how many; with 0 and 0 all, and it is logged no more.',
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
      help: 'Makes the records of a variable, which may be gone, those of another one.',
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
      help: 'Reads all records of a variable and makes anew what its aggregations are made of.',
      run: async (_caller, _archive, id) => {
        ports.kernel.variables.get(id);
        await (await ports.archive()).reaggregate(id);
        return true;
      },
    }),
  ];
}

function settings(ports: Ports): FunctionDeclaration[] {
  const get = (what: string, help: string, of: (logging: Logging) => boolean) =>
    declare({
      name: `AC_Get${what}`,
      parameters: [InstanceID, VariableID],
      result: 'boolean',
      help,
      run: (_caller, _archive, id) => of(loggingOf(ports.kernel.variables.get(id))),
    });
  return [
    get('LoggingStatus', 'Whether the values of a variable are recorded.', ({ active }) => active),
    get('GraphStatus', 'Whether a variable is shown in charts.', ({ graph }) => graph),
    get(
      'CounterIgnoreZeros',
      'Whether zeros of a counter are passed over.',
      ({ ignoreZeros }) => ignoreZeros,
    ),
    declare({
      name: 'AC_GetAggregationType',
      parameters: [InstanceID, VariableID],
      result: 'integer',
      help: 'How a variable is aggregated: 0 as a gauge, 1 as a counter.',
      run: (_caller, _archive, id) => Number(loggingOf(ports.kernel.variables.get(id)).counter),
    }),
  ];
}

function changes(ports: Ports): FunctionDeclaration[] {
  const set = (id: number, change: Partial<Logging>) => {
    changeLogging(ports, ports.kernel.variables.get(id), change);
    return true;
  };
  return [
    declare({
      name: 'AC_SetLoggingStatus',
      parameters: [InstanceID, VariableID, bool('Active')],
      result: 'boolean',
      audited: true,
      help: 'Records the values of a variable from now on, or no more; what is recorded stays.',
      run: async (_caller, _archive, id, active) => {
        const variable = ports.kernel.variables.get(id);
        if (loggingOf(variable).active === active) return true;
        const archive = await ports.archive();
        changeLogging(ports, ports.kernel.variables.get(id), { active });
        if (active) archive.recordPresent(id);
        return true;
      },
    }),
    declare({
      name: 'AC_SetAggregationType',
      parameters: [InstanceID, VariableID, int('AggregationType', aggregationTypes)],
      result: 'boolean',
      audited: true,
      help: 'Has a variable be aggregated as a gauge (0: average over time) or as a counter (1: what it rises by).',
      run: (_caller, _archive, id, type) => set(id, { counter: type === 1 }),
    }),
    declare({
      name: 'AC_SetGraphStatus',
      parameters: [InstanceID, VariableID, bool('Active')],
      result: 'boolean',
      audited: true,
      help: 'Shows a variable in charts, or not.',
      run: (_caller, _archive, id, graph) => set(id, { graph }),
    }),
    declare({
      name: 'AC_SetCounterIgnoreZeros',
      parameters: [InstanceID, VariableID, bool('IgnoreZeros')],
      result: 'boolean',
      audited: true,
      help: 'Passes over zeros of a counter when it is aggregated: some devices report 0 while they start.',
      run: (_caller, _archive, id, ignoreZeros) => set(id, { ignoreZeros }),
    }),
  ];
}

function compaction(ports: Ports): FunctionDeclaration[] {
  return [
    declare({
      name: 'AC_GetCompaction',
      parameters: [InstanceID, VariableID],
      result: 'array',
      shape: shapes.compactions,
      help: 'From which ages on the records of a variable are thinned, and to what.',
      run: (_caller, _archive, id) => {
        const rules = loggingOf(ports.kernel.variables.get(id)).compaction;
        return rules.map(({ months, kind }) => ({ MonthOffset: months, CompactionType: kind }));
      },
    }),
    declare({
      name: 'AC_SetCompaction',
      parameters: [InstanceID, VariableID, int('MonthOffset'), int('CompactionType', compactionTypes)],
      result: 'boolean',
      audited: true,
      help: 'Has records of a variable that are older than so many months be thinned to one a piece of time, or deleted; 0 ends that.',
      run: (_caller, _archive, id, months, kind) => {
        const variable = ports.kernel.variables.get(id);
        if (months < 0 || months > MOST_MONTHS) throw fault('PARAMETER_BOUNDS', 'MonthOffset');
        const others = loggingOf(variable).compaction.filter((rule) => rule.months !== months);
        const rules = kind === 0 ? others : [...others, { months, kind }];
        changeLogging(ports, variable, { compaction: rules.sort((a, b) => a.months - b.months) });
        return true;
      },
    }),
  ];
}

/** What is true of a variable of which nobody ever said anything. */
const STANDARD: Logging = { active: false, counter: false, ignoreZeros: false, graph: true, compaction: [] };

function loggingOf(object: ReturnType<Ports['kernel']['tree']['find']>): Logging {
  return (object?.type === 2 ? (object as Variable).data.logging : undefined) ?? STANDARD;
}

/** Changes what is kept of a variable's values; an equal setting changes nothing. */
export function changeLogging({ kernel }: Ports, variable: Variable, change: Partial<Logging>): void {
  const before = loggingOf(variable);
  const keys = Object.keys(change) as (keyof Logging)[];
  if (keys.every((key) => before[key] === change[key])) return;
  kernel.variables.setLogging(variable, { ...before, ...change });
}

/** Throws `NOT_OF_TYPE`, `WRONG_MODULE`. */
export function checkArchiveInstance({ kernel }: Ports, instanceId: number): void {
  const { moduleId } = kernel.instances.get(instanceId).data;
  if (moduleId !== ARCHIVE) throw fault('WRONG_MODULE', instanceId, 'Archive Control');
}

/** The variable, or undefined where it is gone and has left records. Throws `NOT_OF_TYPE`. */
async function variableOrRecords({ kernel, archive }: Ports, id: number): Promise<Variable | undefined> {
  const object = kernel.tree.find(id);
  if (object === undefined && (await (await archive()).recordedVariables()).includes(id)) return undefined;
  return kernel.variables.get(id);
}

/** Records as they were given, checked one by one. Throws `PARAMETER_TYPE`, `PARAMETER_BOUNDS`, `CANNOT_CONVERT`. */
async function addedValues(
  { clock }: Ports,
  { data }: Variable,
  given: readonly unknown[],
): Promise<NewRecord[]> {
  const values: NewRecord[] = [];
  // What lies ahead would never end; by an untrusted clock nobody knows what does.
  const mostMs = clock.isTrusted() ? clock.nowMs() : Infinity;
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
        'each record takes a TimeStamp, which is a number, and a Value',
      );
    if (typeof isTrusted !== 'boolean')
      throw fault('PARAMETER_TYPE', 'Values', 'ClockTrusted is true or false');
    const atMs = Math.round(at * 1000);
    if (!(atMs > 0 && atMs <= Math.min(mostMs, LAST_MS))) throw fault('PARAMETER_BOUNDS', 'TimeStamp');
    values.push({ atMs, value: settableValue(data.type, value), isTrusted });
    if (values.length % SLICE === 0) await yieldToEventLoop();
  }
  return values;
}

/** The year 2100: a time beyond it is in milliseconds, or wrong. */
const LAST_MS = 4_102_444_800_000;
