import { coded } from '../../base/codes/coded-text.js';
import { messageOf } from '../../base/fault.js';
import type { Devices } from '../../device/devices.js';
import { moduleKind, type ModuleDefinition } from '../../device/module.js';
import { withProperty } from '../../device/properties.js';
import type { Kernel } from '../../kernel/kernel.js';
import { objectType, type TreeObject } from '../../kernel/object.js';
import type { TreeNode } from '../schema/gateway-schema.js';
import { objectAt } from './event-conversion.js';

/** Whether a key's value differs from the one last applied. */
export type IsNew = (key: string, value: unknown) => boolean;

type InstanceNode = Extract<TreeNode, { kind: 'instance' }>;

interface InstanceTarget {
  readonly kernel: Kernel;
  readonly devices: Devices;
}

/** A core module has one instance, created by the gateway: it moves to where the file lists it. */
export function moveCoreInstance(
  { module, ident }: InstanceNode,
  parent: TreeObject,
  { kernel, devices }: InstanceTarget,
): TreeObject | undefined {
  const { kind, id } = devices.modules.get(module);
  if (kind !== moduleKind.core) return undefined;
  const found = [...kernel.tree.objectsOfType(objectType.instance)].find(({ data }) => data.moduleId === id);
  if (found === undefined) return undefined;
  kernel.tree.set(found, 'ident', ident);
  kernel.tree.move(found, parent);
  return found;
}

/**
 * Sets the properties of an instance, all or none, so that the stored ones stay consistent. An error names
 * those that differ from the file.
 */
export async function applyProperties(
  node: InstanceNode,
  object: TreeObject<1>,
  { devices, isNew }: { readonly devices: Devices; readonly isNew: IsNew },
): Promise<void> {
  try {
    devices.setProperties(object.id, changedProperties(node, object, { devices, isNew }));
    if (devices.hasChanges(object.id)) await devices.applyChanges(object.id);
  } catch (thrown) {
    const differing = differingIn(node, object, devices);
    if (differing.length === 0) throw thrown;
    const what = coded`PROPERTIES_STAY_STORED_DIFFER: its properties stay as stored and differ from the file in ${differing.join(', ')}`;
    throw new Error(`${messageOf(thrown)}; ${what.text}`, { cause: thrown });
  }
}

function changedProperties(
  node: InstanceNode,
  object: TreeObject<1>,
  { devices, isNew }: { readonly devices: Devices; readonly isNew: IsNew },
): Record<string, unknown> {
  const module = devices.modules.get(node.module);
  if (module.id !== object.data.moduleId)
    throw new Error(
      `its module is ${object.data.moduleName}; delete it to have it re-created with the module ${module.name}`,
    );
  const changed: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(node.properties ?? {})) {
    if (!Object.hasOwn(module.properties.properties, name))
      throw new Error(
        `${module.name} has no property ${name}; it has ${Object.keys(module.properties.properties).join(', ')}`,
      );
    if (isNew(`properties.${name}`, value)) changed[name] = value;
  }
  return changed;
}

/** Connects an instance to the target of its entry, otherwise to the I/O instance it is listed below. */
export async function connectInstance(
  { connection }: InstanceNode,
  object: TreeObject<1>,
  { kernel, devices, isNew }: InstanceTarget & { readonly isNew: IsNew },
): Promise<void> {
  if (connection !== undefined) {
    const present = object.data.connectionId;
    const isGone = present === 0 || kernel.tree.find(present) === undefined;
    if (!isNew('connection', connection) && !(isGone && connection !== '')) return;
    const id = connection === '' ? 0 : objectAt(connection, kernel).id;
    if (present === id) return;
    return id === 0 ? devices.disconnect(object.id) : devices.connect(object.id, id);
  }
  const above = object.parent;
  const { requires } = devices.modules.get(object.data.moduleId);
  if (requires === undefined || !above?.is(objectType.instance) || !isNew('connection', above.ident)) return;
  if (object.data.connectionId !== above.id) await devices.connect(object.id, above.id);
}

/** The properties whose values in the file differ from the stored ones. */
function differingIn({ properties = {} }: InstanceNode, { data }: TreeObject<1>, devices: Devices): string[] {
  const module = devices.modules.find(data.moduleId);
  return Object.entries(properties).flatMap(([name, value]) => {
    const given = JSON.stringify(module === undefined ? value : asStored(module, name, value));
    return given === JSON.stringify(data.properties[name]) ? [] : [name];
  });
}

/** A configured value as it would be stored; unchanged if it is invalid. */
function asStored(module: ModuleDefinition, name: string, value: unknown): unknown {
  try {
    return withProperty(module, {}, [name, value])[name];
  } catch {
    return value;
  }
}
