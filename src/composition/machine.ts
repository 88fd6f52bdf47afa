import { coded } from '../base/codes/coded-text.js';
import type { Cancel, Clock } from '../base/clock.js';
import { fault } from '../base/fault.js';
import { Lazy } from '../base/lazy.js';
import type { Log } from '../base/log.js';
import type { NameResolver } from '../device/toolkit/name-resolver.js';
import type { MachinePort, Ports } from '../functions/ports.js';
import type { ProgramRunner } from '../service/program-runner.js';

interface MachineDependencies {
  readonly clock: Clock;
  readonly names: NameResolver;
  /** The data directory. */
  readonly directory: string;
  readonly log: Log;
  /** Whether the configuration currently allows running programs (`api.allowExecute`). */
  readonly isExecuteAllowed: () => boolean;
  /** Registers a function to call when the gateway stops. */
  readonly onClose: (cancel: Cancel) => void;
}

/** The ports for information about the machine and for running its programs, both loaded on first use. */
export function machinePorts({
  clock,
  names,
  directory,
  log,
  isExecuteAllowed,
  onClose,
}: MachineDependencies): Pick<Ports, 'machine' | 'execute'> {
  const runner = new Lazy<ProgramRunner>(async () => {
    const { ProgramRunner } = await import('../service/program-runner.js');
    return new ProgramRunner(clock, log);
  });
  onClose(() => void runner.current().then((running) => running?.close()));
  return {
    machine: lazyMachine(clock, names, directory),
    execute: async (request) => {
      if (!isExecuteAllowed())
        throw fault(
          'NOT_ALLOWED',
          coded`WHAT_RUNNING_PROGRAMS: Running programs without api.allowExecute: true in gateway.yaml`,
        );
      return (await runner.get()).run(request);
    },
  };
}

/** Information about the machine; the code that reads it is loaded on first use. */
export function lazyMachine(
  clock: Clock,
  names: NameResolver,
  dataDirectory: string,
): () => Promise<MachinePort> {
  return new Lazy(() => loadMachine(clock, names, dataDirectory)).get;
}

async function loadMachine(clock: Clock, names: NameResolver, dataDirectory: string): Promise<MachinePort> {
  const [{ SystemMetrics }, host, { SystemCommands }, { fetchText }] = await Promise.all([
    import('../service/machine/system-metrics.js'),
    import('../service/machine/host-info.js'),
    import('../service/machine/system-commands.js'),
    import('../service/fetch.js'),
  ]);
  const metrics = new SystemMetrics();
  const commands = new SystemCommands(clock);
  return {
    processors: () => metrics.processors(),
    memory: () => metrics.memory(),
    process: () => metrics.process(),
    battery: () => metrics.battery(),
    hardware: () => host.hardwareOf(dataDirectory),
    drives: () => host.drivesOf(),
    networks: () => host.networksOf(),
    diskUsage: () => host.diskUsage(dataDirectory),
    spooler: () => commands.spooler(),
    ping: (target, timeoutMs) => commands.ping(target, timeoutMs),
    content: (request) => fetchText(request, { clock, names }),
  };
}
