import type { Finding } from '../base/check.js';
import type { Modules } from '../device/modules.js';
import { diagnose, portsOf, type Purpose } from './diagnosis.js';
import { look } from './machine.js';

/** What a check of the machine begins with. */
export interface CheckupOptions extends Purpose {
  readonly modules: Modules;
  readonly dataDirectory: string;
  /** Whether the gateway itself asks: then it is its own rights that count, else those of the service's user. */
  readonly isGateway: boolean;
}

/** Looks at this machine and tells its checks by their names. Touches no device. */
export async function checkup({
  modules,
  dataDirectory,
  isGateway,
  ...purpose
}: CheckupOptions): Promise<ReadonlyMap<string, Finding>> {
  // What can't be looked for is told by the instances that want it.
  const parts = await Promise.allSettled([...modules.all()].flatMap(({ find }) => find?.() ?? []));
  const found = parts.flatMap((part) => (part.status === 'fulfilled' ? part.value : []));
  const places = { root: '/', dataDirectory, ports: portsOf(purpose.instances), isGateway, found };
  return diagnose(await look(places), purpose);
}
