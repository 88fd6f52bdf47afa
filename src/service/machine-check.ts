import type { HealthFinding } from '../base/health-check.js';
import type { ModuleRegistry } from '../device/module-registry.js';
import { diagnose, portsOf, propertiesOf, type ConfiguredInstance } from './diagnosis.js';
import { inspectMachine } from './machine-facts.js';

/** What a check of the machine begins with. */
export interface MachineCheckOptions {
  readonly modules: ModuleRegistry;
  readonly instances: readonly ConfiguredInstance[];
  readonly dataDirectory: string;
  /**
   * Whether the gateway itself asks: then it is its own rights that count, else those of the service's user.
   */
  readonly isGateway: boolean;
}

/** Runs the checks of this machine; returns them by name. Touches no device. */
export async function checkMachine({
  modules,
  dataDirectory,
  isGateway,
  instances,
}: MachineCheckOptions): Promise<ReadonlyMap<string, HealthFinding>> {
  const wanted = propertiesOf(instances);
  const finders = [...modules.all()].filter(({ properties }) =>
    wanted.some((name) => Object.hasOwn(properties.properties, name)),
  );
  // If a search fails, the instances that need its result report the problem.
  const parts = await Promise.allSettled(finders.flatMap(({ findHardware: find }) => find?.() ?? []));
  const found = parts.flatMap((part) => (part.status === 'fulfilled' ? part.value : []));
  const places = { root: '/', dataDirectory, ports: portsOf(instances), isGateway, found };
  return diagnose(await inspectMachine(places), { instances, board: modules.board });
}
