import { fault } from '../base/fault.js';
import type { Kernel } from '../kernel/kernel.js';
import type { ObjectType, TreeObject } from '../kernel/object.js';

/** The items of an array parameter; a map of names is no list. Throws `PARAMETER_TYPE`, beyond `limit` `PARAMETER_BOUNDS`. */
export function checkedList(
  items: unknown[] | Record<string, unknown>,
  name: string,
  limit = LIST_LIMIT,
): readonly unknown[] {
  if (!Array.isArray(items)) throw fault('PARAMETER_TYPE', name, 'it takes a list');
  if (items.length > limit) throw fault('PARAMETER_BOUNDS', name);
  return items;
}

/** Throws `PARAMETER_BOUNDS` for a number that is not within the two, both included. */
export function checkBounds(name: string, value: number, [least, most]: readonly [number, number]): void {
  if (value < least || value > most) throw fault('PARAMETER_BOUNDS', name);
}

/** A map of names; the empty list is what some languages send for an empty map. Throws `PARAMETER_TYPE`. */
export function checkedMap(
  given: unknown[] | Record<string, unknown>,
  name: string,
): Readonly<Record<string, unknown>> {
  if (!Array.isArray(given)) return given;
  if (given.length > 0) throw fault('PARAMETER_TYPE', name, 'it takes an object of names');
  return {};
}

/** More than one answer should hold. */
const LIST_LIMIT = 50_000;

/** The ids of an array parameter. */
export function checkedIds(items: unknown[] | Record<string, unknown>, name: string): readonly number[] {
  const ids = checkedList(items, name);
  if (!ids.every((id) => Number.isSafeInteger(id)))
    throw fault('PARAMETER_TYPE', name, 'it takes a list of IDs');
  return ids as readonly number[];
}

/** The texts of an array parameter. */
export function checkedTexts(items: unknown[] | Record<string, unknown>, name: string): readonly string[] {
  const texts = checkedList(items, name);
  if (!texts.every((text) => typeof text === 'string'))
    throw fault('PARAMETER_TYPE', name, 'it takes a list of texts');
  return texts;
}

/** The ids of all objects of a type. */
export function idsOfType(kernel: Kernel, type: ObjectType): number[] {
  const ids: number[] = [];
  for (const { id } of kernel.tree.objectsOfType(type)) ids.push(id);
  return ids;
}

/** The oldest child of that type and name. Throws `OBJECT_MISSING`, `NAME_NOT_FOUND`. */
export function childByName(
  kernel: Kernel,
  [parentId, name]: readonly [number, string],
  type?: ObjectType,
): TreeObject {
  for (const child of kernel.tree.get(parentId).children?.byName(name) ?? [])
    if (type === undefined || child.type === type) return child;
  throw fault('NAME_NOT_FOUND', name);
}

/** The core module whose instance the functions `UC_*` are called on. */
export const UTILITY = 'Utility Control';

/** For a function that is called on the instance of a core module. Throws `NOT_OF_TYPE`, `WRONG_MODULE`. */
export function checkModule(kernel: Kernel, id: number, name: string): void {
  if (kernel.instances.get(id).data.moduleName !== name) throw fault('WRONG_MODULE', id, name);
}

/** Whether there is such an object of that type; any number may be asked for. */
export function isOfType(kernel: Kernel, id: number, type: ObjectType): boolean {
  return kernel.tree.find(id)?.type === type;
}
