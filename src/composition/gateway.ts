import { logKind } from '../base/codes/log-kinds.js';
import { recordOf, type Text, type TextRecord } from '../base/codes/coded-text.js';
import { Api } from '../api/api.js';
import type { Cancel, Clock } from '../base/clock.js';
import { Lazy } from '../base/lazy.js';
import { SerialQueue } from '../base/serial-queue.js';
import { createCoreInstances } from '../config/apply/core-instances.js';
import type { ConfiguratorEntry } from '../config/apply/configurators.js';
import type { LoadedConfig } from '../config/load.js';
import { RELOADABLE, bufferOf, levelsOf, needsRestart } from '../config/settings.js';
import type { SystemPort } from '../functions/ports.js';
import type { Registry } from '../functions/registry/registry.js';
import type { TaskList } from '../base/tasks/task-list.js';
import type { Kernel } from '../kernel/kernel.js';
import { message, runlevel } from '../kernel/messages.js';
import {
  certificatesFinding,
  clockFinding,
  devicesFinding,
  listenersFinding,
} from '../service/health-findings.js';
import type { Health } from '../service/health.js';
import type { LogAlert } from '../service/log.js';
import { startPeriodicChecks } from '../service/periodic-checks.js';
import { apiDependencies, apiOptions } from './api-server.js';
import { createComponents, type Components } from './components.js';
import { applyConfiguration, prune, reloadConfig, type ConfigurationTarget } from './configuration.js';
import { openFoundation, type Foundation, type GatewayOptions } from './foundation.js';
import { GatewayClaim } from './owner-claim.js';
import { buildSnapshotEntries } from './snapshot-entries.js';
import { StartSequence } from './start-sequence.js';

/** The parts that a reload has applied, and those that take effect only after a restart. */
interface ReloadReport {
  readonly Applied: readonly string[];
  readonly NeedsRestart: readonly string[];
  readonly Problems: readonly string[];
  readonly CodedProblems: readonly TextRecord[];
}

/** Interval for writing health to the tree's variables. */
const STATUS_EVERY_MS = 10_000;

/** A gateway: the tree, its devices, its store and its API. Several can run in one process. */
export class Gateway implements AsyncDisposable {
  readonly #foundation: Foundation;
  readonly #components: Components;
  readonly #queue = new SerialQueue();
  readonly #configurationFile = new Lazy(async () => {
    const { ConfigurationFile } = await import('./configuration-file.js');
    return new ConfigurationFile(this.#foundation, () => this.reload());
  });
  readonly #backups = new Lazy(async () => {
    const { Backups } = await import('./backup/backups.js');
    return new Backups(this.#foundation, this.#configurationFile.get);
  });
  readonly #targetBackups = new Lazy(async () => {
    const { TargetBackups } = await import('./backup/target-backups.js');
    const foundation = this.#foundation;
    const made = await TargetBackups.start({
      foundation,
      config: () => this.#loaded.config.backup,
      tasks: this.#components.tasks,
      log: foundation.log.root.subject('backup'),
    });
    this.#components.cleanup.push(() => made.close());
    return made;
  });
  readonly #updates = new Lazy(async () => {
    const { BoxUpdates } = await import('./updates/box-updates.js');
    const { clock, log, names, runtimeDirectory } = this.#foundation;
    const started = new BoxUpdates({
      ...(this.#boxFiles && { files: this.#boxFiles }),
      clock,
      names,
      runtimeDirectory,
      config: () => this.#loaded.config.updates,
      log: log.root.subject('update'),
    });
    this.#components.cleanup.push(() => started.close());
    return started;
  });
  readonly #chips = new Lazy(async () => {
    const { ChipSetup } = await import('./doctor/chip-setup.js');
    const { clock, runtimeDirectory } = this.#foundation;
    const started = new ChipSetup({ clock, runtimeDirectory, root: this.#machineRoot });
    this.#components.cleanup.push(() => started.close());
    return started;
  });
  readonly #claim: GatewayClaim;
  readonly #boxFiles: GatewayOptions['boxFiles'];
  readonly #machineRoot: string;
  readonly #setTimeZone: GatewayOptions['setTimeZone'];
  #api: Api | undefined;
  #loaded: LoadedConfig;
  #configurators: readonly ConfiguratorEntry[] = [];
  #stopAlerts: Cancel | undefined;
  #closing: Promise<void> | undefined;

  /**
   * Starts a gateway; resolves when it replies to calls. Throws ConfigurationError, or a fault whose text
   * says what to do: `STORE_UNUSABLE`, `LISTEN_FAILED`.
   */
  static async start(options: GatewayOptions): Promise<Gateway> {
    const gateway = new Gateway(await openFoundation(options), options);
    try {
      await gateway.#start();
    } catch (thrown) {
      await gateway.close();
      throw thrown;
    }
    return gateway;
  }

  private constructor(
    foundation: Foundation,
    { onStop, setTimeZone, boxFiles, machineRoot = '/' }: GatewayOptions,
  ) {
    this.#machineRoot = machineRoot;
    this.#boxFiles = boxFiles;
    this.#setTimeZone = setTimeZone;
    this.#foundation = foundation;
    this.#loaded = foundation.loaded;
    const { directory, runtimeDirectory, log, clock, store } = foundation;
    this.#claim = new GatewayClaim({
      directory,
      runtimeDirectory,
      config: () => this.#loaded.config,
      configurationFile: this.#configurationFile.get,
      backups: this.#backups.get,
      log: log.root.subject('gateway'),
      nowMs: () => clock.nowMs(),
      recordAudit: (record) => store.recordAudit(record),
      stop: () => onStop?.(),
    });
    this.#components = createComponents(foundation, {
      config: () => this.#loaded.config,
      configurators: () => this.#configurators,
      connections: () => this.#api,
      reload: () => this.reload(),
      configuration: this.#configurationFile.get,
      backups: this.#backups.get,
      targetBackups: this.#targetBackups.get,
      updates: this.#updates.get,
      chips: this.#chips.get,
      doctor: () => this.#runDoctor(),
      prune: (remove) => this.#queue.run(() => prune(this.#loaded, this.#configurationTarget(), remove)),
      ...(onStop && { stop: onStop }),
    });
  }

  /** The tasks in progress. */
  get tasks(): TaskList {
    return this.#components.tasks;
  }

  get kernel(): Kernel {
    return this.#components.kernel;
  }

  get registry(): Registry {
    return this.#components.registry;
  }

  get health(): Health {
    return this.#foundation.health;
  }

  get clock(): Clock {
    return this.#foundation.clock;
  }

  /** The port of the local listener, or of the web server with that name. */
  port(name?: string): number | undefined {
    return this.#api?.port(name);
  }

  /** The code with which the owner's first password is set; undefined once there is one. */
  get claimCode(): string | undefined {
    return this.#claim.code();
  }

  /** Resolves when the store replies, which is the condition for pinging the watchdog. */
  pingStore(): Promise<void> {
    return this.#foundation.store.ping();
  }

  /** Makes a backup now; returns its file name and size. */
  backup(): Promise<{ readonly file: string; readonly bytes: number }> {
    return this.#foundation.store.backup();
  }

  /**
   * Reads the configuration again and applies what can change at run time. Rejects with
   * `CONFIGURATION_INVALID` and all validation errors, if there are any; then nothing changes.
   */
  reload(): Promise<ReloadReport> {
    return this.#queue.run(async () => {
      const { log, modules, health } = this.#foundation;
      const loaded = await reloadConfig(this.#foundation.configSource(), modules, health);
      const before = this.#loaded.config;
      this.#loaded = loaded;
      log.setLevels(levelsOf(loaded.config));
      if (loaded.config.timeZone !== before.timeZone) {
        this.#setTimeZone?.(loaded.config.timeZone);
        await this.#components.events.onTimeZoneChange();
      }
      this.kernel.changes.setLimits(bufferOf(loaded.config));
      const problems = await this.#applyConfiguration();
      await this.#reloadApi();
      await this.#startTargetBackups();
      await this.#startUpdates();
      log.root.info({ kind: logKind.configurationReloaded }, 'configuration reloaded');
      const all = [...problems, ...(this.#api?.problems() ?? [])];
      return {
        Applied: RELOADABLE,
        // A change waits for a restart until it is made or reverted, however many reloads there are.
        NeedsRestart: needsRestart(this.#foundation.loaded.config, loaded.config),
        Problems: all.map(String),
        CodedProblems: all.map(recordOf),
      };
    });
  }

  /**
   * Stops the gateway, hands the outputs over to the line keeper, and saves the durable state. May be called
   * twice.
   */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #start(): Promise<void> {
    const { store, health, clock, log, keeper, synchronisation } = this.#foundation;
    const { kernel, devices, archive, media, scripts, settings, status, cleanup } = this.#components;
    await store.load(kernel);
    const sequence = new StartSequence(health, log.root.subject('gateway'));
    await sequence.run('ids', () => archive.guardIds());
    kernel.setRunlevel(runlevel.init);
    this.#stopAlerts = log.onAlert((alert) => this.#publishAlert(alert));
    await sequence.run('own objects', () => createCoreInstances(status.declare(), { kernel, devices }));
    await sequence.run('archive', () => archive.start());
    await sequence.run('configuration', () => this.#applyConfiguration());
    await sequence.run('devices', () => devices.start());
    await sequence.run('media', () => media.start());
    await sequence.run('scripts', () => scripts.watch());
    this.#api = await Api.start(
      {
        ...apiDependencies(this.#foundation, this.#components, {
          configurators: () => this.#configurators,
          config: () => this.#loaded.config,
        }),
        claim: this.#claim,
        backups: {
          path: async (name) => (await this.#backups.get()).path(name),
          receive: async (...given) => (await this.#backups.get()).receive(...given),
        },
      },
      apiOptions(this.#loaded.config, settings),
    );
    health.addCheck('clock', () => clockFinding(clock.isTrusted()));
    health.addCheck('devices', () => devicesFinding(devices, kernel));
    health.addCheck('outputs', () => keeper.check());
    health.addCheck('listeners', () => listenersFinding(this.#api?.problems() ?? []));
    health.addCheck('certificates', () => certificatesFinding(this.#api?.certificates(), clock));
    cleanup.push(
      settings.changed.on((name) => {
        if (name === 'ServerMaxPostSize') void this.#reloadApi();
      }),
      clock.every(STATUS_EVERY_MS, () => this.#updateStatus()),
      this.#startPeriodicChecks(),
    );
    this.#updateStatus();
    synchronisation.watch(clock, () => {
      this.#updateStatus();
      void this.#api?.checkCertificates();
    });
    await this.#claim.publish();
    await sequence.run('backup targets', () => this.#startTargetBackups());
    await this.#startUpdates();
    kernel.setRunlevel(runlevel.ready);
    cleanup.push(buildSnapshotEntries(kernel.tree));
  }

  async #close(): Promise<void> {
    const { store, keeper, synchronisation } = this.#foundation;
    const { kernel, devices, archive, media, scripts, events, cleanup } = this.#components;
    kernel.setRunlevel(runlevel.uninit);
    this.#claim.close();
    const cleaned = cleanup.map((clean) => clean());
    synchronisation.close();
    await this.#api?.close();
    await events[Symbol.asyncDispose]();
    await scripts.close();
    await media.close();
    await devices.close();
    await archive.close();
    await keeper.goodbye();
    kernel.setRunlevel(runlevel.shutdown);
    this.#stopAlerts?.();
    await Promise.all([...cleaned, store.close()]);
  }

  /** Applies the tree and the configurators; returns what could not be applied. */
  async #applyConfiguration(): Promise<readonly Text[]> {
    const { configurators, problems } = await applyConfiguration(this.#loaded, this.#configurationTarget());
    this.#configurators = configurators;
    return problems;
  }

  #configurationTarget(): ConfigurationTarget {
    const { clock, health, store, log } = this.#foundation;
    return { ...this.#components, clock, health, store, log: log.root };
  }

  /** As `stellwerk doctor`, for the file as it is now; the code is loaded when it is needed. */
  async #runDoctor(): ReturnType<SystemPort['doctor']> {
    const { combineChecks, examine, readConfiguredMachine } = await import('./doctor/doctor.js');
    const { modules, directory: dataDirectory, health } = this.#foundation;
    const configured = await readConfiguredMachine(this.#foundation.configSource(), async () => modules);
    const own = await examine(configured, { dataDirectory, isGateway: true, root: this.#machineRoot });
    return combineChecks(own, health.record().Checks);
  }

  /** Loads the code for targets if there are some. */
  async #startTargetBackups(): Promise<void> {
    if ((this.#loaded.config.backup?.targets ?? []).length > 0) await this.#targetBackups.get();
  }

  /** Loads the code for updates if they are checked. */
  async #startUpdates(): Promise<void> {
    if (this.#loaded.config.updates !== undefined) await this.#updates.get();
  }

  async #reloadApi(): Promise<void> {
    await this.#api?.reload(apiOptions(this.#loaded.config, this.#components.settings));
  }

  /** Warnings and errors are also sent to the clients, as messages. */
  #publishAlert({ level, subject, text }: LogAlert): void {
    const kind = level === 'error' ? message.KL_ERROR : message.KL_WARNING;
    this.kernel.changes.emit(0, kind, [subject, text, Math.floor(this.clock.nowMs() / 1000)]);
  }

  #updateStatus(): void {
    const { health, store } = this.#foundation;
    this.#components.status.show(health.record(), { bytesToday: store.written.today });
  }

  #startPeriodicChecks(): Cancel {
    const { clock, health, modules, directory: dataDirectory, log } = this.#foundation;
    const { kernel } = this.#components;
    const subject = log.root.subject('health');
    return startPeriodicChecks({ kernel, modules, clock, health, dataDirectory, log: subject });
  }
}
