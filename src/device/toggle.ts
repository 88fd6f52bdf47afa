import { Fault } from '../base/fault.js';
import type { Kernel } from '../kernel/kernel.js';
import { objectType } from '../kernel/object.js';
import type { Value } from '../kernel/value.js';
import type { Variable } from '../kernel/variables.js';

/** Performs the action of a variable. */
export type PerformAction = (variable: Variable, value: Value) => Promise<void>;

/** Implements `Host.toggle`; `act` performs the action. */
export async function toggle({ tree }: Kernel, path: string, act: PerformAction): Promise<void> {
  const target = tree.findByPath(path);
  const variable = target?.is(objectType.instance) ? target.children?.byIdent('STATE') : target;
  if (!variable?.is(objectType.variable) || typeof variable.data.value !== 'boolean')
    throw new Fault('DEVICE_CONFIGURATION', nothingAt(path), { general: nothingAt('its path') });
  await act(variable, !variable.data.value);
}

const nothingAt = (path: string): string =>
  `there is no boolean variable or switch at ${path}; give the path of its idents`;
