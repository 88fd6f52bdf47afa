import type { Devices } from '../../device/devices.js';
import { moduleKind } from '../../device/module.js';
import type { Kernel } from '../../kernel/kernel.js';
import { objectType, type TreeObject } from '../../kernel/object.js';

/**
 * Creates the missing instances of the core modules, one of each, below `parent`. Those that were moved stay
 * where they are.
 */
export function createCoreInstances(
  parent: TreeObject,
  { kernel, devices }: { kernel: Kernel; devices: Devices },
): void {
  const present = new Set<string>();
  for (const { data } of kernel.tree.objectsOfType(objectType.instance)) present.add(data.moduleId);
  for (const { id, name, prefix, kind } of devices.modules.all())
    if (kind === moduleKind.core && !present.has(id)) devices.create(id, { parent, name, ident: prefix });
}
