import { join, resolve } from 'node:path';
import { KeeperClient } from '../../drivers/gpio/index.js';
import { Api, type ApiOptions, type ApiParts } from '../api/api.js';
import type { ConfiguratorAccess } from '../api/access/accounts.js';
import { systemClock, type Cancel, type Clock } from '../base/clock.js';
import { SerialQueue } from '../base/serial-queue.js';
import { applyConfiguration, prune, reloadConfig, type ConfigurationTarget } from './configuration.js';
import { StartSequence } from './start-sequence.js';
import { accessTo, type ConfiguratorEntry } from '../config/apply/configurators.js';
import { createCoreInstances } from '../config/apply/core-instances.js';
import { loadConfig, type LoadedConfig } from '../config/load.js';
import { RELOADABLE, bufferOf, levelsOf, listenersOf, needsRestart } from '../config/settings.js';
import { reviewFacts } from './review-facts.js';
import type { Caller } from '../device/declare.js';
import { Devices } from '../device/devices.js';
import { ModuleRegistry } from '../device/module-registry.js';
import { systemResolver } from '../device/toolkit/system-resolver.js';
import { frontPage, startPage } from '../front/start-page.js';
import { ACTION_SENDER, requestAction } from '../functions/tree/request-action.js';
import type { Options } from '../functions/options.js';
import type { Ports } from '../functions/ports.js';
import { createRegistry } from '../functions/command-reference.js';
import type { Registry } from '../functions/registry/registry.js';
import { Kernel } from '../kernel/kernel.js';
import { message, runlevel } from '../kernel/messages.js';
import { createModuleList } from './module-list.js';
import {
  LazyArchive,
  machinePorts,
  debugOf,
  EventPart,
  type GatewayParts,
  keptConfigurators,
  mediaPart,
  messageWatch,
  type MediaPart,
  scriptEngine,
  storedOptions,
} from './parts.js';
import type { ScriptEngine } from '../script/script-engine.js';
import { clockFinding, devicesFinding, listenersFinding } from '../service/health-findings.js';
import { Health } from '../service/health.js';
import type { ServiceLog } from '../service/log.js';
import { BootFlagFile } from '../service/boot-flag-file.js';
import { startPeriodicChecks } from '../service/periodic-checks.js';
import { StatusVariables } from '../service/status-variables.js';
import { releaseMemory } from '../service/memory.js';
import { systemFacts } from '../service/system.js';
import { ClockSynchronisation } from '../service/clock-synchronisation.js';
import { trackUpdate } from '../service/update-marker.js';
import { foldersOf, makeDirectories } from '../store/data-directory.js';
import { Store } from '../store/store.js';

/** What a gateway is started with. */
export interface GatewayOptions {
  readonly configFile: string;
  /** The data directory; made where it is missing. */
  readonly directory: string;
  /** On a tmpfs: last values there outlive a crash of the process. Below the data directory unless given. */
  readonly runtimeDirectory?: string;
  /** The line keeper's socket; absent: nobody keeps the outputs when the gateway is not there. */
  readonly keeperSocket?: string;
  readonly log: ServiceLog;
  /** Ends the program (`SVC_StopKernel`); absent: it is not the gateway's to end. */
  readonly onStop?: () => void;
  /** Where the boards are described; the package's own unless given. */
  readonly boards?: string;
  /** For tests that turn the clock by hand. */
  readonly clock?: Clock;
}

/** What a reload did, and what takes effect only with a restart. */
export interface ReloadReport {
  readonly Applied: readonly string[];
  readonly NeedsRestart: readonly string[];
  readonly Problems: readonly string[];
}

/** Who calls where a device has something else switched over. */
const BY_DEVICE: Caller = { role: 'owner', user: 'device', remote: 'local' };
/** How often health goes to the tree's variables. */
const STATUS_EVERY_MS = 10_000;
/** Folders in the data directory. */
const SCRIPTS = 'scripts';
const USER = 'user';
const DEBUG = 'debug';
const TLS = 'tls';

/** One gateway: the tree with all that feeds, keeps and serves it. Any number of them can live in one process. */
export class Gateway implements AsyncDisposable {
  readonly kernel: Kernel;
  readonly health: Health;
  readonly registry: Registry;
  readonly clock: Clock;
  readonly #options: GatewayOptions;
  readonly #trust: ClockSynchronisation;
  readonly #store: Store;
  readonly #devices: Devices;
  readonly #keeping: KeeperClient;
  readonly #scripts: ScriptEngine;
  readonly #media: MediaPart;
  readonly #events: EventPart;
  readonly #archive: LazyArchive;
  readonly #status: StatusVariables;
  readonly #settings: Options;
  readonly #turn = new SerialQueue();
  #api: Api | undefined;
  #loaded: LoadedConfig;
  #configurators: readonly ConfiguratorEntry[] = [];
  #undo: (() => void | Promise<void>)[] = [];
  #closing: Promise<void> | undefined;

  /**
   * Starts a gateway; resolves when it answers calls. Throws ConfigurationError, or a fault whose text says what to do:
   * `STORE_UNUSABLE`, `LISTEN_FAILED`.
   */
  static async start(options: GatewayOptions): Promise<Gateway> {
    const directory = resolve(options.directory);
    const trust = new ClockSynchronisation();
    const clock = options.clock ?? systemClock(() => trust.isSynchronised);
    const { runtimeDirectory = join(directory, 'run') } = options;
    const place = { socket: options.keeperSocket, directory, isUpdating: trackUpdate(runtimeDirectory) };
    const keeping = new KeeperClient(place, { clock, log: options.log.root.subject('keeper') });
    const names = systemResolver(clock);
    let modules = new ModuleRegistry([]);
    const makeModules = createModuleList(clock, { keeping, boards: options.boards, names });
    const loaded = await loadConfig(
      options.configFile,
      async (of) => (modules = await makeModules(of)),
      reviewFacts,
    );
    options.log.levels = levelsOf(loaded.config);
    makeDirectories(directory, runtimeDirectory, join(directory, USER));
    const log = options.log.root;
    const health = new Health(clock, log.subject('health'));
    const store = await Store.open({
      directory,
      runtimeDirectory,
      files: { 'gateway.yaml': loaded.file, ...foldersOf(directory) },
      clock,
      log: log.subject('store'),
      checks: health,
    });
    // The simulated board boots with the process.
    const marks =
      loaded.config.board === 'simulated' ? new Set<string>() : new BootFlagFile(runtimeDirectory, log);
    const parts = { clock, trust, loaded, modules, health, store, marks, keeping, names };
    const gateway = new Gateway({ ...options, directory }, parts);
    try {
      await gateway.#start();
    } catch (thrown) {
      await gateway.close();
      throw thrown;
    }
    return gateway;
  }

  private constructor(options: GatewayOptions, parts: GatewayParts) {
    const { clock, trust, loaded, modules, health, store, keeping, names } = parts;
    const log = options.log.root;
    this.#options = options;
    this.#trust = trust;
    this.#loaded = loaded;
    this.#store = store;
    this.#keeping = keeping;
    this.clock = clock;
    this.health = health;
    const kernel = new Kernel({
      counter: store.counter,
      random: () => clock.random(),
      buffer: bufferOf(loaded.config),
      onJournal: () => store.schedule(),
      isClockTrusted: () => clock.isTrusted(),
    });
    this.kernel = kernel;
    const debug = debugOf({ kernel, clock, log: log.subject('debug') }, join(options.directory, DEBUG));
    this.#undo.push(() => debug.close());
    this.#devices = new Devices({
      kernel,
      debug,
      modules,
      clock,
      log: log.subject('device'),
      bootFlags: parts.marks,
      performAction: async ({ id }, value) => {
        await requestAction(ports, { variableId: id, value, sender: ACTION_SENDER, caller: BY_DEVICE });
      },
    });
    this.#status = new StatusVariables(kernel, clock);
    const settings = (this.#settings = storedOptions(store, loaded.config, this.#undo));
    this.#scripts = scriptEngine({
      kernel,
      clock,
      settings,
      log: log.subject('script'),
      directory: join(options.directory, SCRIPTS),
      checks: health,
      registry: () => this.registry,
      effects: health.limits,
    });
    const { directory } = options;
    this.#media = mediaPart({ kernel, clock, log: log.subject('media'), directory });
    this.#archive = new LazyArchive({ kernel, clock, settings, store, directory, checks: health, log });
    const ports: Ports = {
      archive: () => this.#archive.get(),
      kernel,
      clock,
      log: log.subject('call'),
      devices: this.#devices,
      debug,
      scripts: this.#scripts,
      events: () => this.#events.ready(),
      configurators: keptConfigurators(store, () => this.#configurators),
      media: this.#media.use,
      options: settings,
      ...machinePorts({ ...options, clock, names, undo: this.#undo }, () => this.#loaded.config),
      messageLog: options.log,
      connections: () => this.#api,
      messageWatch: messageWatch(kernel, clock, settings),
      system: {
        ...systemFacts(options.directory),
        trimMemory: releaseMemory,
        ...(options.onStop && { stop: options.onStop }),
        startedAt: Math.floor(clock.nowMs() / 1000),
        health: () => health.record(),
        audit: (limit, role) => store.audit(limit, role),
        reload: () => this.reload(),
        prune: (remove) => this.#turn.run(() => prune(this.#loaded, this.#configured(), remove)),
      },
    };
    this.#events = new EventPart(() => ports);
    this.registry = createRegistry(ports, {
      extraFunctions: modules.functions(this.#devices),
      durability: {
        get version() {
          return kernel.journal.version;
        },
        committed: () => store.committed(),
      },
      audit: { record: (entry) => store.recordAudit(entry) },
      aliases: loaded.config.api?.aliases ?? {},
    });
  }

  /** The port of the local listener, or of a web server of that name. */
  port(name?: string): number | undefined {
    return this.#api?.port(name);
  }

  /** Resolves when the store answers: what the watchdog is fed by. */
  answers(): Promise<void> {
    return this.#store.ping();
  }

  /** Makes a backup now; its file's name and size. */
  backup(): Promise<{ readonly file: string; readonly bytes: number }> {
    return this.#store.backup();
  }

  /**
   * Reads the configuration again and applies what can change at run time. Rejects with `CONFIGURATION_INVALID` and all
   * mistakes when it has any; then nothing changes.
   */
  reload(): Promise<ReloadReport> {
    return this.#turn.run(async () => {
      const { modules } = this.#devices;
      const loaded = await reloadConfig(this.#loaded.file, modules, this.health);
      const before = this.#loaded.config;
      this.#loaded = loaded;
      this.#options.log.levels = levelsOf(loaded.config);
      this.kernel.changes.limits = bufferOf(loaded.config);
      const problems = await this.#applyConfig();
      await this.#api?.reload(this.#apiOptions());
      this.#options.log.root.info({}, 'the configuration was read again');
      return {
        Applied: RELOADABLE,
        NeedsRestart: needsRestart(before, loaded.config),
        Problems: [...problems, ...(this.#api?.problems() ?? [])],
      };
    });
  }

  /** Stops everything, leaves the outputs to the line keeper, and writes what is to be kept. Calling twice is fine. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #start(): Promise<void> {
    const { kernel, clock } = this;
    await this.#store.load(kernel);
    const starting = new StartSequence(this.health, this.#options.log.root.subject('gateway'));
    await starting.run('ids', () => this.#archive.guardIds());
    kernel.setRunlevel(runlevel.init);
    this.#showLog();
    const devices = this.#devices;
    await starting.run('own objects', () => createCoreInstances(this.#status.declare(), { kernel, devices }));
    await starting.run('archive', () => this.#archive.start());
    await starting.run('configuration', () => this.#applyConfig());
    await starting.run('devices', () => devices.start());
    await starting.run('media', () => this.#media.start());
    await starting.run('scripts', () => this.#scripts.watch());
    this.#api = await Api.start(this.#apiParts(), this.#apiOptions());
    this.health.addCheck('clock', () => clockFinding(clock.isTrusted()));
    this.health.addCheck('devices', () => devicesFinding(this.#devices, kernel));
    this.health.addCheck('outputs', () => this.#keeping.check());
    this.health.addCheck('listeners', () => listenersFinding(this.#api?.problems() ?? []));
    this.#undo.push(
      this.#settings.changed.on((name) => {
        if (name === 'ServerMaxPostSize') void this.#api?.reload(this.#apiOptions());
      }),
      clock.every(STATUS_EVERY_MS, () => this.#showStatus()),
      this.#rounds(),
    );
    this.#showStatus();
    this.#trust.watch(clock, () => this.#showStatus());
    kernel.setRunlevel(runlevel.ready);
  }

  #rounds(): Cancel {
    const { kernel, clock, health } = this;
    const { directory: dataDirectory, log } = this.#options;
    const { modules } = this.#devices;
    return startPeriodicChecks({
      kernel,
      modules,
      clock,
      health,
      dataDirectory,
      log: log.root.subject('health'),
    });
  }

  async #close(): Promise<void> {
    this.kernel.setRunlevel(runlevel.uninit);
    const undone = this.#undo.map((undo) => undo());
    this.#trust.close();
    await this.#api?.close();
    await this.#events[Symbol.asyncDispose]();
    await this.#scripts.close();
    await this.#media.close();
    await this.#devices.close();
    await this.#archive.close();
    await this.#keeping.goodbye();
    this.kernel.setRunlevel(runlevel.shutdown);
    this.#options.log.onLoud = () => undefined;
    await Promise.all([...undone, this.#store.close()]);
  }

  /** Tree and configurators; what could not be applied comes back in words. */
  async #applyConfig(): Promise<readonly string[]> {
    const { configurators, problems } = await applyConfiguration(this.#loaded, this.#configured());
    this.#configurators = configurators;
    return problems;
  }

  #configured(): ConfigurationTarget {
    const { kernel, clock, health } = this;
    const [devices, store, log, events] = [this.#devices, this.#store, this.#options.log.root, this.#events];
    const [archive, scripts, media] = [this.#archive, this.#scripts, this.#media];
    return { kernel, clock, health, devices, store, log, events, archive, scripts, media };
  }

  /** Warnings and errors go to the clients too, as the original's log messages do. */
  #showLog(): void {
    this.#options.log.onLoud = ({ level, subject, text }) => {
      const kind = level === 'error' ? message.KL_ERROR : message.KL_WARNING;
      this.kernel.changes.emit(0, kind, [subject, text, Math.floor(this.clock.nowMs() / 1000)]);
    };
  }

  #showStatus(): void {
    this.#status.show(this.health.record(), { bytesToday: this.#store.written.today });
  }

  #apiParts(): ApiParts {
    const { kernel, clock } = this;
    const { directory, log } = this.#options;
    const access = (): ConfiguratorAccess[] => this.#configurators.map(accessTo);
    return {
      dispatcher: this.registry,
      kernel,
      clock,
      log: log.root,
      limits: this.health.limits,
      pages: { start: startPage, front: frontPage },
      configurators: { all: access, get: (id) => access().find((one) => one.id === id) },
      directory,
      tlsDirectory: join(directory, TLS),
    };
  }

  #apiOptions(): ApiOptions {
    const { remoteAccess, ...config } = this.#loaded.config;
    const bodyLimit = this.#settings.runtimeValue('ServerMaxPostSize');
    return { ...listenersOf(config), ...(bodyLimit !== undefined && { bodyLimit }), remoteAccess };
  }
}
