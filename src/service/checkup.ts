import type { Finding } from '../base/check.js';
import type { Modules } from '../device/modules.js';
import { diagnose, portsOf, propertiesOf, type Configured } from './diagnosis.js';
import { look } from './machine.js';

/** What a check of the machine begins with. */
export interface CheckupOptions {
  readonly modules: Modules;
  readonly instances: readonly Configured[];
  readonly dataDirectory: string;
  /** Whether the gateway itself asks: then it is its own rights that count, else those of the service's user. */
  readonly isGateway: boolean;
}

/** Looks at this machine and tells its checks by their names. Touches no device. */
export async function checkup({
  modules,
  dataDirectory,
  isGateway,
  instances,
}: CheckupOptions): Promise<ReadonlyMap<string, Finding>> {
  const wanted = propertiesOf(instances);
  const finders = [...modules.all()].filter(({ properties }) =>
    wanted.some((name) => Object.hasOwn(properties.properties, name)),
  );
  // What can't be looked for is told by the instances that want it.
  const parts = await Promise.allSettled(finders.flatMap(({ find }) => find?.() ?? []));
  const found = parts.flatMap((part) => (part.status === 'fulfilled' ? part.value : []));
  const places = { root: '/', dataDirectory, ports: portsOf(instances), isGateway, found };
  return diagnose(await look(places), { instances, board: modules.board });
}
