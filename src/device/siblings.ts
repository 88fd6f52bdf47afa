import type { ModuleDefinition, Sibling } from './module.js';
import type { Properties } from './properties.js';
import type { Supervisor } from './supervisor.js';

/** The instances of a module, open or not. */
export function siblingsOf(
  module: ModuleDefinition,
  supervisors: Iterable<Supervisor>,
): Sibling<Properties>[] {
  return [...supervisors]
    .filter((one) => one.module === module)
    .map(({ instance: { id, displayName, data } }) => ({
      id,
      name: displayName,
      properties: data.properties,
    }));
}
