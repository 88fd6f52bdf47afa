import { initialValue, isOfType } from '../kernel/convert.js';
import { instanceStatus } from '../kernel/instances.js';
import { eventData } from '../kernel/events/event-data.js';
import type { ObjectWithValue } from '../kernel/journal.js';
import type { Kernel } from '../kernel/kernel.js';
import {
  attributeNames,
  objectType,
  type Attributes,
  type DataOf,
  type ObjectType,
  type TreeObject,
} from '../kernel/object.js';
import { variableData } from '../kernel/variables.js';
import { variableType, type Value } from '../kernel/value.js';
import type { ObjectRow, ValueRow } from './worker-protocol.js';

/** An {@link ObjectRow} as the worker returns it: parsed, with the last value if there is one. */
export type LoadedRow = readonly [
  id: number,
  type: number,
  parent: number,
  attributes: Partial<Attributes>,
  data: Record<string, unknown>,
  value?: number | string,
  updated?: number,
  changed?: number,
];

/** The stored configuration of an object, without defaults. */
export function rowOf(object: TreeObject): ObjectRow {
  const attributes: Record<string, unknown> = {};
  for (const name of attributeNames) {
    const value = object[name];
    if (value !== '' && value !== 0 && value !== false) attributes[name] = value;
  }
  return [
    object.id,
    object.type,
    object.parentId,
    JSON.stringify(attributes),
    JSON.stringify(storedData(object)),
  ];
}

/**
 * The stored value of a variable; `updated` is negative if the clock was not trusted at that time. For an
 * event: its last action and the time of its last run.
 */
export function valueRowOf(object: ObjectWithValue): ValueRow {
  if (object.is(objectType.event)) return [object.id, object.data.lastActionId, object.data.lastRun, 0];
  const { id, data } = object;
  const { value, updated, changed, isTimeUncertain: untimed } = data;
  return [id, typeof value === 'boolean' ? Number(value) : value, untimed ? -updated : updated, changed];
}

/**
 * The stored data of an object. Leaves out the status of an instance and the next run of an event, which
 * every start determines, and values of variables and last runs of events, which are in another table.
 */
function storedData(object: TreeObject): object {
  if (object.is(objectType.instance)) {
    const { status: _status, ...data } = object.data;
    return data;
  }
  if (object.is(objectType.variable)) {
    const { type, profile, customProfile, action, customAction, logging, residents, role } = object.data;
    return {
      type,
      ...(profile !== '' && { profile }),
      ...(customProfile !== '' && { customProfile }),
      ...(action !== 0 && { action }),
      ...(customAction !== 0 && { customAction }),
      ...(logging && { logging }),
      ...(residents && { residents }),
      ...(role !== 'main' && { role }),
    };
  }
  if (object.is(objectType.event)) {
    const { lastRun: _run, nextRun: _next, lastActionId: _action, ...data } = object.data;
    return data;
  }
  return object.data;
}

/** Adds a stored object to the tree below `parent`. Throws if the row is invalid. */
export function loadRow(kernel: Kernel, row: LoadedRow, parent: TreeObject): TreeObject {
  const [id, type, , attributes] = row;
  const initial = { ...attributes, id, parent };
  // The row's data was written by `rowOf` for this type.
  const data = (type === objectType.variable ? variableDataOf(row) : dataOf(row)) as DataOf[ObjectType];
  const object = kernel.tree.load(type as ObjectType, data, initial);
  if (object.is(objectType.variable)) kernel.variables.noteLogging(object);
  return object;
}

function dataOf([, type, , , data, value, updated = 0]: LoadedRow): object {
  if (type === objectType.event) {
    const lastActionId = typeof value === 'number' ? value : 0;
    return { ...eventData(Number(data['type'])), ...data, lastRun: updated, lastActionId };
  }
  return type === objectType.instance ? { ...data, status: instanceStatus.creating } : data;
}

function variableDataOf([, , , , data, value, updated = 0, changed = 0]: LoadedRow): object {
  const type = data['type'] as 0 | 1 | 2 | 3;
  const known: Value | undefined =
    type === variableType.boolean && typeof value === 'number' ? value !== 0 : value;
  const usable = known !== undefined && isOfType(type, known);
  const restored = Object.assign(variableData(type, usable ? known : initialValue(type)), data);
  if (!usable) return restored;
  if (updated < 0) restored.isTimeUncertain = true;
  return Object.assign(restored, { updated: Math.abs(updated), changed });
}
