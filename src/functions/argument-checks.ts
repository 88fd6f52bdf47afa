import { coded } from '../base/codes/coded-text.js';
import { fault } from '../base/fault.js';
import { LOCAL_USER, TOKEN_USER, type Caller } from '../device/declare.js';
import type { Kernel } from '../kernel/kernel.js';
import type { ObjectType, TreeObject } from '../kernel/object.js';

/**
 * The items of an array parameter. Throws `PARAMETER_TYPE` for an object, `PARAMETER_BOUNDS` for more than
 * `limit` items.
 */
export function checkedList(
  items: unknown[] | Record<string, unknown>,
  name: string,
  limit = LIST_LIMIT,
): readonly unknown[] {
  if (!Array.isArray(items)) throw fault('PARAMETER_TYPE', name, coded`EXPECTED_LIST: expected a list`);
  if (items.length > limit) throw fault('PARAMETER_BOUNDS', name);
  return items;
}

/**
 * Throws `NOT_ALLOWED` unless the owner has signed in with the password: scripts, temporary tokens and local
 * clients without credentials must not get lasting access, nor see passwords.
 */
export function requirePassword({ user, remote }: Caller, what: string): void {
  if (remote === 'local' || user === TOKEN_USER || user === LOCAL_USER)
    throw fault('NOT_ALLOWED', coded`WHAT_WITHOUT_OWNER_PASSWORD: ${what} without the owner's password`);
}

/** Throws `PARAMETER_BOUNDS` for a number outside the two bounds, which are inclusive. */
export function checkBounds(
  name: string,
  value: number,
  [minimum, maximum]: readonly [number, number],
): void {
  if (value < minimum || value > maximum) throw fault('PARAMETER_BOUNDS', name);
}

/**
 * The members of an object parameter. Some languages send an empty object as an empty list. Throws
 * `PARAMETER_TYPE`.
 */
export function checkedMap(
  given: unknown[] | Record<string, unknown>,
  name: string,
): Readonly<Record<string, unknown>> {
  if (!Array.isArray(given)) return given;
  if (given.length > 0) throw fault('PARAMETER_TYPE', name, coded`EXPECTED_OBJECT: expected an object`);
  return {};
}

/** More items than one reply should contain. */
const LIST_LIMIT = 50_000;

/** The ids of an array parameter. */
export function checkedIds(items: unknown[] | Record<string, unknown>, name: string): readonly number[] {
  const ids = checkedList(items, name);
  if (!ids.every((id) => Number.isSafeInteger(id)))
    throw fault('PARAMETER_TYPE', name, coded`EXPECTED_LIST_IDS: expected a list of IDs`);
  return ids as readonly number[];
}

/** The strings of an array parameter. */
export function checkedTexts(items: unknown[] | Record<string, unknown>, name: string): readonly string[] {
  const texts = checkedList(items, name);
  if (!texts.every((text) => typeof text === 'string'))
    throw fault('PARAMETER_TYPE', name, coded`EXPECTED_LIST_STRINGS: expected a list of strings`);
  return texts;
}

/** The ids of all objects of a type. */
export function idsOfType(kernel: Kernel, type: ObjectType): number[] {
  const ids: number[] = [];
  for (const { id } of kernel.tree.objectsOfType(type)) ids.push(id);
  return ids;
}

/** The oldest child with that type and name. Throws `OBJECT_MISSING`, `NAME_NOT_FOUND`. */
export function childByName(
  kernel: Kernel,
  [parentId, name]: readonly [number, string],
  type?: ObjectType,
): TreeObject {
  for (const child of kernel.tree.get(parentId).children?.byName(name) ?? [])
    if (type === undefined || child.type === type) return child;
  throw fault('NAME_NOT_FOUND', name);
}

/** The core module whose instance `UC_*` functions take as their first parameter. */
export const UTILITY = 'Utility Control';

/** Checks that an id is an instance of a module. Throws `NOT_OF_TYPE`, `WRONG_MODULE`. */
export function checkModule(kernel: Kernel, id: number, name: string): void {
  if (kernel.instances.get(id).data.moduleName !== name) throw fault('WRONG_MODULE', id, name);
}

/** Whether an object with this id exists and has this type; any number is allowed. */
export function isOfType(kernel: Kernel, id: number, type: ObjectType): boolean {
  return kernel.tree.find(id)?.type === type;
}
