import type { HealthFinding } from '../../base/health-check.js';
import type { ModuleRegistry } from '../../device/module-registry.js';
import type { Properties } from '../../device/properties.js';
import { canReferTo, referencesIn } from '../../device/property-references.js';
import { diagnose, portsOf, searchedKinds, type ConfiguredInstance } from './diagnosis.js';
import { inspectMachine } from './machine-facts.js';

/** Options of {@link checkMachine}. */
export interface MachineCheckOptions {
  readonly modules: ModuleRegistry;
  /** The configured instances; `module` is an id or a name. */
  readonly instances: readonly {
    readonly name: string;
    readonly module: string;
    readonly properties: Properties;
  }[];
  readonly dataDirectory: string;
  /**
   * Whether the gateway itself runs the check: then its own permissions are checked, otherwise those of the
   * service's user.
   */
  readonly isGateway: boolean;
  /** The machine's root directory; `/` by default. */
  readonly root?: string;
}

/** Checks this machine; returns the findings by name. Opens no device. */
export async function checkMachine({
  modules,
  dataDirectory,
  isGateway,
  root = '/',
  instances: configured,
}: MachineCheckOptions): Promise<ReadonlyMap<string, HealthFinding>> {
  const instances = configured.map(({ name, module, properties }): ConfiguredInstance => {
    const schema = modules.find(module)?.properties;
    return { name, properties, references: schema ? [...referencesIn(schema, properties)] : [] };
  });
  const kinds = searchedKinds(instances);
  const finders = [...modules.all()].filter(({ properties }) =>
    kinds.some((kind) => canReferTo(properties, kind)),
  );
  // If a search fails, the instances that need its result report a problem.
  const parts = await Promise.allSettled(finders.flatMap(({ findHardware: find }) => find?.() ?? []));
  const found = parts.flatMap((part) => (part.status === 'fulfilled' ? part.value : []));
  const places = { root, dataDirectory, ports: portsOf(instances), isGateway, found };
  return diagnose(await inspectMachine(places), { instances, board: modules.board });
}
