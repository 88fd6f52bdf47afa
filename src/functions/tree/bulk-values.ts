import { coded } from '../../base/codes/coded-text.js';
import { Fault, fault } from '../../base/fault.js';
import { array, declare, type FunctionDeclaration } from '../../device/declare.js';
import { settableValue } from '../../kernel/convert.js';
import { objectType } from '../../kernel/object.js';
import { quality } from '../../kernel/quality.js';
import type { Variable } from '../../kernel/variables.js';
import { checkedIds, checkedList } from '../argument-checks.js';
import type { Ports } from '../ports.js';
import * as shapes from '../shapes.js';
import { ACTION_SENDER, requestAction } from './request-action.js';
import { writableVariable } from './values.js';

/** Maximum number of actions in one call; they are in progress at the same time. */
const ACTIONS_LIMIT = 1000;

/** Values, quality and actions of several variables in one call (interface, decision 12). */
export function bulkValueFunctions(ports: Ports): FunctionDeclaration[] {
  return [
    declare({
      name: 'GW_GetValues',
      parameters: [array('VariableIDs', shapes.ids)],
      result: 'array',
      shape: shapes.valueRecords,
      help: 'Values and times of several variables, in the requested order; a variable that fails has an Error instead.',
      run: (_caller, given) => checkedIds(given, 'VariableIDs').map((id) => valueRecord(ports, id)),
    }),
    declare({
      name: 'GW_GetQuality',
      parameters: [array('VariableIDs', shapes.ids)],
      result: 'array',
      shape: shapes.qualityRecords,
      help: 'Whether values are good (0), stale (1) or bad (2), the reason, the source time and the receive time; []: all values that are not good.',
      run: (_caller, given) => {
        const ids = checkedIds(given, 'VariableIDs');
        return ids.length === 0 ? uncertainRecords(ports) : ids.map((id) => qualityRecord(ports, id));
      },
    }),
    declare({
      name: 'GW_SetValues',
      parameters: [array('Values', shapes.settings)],
      result: 'boolean',
      audited: 'outside',
      help: 'Sets several variables, given as [[VariableID, Value], …]: all of them, or none if one fails.',
      run: (_caller, given) => setValues(ports, pairsOf(checkedList(given, 'Values'), 'Values')),
    }),
    declare({
      name: 'GW_RequestActions',
      parameters: [array('Actions', shapes.actions)],
      result: 'array',
      shape: shapes.outcomes,
      audited: true,
      help: 'RequestAction for several variables at the same time, given as [[VariableID, Value], …]; each has its own outcome.',
      run: (caller, given) => {
        const pairs = pairsOf(checkedList(given, 'Actions', ACTIONS_LIMIT), 'Actions');
        return Promise.all(
          pairs.map(async ([variableId, value]) => {
            try {
              await requestAction(ports, { variableId, value, sender: ACTION_SENDER, caller });
              return { VariableID: variableId, Success: true };
            } catch (thrown) {
              return { VariableID: variableId, Success: false, Error: errorOf(thrown) };
            }
          }),
        );
      },
    }),
  ];
}

function setValues(ports: Ports, pairs: readonly (readonly [number, unknown])[]): boolean {
  const writes = pairs.map(([id, value]) => {
    const variable = writableVariable(ports, id);
    return [variable, settableValue(variable.data.type, value)] as const;
  });
  const nowMs = ports.clock.nowMs();
  for (const [variable, value] of writes) ports.kernel.variables.update(variable, value, nowMs);
  return true;
}

function valueRecord({ kernel }: Ports, id: number) {
  const variable = kernel.tree.find(id);
  if (!variable?.is(objectType.variable)) return noVariable(id);
  const { value, updated, changed } = variable.data;
  return { VariableID: id, Value: value, VariableUpdated: updated, VariableChanged: changed };
}

function uncertainRecords({ kernel }: Ports) {
  const records = [];
  for (const variable of kernel.tree.objectsOfType(objectType.variable))
    if (variable.data.qualityProblem !== undefined) records.push(qualityOf(variable));
  return records;
}

function qualityRecord({ kernel }: Ports, id: number) {
  const variable = kernel.tree.find(id);
  return variable?.is(objectType.variable) ? qualityOf(variable) : noVariable(id);
}

function qualityOf({
  id,
  data: { qualityProblem: problem, reportTimes: times, updated, isTimeUncertain: isUncertain = false },
}: Variable) {
  return {
    VariableID: id,
    Quality: problem?.state ?? quality.good,
    Reason: problem?.reason ?? '',
    Text: problem?.text ?? '',
    SourceTime: times === undefined ? updated : Math.round(times.sourceMs) / 1000,
    ReceiveTime: times === undefined ? updated : times.receivedMs / 1000,
    ClockTrusted: !isUncertain,
  };
}

const noVariable = (id: number) => ({
  VariableID: id,
  Error: errorOf(fault('NOT_OF_TYPE', 'Variable', id)),
});

/** The error of one item of a call that continues. Rethrows anything that is not a fault. */
function errorOf(thrown: unknown) {
  if (!(thrown instanceof Fault)) throw thrown;
  return { code: thrown.code, message: thrown.message };
}

function pairsOf(items: readonly unknown[], name: string): readonly (readonly [number, unknown])[] {
  for (const item of items)
    if (!Array.isArray(item) || item.length !== 2 || !Number.isSafeInteger(item[0]))
      throw fault(
        'PARAMETER_TYPE',
        name,
        coded`EXPECTED_LIST_VARIABLEID_VALUE: expected a list of [VariableID, Value]`,
      );
  return items as readonly (readonly [number, unknown])[];
}
