import { Fault, fault } from '../../base/fault.js';
import { auditRoles, type AuditRecord } from '../../kernel/audit-record.js';
import { array, bool, declare, int, optional, text, type FunctionDeclaration } from '../../device/declare.js';
import { settableValue } from '../../kernel/convert.js';
import { objectType } from '../../kernel/object.js';
import { quality } from '../../kernel/quality.js';
import type { Variable } from '../../kernel/variables.js';
import { ACTION_SENDER, requestAction } from '../tree/request-action.js';
import { checkedIds, checkedList } from '../argument-checks.js';
import type { Ports } from '../ports.js';
import * as shapes from '../shapes.js';
import { writableVariable } from '../tree/values.js';

/** How many actions one call may ask for: more than any house has lamps, and few enough to be under way at once. */
const ACTIONS_LIMIT = 1000;
/** As many as are kept. */
const AUDIT_LIMIT = 10_000;
const AUDIT_STANDARD = 100;

/** Our own extensions (decision 12). */
export function gatewayFunctions(ports: Ports): FunctionDeclaration[] {
  return [...many(ports), subscribe(), ...process(ports)];
}

function many(ports: Ports): FunctionDeclaration[] {
  return [
    declare({
      name: 'GW_GetValues',
      parameters: [array('VariableIDs', shapes.ids)],
      result: 'array',
      shape: shapes.valueRecords,
      help: 'Values and times of many variables, in the order asked for; one that fails has an Error instead.',
      run: (_caller, given) => checkedIds(given, 'VariableIDs').map((id) => valueRecord(ports, id)),
    }),
    declare({
      name: 'GW_GetQuality',
      parameters: [array('VariableIDs', shapes.ids)],
      result: 'array',
      shape: shapes.qualityRecords,
      help: 'Whether values are good (0), stale (1) or bad (2), why, when they were so and when they came; []: all that are not good.',
      run: (_caller, given) => {
        const ids = checkedIds(given, 'VariableIDs');
        return ids.length === 0 ? doubtful(ports) : ids.map((id) => qualityRecord(ports, id));
      },
    }),
    declare({
      name: 'GW_SetValues',
      parameters: [array('Values', shapes.settings)],
      result: 'boolean',
      audited: 'outside',
      help: 'Sets many variables at once, given as [[VariableID, Value], …]: all of them, or none when one fails.',
      run: (_caller, given) => setValues(ports, pairsOf(checkedList(given, 'Values'), 'Values')),
    }),
    declare({
      name: 'GW_RequestActions',
      parameters: [array('Actions', shapes.actions)],
      result: 'array',
      shape: shapes.outcomes,
      audited: true,
      help: 'RequestAction for many variables at the same time, given as [[VariableID, Value], …]; each has its own outcome.',
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

function doubtful({ kernel }: Ports) {
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
  data: { qualityProblem: doubt, reportTimes: heard, updated, isTimeUncertain: untimed = false },
}: Variable) {
  return {
    VariableID: id,
    Quality: doubt?.state ?? quality.good,
    Reason: doubt?.reason ?? '',
    Text: doubt?.text ?? '',
    SourceTime: heard === undefined ? updated : Math.round(heard.sourceMs) / 1000,
    ReceiveTime: heard === undefined ? updated : heard.receivedMs / 1000,
    ClockTrusted: !untimed,
  };
}

const noVariable = (id: number) => ({
  VariableID: id,
  Error: errorOf(fault('NOT_OF_TYPE', 'Variable', id)),
});

/** A failure within a call that goes on. Throws what is not ours to show. */
function errorOf(thrown: unknown) {
  if (!(thrown instanceof Fault)) throw thrown;
  return { code: thrown.code, message: thrown.message };
}

function pairsOf(items: readonly unknown[], name: string): readonly (readonly [number, unknown])[] {
  for (const item of items)
    if (!Array.isArray(item) || item.length !== 2 || !Number.isSafeInteger(item[0]))
      throw fault('PARAMETER_TYPE', name, 'it takes a list of [VariableID, Value]');
  return items as readonly (readonly [number, unknown])[];
}

function subscribe(): FunctionDeclaration {
  return declare({
    name: 'GW_Subscribe',
    parameters: [array('IDs', shapes.ids), optional(array('Messages', shapes.ids))],
    result: 'boolean',
    help: 'Narrows the changes on this socket to some objects with all below them, and to some messages; []: all.',
    run: ({ stream }, ids, messages) => {
      if (stream === undefined) throw fault('NOT_ALLOWED', 'GW_Subscribe without a WebSocket');
      stream.subscribe(
        checkedIds(ids, 'IDs'),
        messages === undefined ? [] : checkedIds(messages, 'Messages'),
      );
      return true;
    },
  });
}

function process({ system }: Ports): FunctionDeclaration[] {
  return [
    declare({
      name: 'GW_GetVersion',
      parameters: [],
      result: 'string',
      help: 'The version of the gateway, as `stellwerk --version` prints it.',
      run: () => system.revision,
    }),
    declare({
      name: 'GW_GetHealth',
      parameters: [],
      result: 'array',
      shape: shapes.health,
      help: 'How the gateway is: named checks, each with its state, since when, and what to do.',
      run: () => system.health(),
    }),
    declare({
      name: 'GW_GetAudit',
      parameters: [optional(int('Limit')), optional(text('Role'))],
      result: 'array',
      shape: shapes.audit,
      help: 'Who switched or changed what, from where and when, newest first; 100 entries by default, 10,000 at most. Role: only those of owner, inside (scripts, events, devices) or webfront, each of which has its own 10,000.',
      run: async (_caller, limit = AUDIT_STANDARD, role = '') => {
        if (limit < 1 || limit > AUDIT_LIMIT) throw fault('PARAMETER_BOUNDS', 'Limit');
        const meant = auditRoles.find((one) => one === role);
        if (role !== '' && meant === undefined) throw fault('PARAMETER_BOUNDS', 'Role');
        return (await system.audit(limit, meant)).map(auditRecord);
      },
    }),
    declare({
      name: 'GW_Prune',
      parameters: [bool('Remove')],
      result: 'array',
      shape: shapes.orphans,
      audited: true,
      help: 'The objects that were removed from gateway.yaml and still exist; with Remove they are deleted.',
      run: (_caller, remove) => system.prune(remove),
    }),
    declare({
      name: 'GW_ReloadConfiguration',
      parameters: [],
      result: 'array',
      shape: shapes.reload,
      audited: true,
      help: 'Reads the configuration again, applies what can change now, and says what needs a restart.',
      run: () => system.reload(),
    }),
  ];
}

function auditRecord({ role = 'owner', at, user, remote, method, params, ok, code, count }: AuditRecord) {
  return {
    TimeStamp: at,
    Role: role,
    User: user,
    Remote: remote,
    Method: method,
    Parameters: params,
    Success: ok,
    ...(code === undefined ? {} : { Error: code }),
    ...(count === undefined ? {} : { Count: count }),
  };
}
