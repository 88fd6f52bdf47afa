import { initialValue, isOfType } from '../kernel/convert.js';
import { instanceStatus } from '../kernel/attachments.js';
import type { Kernel } from '../kernel/kernel.js';
import {
  objectType,
  type Attributes,
  type DataOf,
  type ObjectType,
  type TreeObject,
} from '../kernel/object.js';
import { variableData, type Variable } from '../kernel/variables.js';
import { variableType, type Value } from '../kernel/value.js';
import type { ObjectRow, ValueRow } from './messages.js';

/** An object as the worker hands it out: as {@link ObjectRow}, parsed, with its last value where it has one. */
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

const attributeNames = [
  'name',
  'ident',
  'position',
  'hidden',
  'disabled',
  'readOnly',
  'icon',
  'info',
  'summary',
] as const;

/** What is stored of an object's configuration; defaults are left out. */
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
    JSON.stringify(stored(object)),
  ];
}

/** A variable's value as it is stored; `updated` is below 0 when it came while the clock was not trusted. */
export function valueRowOf({ id, data: { value, updated, changed, untimed } }: Variable): ValueRow {
  return [id, typeof value === 'boolean' ? Number(value) : value, untimed ? -updated : updated, changed];
}

/** An instance's status is found anew at every start; a variable's value stands in a table of its own. */
function stored(object: TreeObject): object {
  if (object.is(objectType.instance)) {
    const { status: _status, ...data } = object.data;
    return data;
  }
  if (object.is(objectType.variable)) {
    const { type, profile, customProfile, action, customAction } = object.data;
    return {
      type,
      ...(profile !== '' && { profile }),
      ...(customProfile !== '' && { customProfile }),
      ...(action !== 0 && { action }),
      ...(customAction !== 0 && { customAction }),
    };
  }
  return object.data;
}

/** Puts a stored object into the tree below `parent`. Throws on what can't be one. */
export function loadRow(kernel: Kernel, row: LoadedRow, parent: TreeObject): TreeObject {
  const [id, type, , attributes] = row;
  const beginning = { ...attributes, id, parent };
  // The row's data was written by `rowOf` for this very type.
  const data = (type === objectType.variable ? variableDataOf(row) : dataOf(row)) as DataOf[ObjectType];
  return kernel.tree.load(type as ObjectType, data, beginning);
}

function dataOf([, type, , , data]: LoadedRow): object {
  return type === objectType.instance ? { ...data, status: instanceStatus.creating } : data;
}

function variableDataOf([, , , , data, value, updated = 0, changed = 0]: LoadedRow): object {
  const type = data['type'] as 0 | 1 | 2 | 3;
  const known: Value | undefined =
    type === variableType.boolean && typeof value === 'number' ? value !== 0 : value;
  const usable = known !== undefined && isOfType(type, known);
  const restored = Object.assign(variableData(type, usable ? known : initialValue(type)), data);
  if (!usable) return restored;
  if (updated < 0) restored.untimed = true;
  return Object.assign(restored, { updated: Math.abs(updated), changed });
}
