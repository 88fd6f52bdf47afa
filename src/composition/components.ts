import { join } from 'node:path';
import type { Clock } from '../base/clock.js';
import type { Log } from '../base/log.js';
import { TaskList } from '../base/tasks/task-list.js';
import { bufferOf } from '../config/settings.js';
import type { ConfiguratorEntry } from '../config/apply/configurators.js';
import type { GatewayConfig } from '../config/schema/gateway-schema.js';
import { Debug } from '../device/debug.js';
import type { Caller } from '../device/declare.js';
import { Devices } from '../device/devices.js';
import { createRegistry } from '../functions/command-reference.js';
import { Deletions } from '../functions/deletion/deletions.js';
import type { Options } from '../functions/options.js';
import type { ConnectionsPort, Ports, SystemPort } from '../functions/ports.js';
import type { Registry } from '../functions/registry/registry.js';
import { ACTION_SENDER, requestAction } from '../functions/tree/request-action.js';
import { Kernel } from '../kernel/kernel.js';
import type { ScriptEngine } from '../script/script-engine.js';
import { releaseMemory } from '../service/memory.js';
import { StatusVariables } from '../service/status-variables.js';
import { systemFacts, timeZone } from '../service/system.js';
import { LazyArchive } from './archive.js';
import { configuratorsPort } from './configurator-access.js';
import { LazyEvents } from './events.js';
import type { Foundation } from './foundation.js';
import { machinePorts } from './machine.js';
import { lazyMedia, type LazyMedia } from './media.js';
import { createMessageWatch } from './message-watch.js';
import { Metrics } from './metrics.js';
import { createScriptEngine } from './scripts.js';
import { storedOptions } from './stored-options.js';

/** The caller when a device requests an action of a variable. */
const DEVICE_CALLER: Caller = { role: 'owner', user: 'device', remote: 'local' };

/** The gateway's own operations that functions call. */
interface GatewayControls
  extends
    Pick<SystemPort, 'reload' | 'prune' | 'doctor' | 'stop'>,
    Pick<Ports, 'configuration' | 'backups' | 'targetBackups' | 'updates' | 'chips'> {
  config(): GatewayConfig;
  configurators(): readonly ConfiguratorEntry[];
  connections(): ConnectionsPort | undefined;
}

/** The tree of a gateway and the components that work on it, created but not started. */
export interface Components {
  readonly kernel: Kernel;
  readonly devices: Devices;
  readonly scripts: ScriptEngine;
  readonly media: LazyMedia;
  readonly events: LazyEvents;
  readonly archive: LazyArchive;
  readonly status: StatusVariables;
  readonly settings: Options;
  readonly registry: Registry;
  readonly tasks: TaskList;
  readonly metrics: Metrics;
  /** Called when the gateway closes. */
  readonly cleanup: (() => void | Promise<void>)[];
}

/** Creates the components of a gateway and connects them. */
export function createComponents(foundation: Foundation, controls: GatewayControls): Components {
  const { clock, directory, health, loaded, modules, names, store } = foundation;
  const log = foundation.log.root;
  const cleanup: Components['cleanup'] = [];
  const onClose = (cancel: () => void) => void cleanup.push(cancel);
  const kernel = new Kernel({
    counter: store.counter,
    random: () => clock.random(),
    buffer: bufferOf(loaded.config),
    onJournal: () => store.schedule(),
    isClockTrusted: () => clock.isTrusted(),
  });
  const debug = createDebug({ kernel, clock, log: log.subject('debug') }, join(directory, 'debug'));
  cleanup.push(() => debug.close());
  const devices = new Devices({
    kernel,
    debug,
    modules,
    clock,
    log: log.subject('device'),
    bootFlags: foundation.bootFlags,
    performAction: async ({ id }, value) => {
      await requestAction(ports, { variableId: id, value, sender: ACTION_SENDER, caller: DEVICE_CALLER });
    },
  });
  const settings = storedOptions(store, { config: loaded.config, isOnCard: foundation.isOnCard, onClose });
  const scripts = createScriptEngine({
    kernel,
    clock,
    settings,
    log: log.subject('script'),
    directory: join(directory, 'scripts'),
    checks: health,
    registry: () => registry,
    limits: health.limits,
  });
  const media = lazyMedia({ kernel, clock, log: log.subject('media'), directory });
  const archive = new LazyArchive({ kernel, clock, settings, store, directory, checks: health, log });
  const events = new LazyEvents(() => ports);
  const tasks = new TaskList(clock);
  const ports: Ports = {
    tasks,
    archive: () => archive.get(),
    kernel,
    clock,
    log: log.subject('call'),
    devices,
    deletions: new Deletions({
      kernel,
      clock,
      devices,
      scripts,
      media: media.get,
      events: () => events.ready(),
      log: log.subject('call'),
    }),
    debug,
    scripts,
    events: () => events.ready(),
    configurators: configuratorsPort(store, () => controls.configurators()),
    media: media.get,
    options: settings,
    ...machinePorts({
      clock,
      names,
      directory,
      log: log.subject('execute'),
      isExecuteAllowed: () => controls.config().api?.allowExecute === true,
      onClose,
    }),
    messageLog: foundation.log,
    connections: () => controls.connections(),
    configuration: controls.configuration,
    backups: controls.backups,
    targetBackups: controls.targetBackups,
    updates: controls.updates,
    chips: controls.chips,
    messageWatch: createMessageWatch(kernel, clock, settings),
    system: {
      ...systemFacts(directory),
      get timezone() {
        return timeZone();
      },
      trimMemory: releaseMemory,
      ...(controls.stop && { stop: controls.stop }),
      startedAt: Math.floor(clock.nowMs() / 1000),
      health: () => health.record(),
      audit: (limit, role) => store.audit(limit, role),
      auditLines: (limit, role) => store.auditLines(limit, role),
      reload: () => controls.reload(),
      doctor: () => controls.doctor(),
      prune: (remove) => controls.prune(remove),
    },
  };
  const registry = createRegistry(ports, {
    extraFunctions: modules.functions(devices),
    durability: {
      get version() {
        return kernel.journal.version;
      },
      committed: () => store.committed(),
    },
    audit: { record: (entry) => store.recordAudit(entry) },
    aliases: loaded.config.api?.aliases ?? {},
  });
  const status = new StatusVariables(kernel, clock);
  const metrics = new Metrics({
    kernel,
    devices,
    clock,
    health,
    store,
    archive,
    version: ports.system.revision,
    connections: () => controls.connections(),
    values: () => controls.config().metrics?.values ?? [],
  });
  onClose(() => metrics.close());
  return {
    kernel,
    devices,
    scripts,
    media,
    events,
    archive,
    status,
    settings,
    registry,
    tasks,
    metrics,
    cleanup,
  };
}

/** Creates the debug output of devices; its files are in `directory`. */
function createDebug(
  { kernel, clock, log }: { readonly kernel: Kernel; readonly clock: Clock; readonly log: Log },
  directory: string,
): Debug {
  const openFile = async (id: number) =>
    (await import('../service/debug-file.js')).openDebugFile(directory, id, log);
  return new Debug({ kernel, clock, openFile });
}
