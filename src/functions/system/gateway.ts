import { coded } from '../../base/codes/coded-text.js';
import { fault } from '../../base/fault.js';
import { auditRoles, type AuditRecord } from '../../kernel/audit-record.js';
import { array, bool, declare, int, optional, text, type FunctionDeclaration } from '../../device/declare.js';
import { checkedIds } from '../argument-checks.js';
import { subtreesOf } from '../deletion/delete-objects.js';
import { Areas } from '../web-front/areas.js';
import type { Ports } from '../ports.js';
import * as shapes from '../shapes.js';

/** The number of records that are kept per role. */
const AUDIT_LIMIT = 10_000;
const AUDIT_DEFAULT = 100;

/** Extensions of the interface (interface, decision 12). */
export function gatewayFunctions(ports: Ports): FunctionDeclaration[] {
  return [subscribe(ports), ...process(ports)];
}

function subscribe(ports: Ports): FunctionDeclaration {
  const areas = new Areas(ports);
  return declare({
    name: 'GW_Subscribe',
    parameters: [array('IDs', shapes.ids), optional(array('Messages', shapes.ids))],
    result: 'boolean',
    access: 'socket',
    help: 'Limits the changes on this WebSocket to some objects with their subtrees, and to some messages; []: all.',
    run: ({ stream, configurator }, ids, messages) => {
      if (stream === undefined)
        throw fault('NOT_ALLOWED', coded`WHAT_SUBSCRIBE_WITHOUT_SOCKET: GW_Subscribe without a WebSocket`);
      const objects = checkedIds(ids, 'IDs');
      const numbers = checkedIds(messages ?? [], 'Messages');
      if (configurator === undefined) stream.subscribe(objects, numbers);
      else {
        const area = areas.of(configurator);
        const outside = objects.find((id) => id !== configurator && !area.contains(id));
        if (outside !== undefined) throw fault('OBJECT_MISSING', outside);
        // Messages to the fronts, and those of profiles, whose sender is 0, concern every part of the area.
        stream.subscribe(objects, numbers, [configurator, 0]);
      }
      return true;
    },
  });
}

function process({ kernel, system, deletions }: Ports): FunctionDeclaration[] {
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
      help: 'The health of the gateway: named checks, each with its state, since when, and the remedy.',
      run: () => system.health(),
    }),
    declare({
      name: 'GW_RunDoctor',
      parameters: [],
      result: 'array',
      shape: shapes.doctor,
      help: 'Checks the configuration file, the machine and the gateway now, as stellwerk doctor does. Touches no device.',
      run: () => system.doctor(),
    }),
    declare({
      name: 'GW_GetAudit',
      parameters: [optional(int('Limit')), optional(text('Role'))],
      result: 'array',
      shape: shapes.audit,
      help: 'Who switched or changed what, from where and when, newest first; 100 records by default, 10,000 at most. Role: only those of owner, inside (scripts, events, devices), webfront or unverified (wrong passwords: Method is sign-in, its parameter what was tried, Count how often), each of which has its own 10,000.',
      run: async (_caller, limit = AUDIT_DEFAULT, role = '') => {
        if (limit < 1 || limit > AUDIT_LIMIT) throw fault('PARAMETER_BOUNDS', 'Limit');
        const knownRole = auditRoles.find((one) => one === role);
        if (role !== '' && knownRole === undefined) throw fault('PARAMETER_BOUNDS', 'Role');
        return (await system.audit(limit, knownRole)).map(auditRecord);
      },
    }),
    declare({
      name: 'GW_GetAuditLines',
      parameters: [text('Role'), optional(int('Limit'))],
      result: 'array',
      shape: shapes.auditLines,
      help: 'The newest records of the audit of a role (as in GW_GetAudit), oldest first: lines of JSON, 10,000 by default. seq counts them; prev is the SHA-256 of the line before as base64url, so that a changed or removed line is noticed (stellwerk audit verify).',
      run: (_caller, role, limit = AUDIT_LIMIT) => {
        if (limit < 1 || limit > AUDIT_LIMIT) throw fault('PARAMETER_BOUNDS', 'Limit');
        const knownRole = auditRoles.find((one) => one === role);
        if (knownRole === undefined) throw fault('PARAMETER_BOUNDS', 'Role');
        return system.auditLines(limit, knownRole);
      },
    }),
    declare({
      name: 'GW_Prune',
      parameters: [bool('Remove')],
      result: 'array',
      shape: shapes.orphans,
      audited: true,
      help: 'The objects that were removed from gateway.yaml and still exist; with Remove, they are deleted.',
      run: async (caller, remove) => {
        if (!remove) return system.prune(false);
        const found = (await system.prune(false)).map(({ ObjectID }) => ObjectID);
        const present = found.filter((id) => kernel.tree.find(id) !== undefined);
        const deleted = { objects: subtreesOf(kernel, present), withFiles: false };
        return deletions.during(caller, deleted, () => system.prune(true));
      },
    }),
    declare({
      name: 'GW_ReloadConfiguration',
      parameters: [],
      result: 'array',
      shape: shapes.reload,
      audited: true,
      help: 'Reloads the configuration, applies what can change at run time, and reports what needs a restart.',
      run: () => system.reload(),
    }),
  ];
}

function auditRecord(record: AuditRecord) {
  const { role = 'owner', at, user, remote, device, method, params, ok, code, count } = record;
  return {
    TimeStamp: at,
    Role: role,
    User: user,
    Remote: remote,
    ...(device === undefined ? {} : { Device: device }),
    Method: method,
    Parameters: params,
    Success: ok,
    ...(code === undefined ? {} : { Error: code }),
    ...(count === undefined ? {} : { Count: count }),
  };
}
