import { Type } from '@sinclair/typebox';
import type { Devices } from '../../device/devices.js';
import { moduleKind, type ModuleDefinition } from '../../device/module.js';
import type { Kernel } from '../../kernel/kernel.js';
import { objectType, type TreeObject } from '../../kernel/object.js';

/** A module without a device: functions are called on its instance. */
const without = (id: string, name: string, prefix: string): ModuleDefinition => ({
  id,
  name,
  kind: moduleKind.core,
  prefix,
  properties: Type.Object({}),
  variables: () => [],
  open: async () => ({ close: async () => undefined }),
});

/** The core modules without code of their own (interface §1, core module GUIDs). */
export const coreModules: readonly ModuleDefinition[] = [
  without('{43192F0B-135B-4CE7-A0A7-1475603F3060}', 'Archive Control', 'AC'),
  without('{B69010EA-96D5-46DF-B885-24821B8C8DBD}', 'Utility Control', 'UC'),
];

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
