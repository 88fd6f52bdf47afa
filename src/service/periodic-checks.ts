import type { Cancel, Clock } from '../base/clock.js';
import { messageOf } from '../base/fault.js';
import type { Log } from '../base/log.js';
import type { ModuleRegistry } from '../device/module-registry.js';
import type { Kernel } from '../kernel/kernel.js';
import { objectType } from '../kernel/object.js';
import type { Health } from './health.js';
import { releaseWhenIdle } from './memory.js';

/** Delay of the first check of the machine after the start, and the interval of further ones. */
const FIRST_MS = 5_000;
const EVERY_MS = 60_000;

/** Options of {@link startPeriodicChecks}. */
interface PeriodicCheckOptions {
  readonly kernel: Kernel;
  readonly modules: ModuleRegistry;
  readonly clock: Clock;
  readonly log: Log;
  readonly health: Health;
  readonly dataDirectory: string;
}

/**
 * Checks the machine periodically, reports the findings to health, and releases memory after bursts. Returns
 * a function that stops this.
 */
export function startPeriodicChecks({
  kernel,
  modules,
  clock,
  log,
  health,
  dataDirectory,
}: PeriodicCheckOptions): Cancel {
  let isStopped = false;
  const check = async () => {
    const { checkMachine } = await import('./machine/machine-check.js');
    const instances = Array.from(kernel.tree.objectsOfType(objectType.instance), ({ displayName, data }) => ({
      name: displayName,
      module: data.moduleId,
      properties: data.properties,
    }));
    const findings = await checkMachine({ modules, dataDirectory, isGateway: true, instances });
    if (!isStopped) health.setMachineFindings(findings);
  };
  const start = () =>
    void check().catch((thrown: unknown) =>
      log.error({}, `the machine could not be checked: ${messageOf(thrown)}`),
    );
  const cancels = [clock.after(FIRST_MS, start), clock.every(EVERY_MS, start), releaseWhenIdle(clock)];
  return () => {
    isStopped = true;
    for (const cancel of cancels) cancel();
  };
}
