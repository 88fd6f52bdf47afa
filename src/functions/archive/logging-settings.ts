import { fault } from '../../base/fault.js';
import { bool, declare, int, type FunctionDeclaration } from '../../device/declare.js';
import { defaultLogging } from '../../kernel/logging.js';
import type { Logging } from '../../kernel/object.js';
import type { Variable } from '../../kernel/variables.js';
import { aggregationTypes, compactionTypes } from '../enumerations.js';
import type { Ports } from '../ports.js';
import * as shapes from './archive-shapes.js';

/** Maximum age in a compaction rule: a hundred years. */
const MONTHS_LIMIT = 1200;

export const InstanceID = int('InstanceID');
export const VariableID = int('VariableID');

/** What reads and changes whether and how the values of a variable are recorded. */
export function loggingFunctions(ports: Ports): FunctionDeclaration[] {
  return [...settings(ports), ...changes(ports), ...compaction(ports)];
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
      'Whether zeros of a counter are ignored in aggregation.',
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
      help: 'Starts or stops logging of a variable; existing records stay.',
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
      help: 'Sets whether a variable is aggregated as a gauge (0: average over time) or as a counter (1: increase).',
      run: (_caller, _archive, id, type) => set(id, { counter: type === 1 }),
    }),
    declare({
      name: 'AC_SetGraphStatus',
      parameters: [InstanceID, VariableID, bool('Active')],
      result: 'boolean',
      audited: true,
      help: 'Sets whether charts show a variable.',
      run: (_caller, _archive, id, graph) => set(id, { graph }),
    }),
    declare({
      name: 'AC_SetCounterIgnoreZeros',
      parameters: [InstanceID, VariableID, bool('IgnoreZeros')],
      result: 'boolean',
      audited: true,
      help: 'Sets whether zeros of a counter are ignored in aggregation: some devices report 0 while they start.',
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
      help: 'The rules by which old records of a variable are downsampled or deleted.',
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
      help: 'Sets how records of a variable older than a number of months are downsampled, or that they are deleted; type 0 removes the rule.',
      run: (_caller, _archive, id, months, kind) => {
        const variable = ports.kernel.variables.get(id);
        if (months < 0 || months > MONTHS_LIMIT) throw fault('PARAMETER_BOUNDS', 'MonthOffset');
        const others = loggingOf(variable).compaction.filter((rule) => rule.months !== months);
        const rules = kind === 0 ? others : [...others, { months, kind }];
        changeLogging(ports, variable, { compaction: rules.sort((a, b) => a.months - b.months) });
        return true;
      },
    }),
  ];
}

/** The logging settings of a variable; the defaults for other objects. */
export function loggingOf(object: ReturnType<Ports['kernel']['tree']['find']>): Logging {
  if (object?.type !== 2) return defaultLogging({});
  const { data } = object as Variable;
  return data.logging ?? defaultLogging(data);
}

/** Changes the logging settings of a variable; equal settings change nothing. */
function changeLogging({ kernel }: Ports, variable: Variable, change: Partial<Logging>): void {
  const before = loggingOf(variable);
  const keys = Object.keys(change) as (keyof Logging)[];
  if (keys.every((key) => before[key] === change[key])) return;
  kernel.variables.setLogging(variable, { ...before, ...change });
}
