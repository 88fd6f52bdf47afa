import { join } from 'node:path';
import type { KeeperClient } from '../../drivers/gpio/index.js';
import type { Archive, ArchiveOptions } from '../archive/archive.js';
import type { HealthChecks } from '../base/health-check.js';
import type { Cancel, Clock } from '../base/clock.js';
import { fault, messageOf } from '../base/fault.js';
import { Lazy } from '../base/lazy.js';
import type { LimitReporter } from '../base/limit-reporter.js';
import type { Log } from '../base/log.js';
import { guardIds } from './id-guard.js';
import type { ConfiguratorEntry } from '../config/apply/configurators.js';
import type { ActionOf } from '../config/apply/apply-event.js';
import type { LoadedConfig } from '../config/load.js';
import type { GatewayConfig } from '../config/schema/gateway-schema.js';
import { Debug } from '../device/debug.js';
import type { NameResolver } from '../device/toolkit/name-resolver.js';
import type { BootFlags } from '../device/module.js';
import type { ModuleRegistry } from '../device/module-registry.js';
import { MessageWatch } from '../functions/message-watch.js';
import { loadOptions, type Options } from '../functions/options.js';
import type { ConfiguratorsPort, MachinePort, MediaPort, Ports } from '../functions/ports.js';
import type { Registry } from '../functions/registry/registry.js';
import type { Kernel } from '../kernel/kernel.js';
import { objectType } from '../kernel/object.js';
import type { MediaContents } from '../media/contents.js';
import type { EventEngine } from '../events/event-engine.js';
import { ScriptEngine } from '../script/script-engine.js';
import { ScriptFiles } from '../script/script-files.js';
import { scriptLimits } from '../script/script-limits.js';
import type { ProgramRunner } from '../service/program-runner.js';
import type { ServiceLog } from '../service/log.js';
import type { Health } from '../service/health.js';
import type { ClockSynchronisation } from '../service/clock-synchronisation.js';
import type { Store } from '../store/store.js';

/** What a script's process uses besides its heap. */
const OUTSIDE_HEAP_MIB = scriptLimits.residentMiB - scriptLimits.heapMiB;

/** The options as they were set, over a gateway's store; what must end with it goes to `undo`. */
export function storedOptions(store: Store, { store: configured }: GatewayConfig, undo: Cancel[]): Options {
  const { saved, settings } = loadOptions(store);
  // What was set at run time wins over the configuration, also after a restart.
  const { valuesEveryS = settings.get('SaveInterval'), backups = settings.get('BackupCount') } =
    configured ?? {};
  store.saveEveryMs = (saved['SaveInterval'] ?? valuesEveryS) * 1000;
  store.backupsKept = saved['BackupCount'] ?? backups;
  undo.push(
    settings.changed.on((name) => {
      if (name === 'SaveInterval') store.saveEveryMs = settings.get(name) * 1000;
      if (name === 'BackupCount') store.backupsKept = settings.get(name);
    }),
  );
  return settings;
}

/** The configurators as they are now, with what a gateway's store keeps for them: by ident, which outlives the instance. */
export function keptConfigurators(store: Store, all: () => readonly ConfiguratorEntry[]): ConfiguratorsPort {
  const nameOf = (id: number, what: string) => `front ${what} ${all().find((one) => one.id === id)?.ident}`;
  return {
    all,
    frontData: (id, what) => store.meta(nameOf(id, what)),
    saveFrontData: (id, what, text) => store.setMeta(nameOf(id, what), text),
  };
}

/** What a gateway's scripts work with. */
export interface ScriptParts {
  readonly kernel: Kernel;
  readonly clock: Clock;
  readonly log: Log;
  readonly settings: Options;
  /** Where their files stand. */
  readonly directory: string;
  readonly checks: HealthChecks;
  /** What they may call; asked for when the first one runs. */
  readonly registry: () => Registry;
  /** Told of limits that take effect. */
  readonly effects: LimitReporter;
}

/** The scripts of a gateway, within the limits that its options give. */
export function scriptEngine({
  kernel,
  clock,
  log,
  settings,
  directory,
  checks,
  registry,
  effects,
}: ScriptParts): ScriptEngine {
  return new ScriptEngine({
    kernel,
    files: new ScriptFiles(directory),
    clock,
    log,
    checks,
    effects,
    functions: { names: () => registry().names(), call: (...call) => registry().call(...call) },
    limits: () => ({
      ...scriptLimits,
      timeMs: settings.get('ScriptTimeLimit') * 1000,
      heapMiB: settings.get('ScriptMemoryLimit'),
      residentMiB: settings.get('ScriptMemoryLimit') + OUTSIDE_HEAP_MIB,
      concurrent: settings.get('ScriptThreadCount'),
      output: settings.get('ScriptOutputBufferLimit'),
      calls: settings.get('ScriptCallLimit'),
      callsPerS: settings.get('ScriptCallRate'),
    }),
  });
}

/** The contents of a gateway's media objects; loaded by the first who asks, or by `start` when there are any. */
export interface MediaPart {
  readonly use: () => Promise<MediaPort>;
  /** Looks at the files of the media objects that there are. */
  start(): void;
  close(): Promise<void>;
}

/** What the contents of media objects work with. */
export type MediaParts = Pick<ScriptParts, 'kernel' | 'clock' | 'log' | 'directory'>;

/** Files of media and icons in a data directory. */
export function mediaPart({ kernel, clock, log, directory }: MediaParts): MediaPart {
  const late = new Lazy<MediaContents>(async () => {
    const [{ MediaContents }, { MediaFiles }, { Icons }] = await Promise.all([
      import('../media/contents.js'),
      import('../media/media-files.js'),
      import('../media/icons.js'),
    ]);
    const files = new MediaFiles(directory);
    const icons = new Icons(join(directory, 'icons'));
    return new MediaContents({ kernel, files, icons, log, nowMs: () => clock.nowMs() });
  });
  const start = async () => (await late.get()).start();
  return {
    use: late.get,
    start: () => {
      const { done } = kernel.tree.objectsOfType(objectType.media).next();
      if (done !== true) start().catch((thrown: unknown) => log.error({}, messageOf(thrown)));
    },
    close: async () => (await late.current())?.close(),
  };
}

/** Measures how long messages take to be told, while the option says so. */
export function messageWatch(kernel: Kernel, clock: Clock, settings: Options): MessageWatch {
  const watch = new MessageWatch(kernel, clock);
  const follow = () => watch.setEnabled(settings.get('MessageQueueWatch') === 1);
  follow();
  settings.changed.on((name) => {
    if (name === 'MessageQueueWatch') follow();
  });
  return watch;
}

/** What shows what goes over the instances' wires; its files stand in `directory`. */
export function debugOf(parts: { kernel: Kernel; clock: Clock; log: Log }, directory: string): Debug {
  const openFile = async (id: number) =>
    (await import('../service/debug-file.js')).openDebugFile(directory, id, parts.log);
  return new Debug({ ...parts, openFile });
}

/** What can be asked of the machine; what reads it is loaded when something first is. */
export function askedMachine(
  clock: Clock,
  names: NameResolver,
  dataDirectory: string,
): () => Promise<MachinePort> {
  return new Lazy(() => loadMachine(clock, names, dataDirectory)).get;
}

async function loadMachine(clock: Clock, names: NameResolver, dataDirectory: string): Promise<MachinePort> {
  const [{ SystemMetrics }, around, { SystemCommands }, { fetchText }] = await Promise.all([
    import('../service/system-metrics.js'),
    import('../service/host-info.js'),
    import('../service/system-commands.js'),
    import('../service/fetch.js'),
  ]);
  const figures = new SystemMetrics();
  const programs = new SystemCommands(clock);
  return {
    processors: () => figures.processors(),
    memory: () => figures.memory(),
    process: () => figures.process(),
    battery: () => figures.battery(),
    drives: () => around.drivesOf(),
    networks: () => around.networksOf(),
    room: () => around.diskUsage(dataDirectory),
    spooler: () => programs.spooler(),
    ping: (host, timeoutMs) => programs.ping(host, timeoutMs),
    content: (wish) => fetchText(wish, { clock, names }),
  };
}

/** What runs a gateway's events: loaded with the first one, as most of a small house's gateways have none. */
export class EventPart implements AsyncDisposable {
  readonly #ports: () => Ports;
  readonly #engine = new Lazy(() => this.#load());
  #isClosed = false;

  /** The ports are asked for when the engine is made. */
  constructor(ports: () => Ports) {
    this.#ports = ports;
  }

  /** It is at work from then on. Rejects with `STOPPING`. */
  readonly ready = (): Promise<EventEngine> => this.#engine.get();

  /** Has it work if the tree holds an event. */
  async begin(): Promise<void> {
    const { kernel } = this.#ports();
    const { done } = kernel.tree.objectsOfType(objectType.event).next();
    if (done !== true) await this.ready();
  }

  /** An action by its name, for events that the configuration lists. */
  readonly actionOf: ActionOf = async (name, parameters) =>
    (await import('../functions/events/built-in-actions.js')).actionByName(name, parameters);

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    (await this.#engine.current())?.[Symbol.dispose]();
  }

  async #load(): Promise<EventEngine> {
    const [{ EventEngine: Engine }, { actionById }] = await Promise.all([
      import('../events/event-engine.js'),
      import('../functions/events/built-in-actions.js'),
    ]);
    if (this.#isClosed) throw fault('STOPPING');
    const ports = this.#ports();
    const { kernel, clock, scripts, log } = ports;
    return new Engine({
      kernel,
      clock,
      log: log.subject('event'),
      runScript: (run) => scripts.run(run),
      performAction: async (id, run) => actionById(id).run(ports, run),
    });
  }
}

/** What can be asked of the machine, and its programs: they run while the configuration allows it, and end with the gateway. */
export function machinePorts(
  of: {
    readonly clock: Clock;
    readonly names: NameResolver;
    readonly directory: string;
    readonly log: ServiceLog;
    readonly undo: Cancel[];
  },
  config: () => GatewayConfig,
): Pick<Ports, 'machine' | 'execute'> {
  const { clock, names, directory, undo } = of;
  const log = of.log.root.subject('execute');
  const execution = new Lazy<ProgramRunner>(async () => {
    const { ProgramRunner } = await import('../service/program-runner.js');
    return new ProgramRunner(clock, log);
  });
  undo.push(() => void execution.current().then((running) => running?.close()));
  return {
    machine: askedMachine(clock, names, directory),
    execute: async (wish) => {
      if (config().api?.allowExecute !== true)
        throw fault('NOT_ALLOWED', 'Running programs (gateway.yaml: api.allowExecute: true)');
      return (await execution.get()).run(wish);
    },
  };
}

/** What a gateway's archive works with. */
export interface ArchiveParts {
  readonly kernel: Kernel;
  readonly clock: Clock;
  readonly log: Log;
  readonly checks: HealthChecks;
  readonly settings: Options;
  readonly store: Store;
  /** The data directory. */
  readonly directory: string;
}

/** The archive of a gateway: loaded and opened when something is logged, or somebody asks for it. */
export class LazyArchive {
  readonly #parts: ArchiveParts;
  readonly #archive = new Lazy(() => this.#open());
  #isClosed = false;

  constructor(parts: ArchiveParts) {
    this.#parts = parts;
  }

  /** Opens it where something is logged. */
  async start(): Promise<void> {
    if (this.#parts.kernel.variables.logged().length > 0) await this.get();
  }

  /** No id of an object is given while records, or anything else, refer to it. */
  guardIds(): Promise<void> {
    return guardIds({ ...this.#parts, archive: this });
  }

  /** Rejects with `STOPPING`. */
  get(): Promise<Archive> {
    if (this.#isClosed) return Promise.reject(fault('STOPPING'));
    return this.#archive.get();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await (await this.#archive.current())?.close();
  }

  async #open(): Promise<Archive> {
    const { kernel, settings, store, log, ...rest } = this.#parts;
    const everyMs = () => settings.get('ArchiveInterval') * 1000;
    const options: ArchiveOptions = {
      ...rest,
      kernel,
      log: log.subject('archive'),
      writeEveryMs: everyMs(),
      onWritten: (bytes) => store.noteWritten('archive', bytes),
    };
    const { Archive } = await import('../archive/archive.js');
    const archive = await Archive.open(options);
    kernel.variables.onLogged = (variable, nowMs) => archive.record(variable, nowMs);
    settings.changed.on((name) => {
      if (name === 'ArchiveInterval') archive.writeEveryMs = everyMs();
    });
    return archive;
  }
}

/** What a gateway is made of before its tree is there. */
export interface GatewayParts {
  readonly names: NameResolver;
  readonly clock: Clock;
  readonly trust: ClockSynchronisation;
  readonly loaded: LoadedConfig;
  readonly modules: ModuleRegistry;
  readonly health: Health;
  readonly store: Store;
  readonly marks: BootFlags;
  readonly keeping: KeeperClient;
}
