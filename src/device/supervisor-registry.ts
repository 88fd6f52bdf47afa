import type { Clock } from '../base/clock.js';
import { Deadlines } from '../base/deadlines.js';
import { coded } from '../base/codes/coded-text.js';
import { codedMessageOf, fault } from '../base/fault.js';
import { Histogram } from '../base/metrics/histogram.js';
import type { Log } from '../base/log.js';
import { instanceStatus, type Instance } from '../kernel/instances.js';
import type { Kernel } from '../kernel/kernel.js';
import { objectType } from '../kernel/object.js';
import { Debug, DebugTap } from './debug.js';
import type { InstanceTemplate } from './hardware-search.js';
import { InstanceConnections } from './instance-connections.js';
import type { InstanceStatistics, LatencyStatistics } from './instance-statistics.js';
import { declareVariables, usesProfile } from './instance-variables.js';
import type { BootFlags, InstanceProblem, ModuleDefinition, OpenInstance, Sibling } from './module.js';
import type { ModuleRegistry } from './module-registry.js';
import { completeStored, type Properties } from './properties.js';
import { QualityTracker, type OfflineCode } from './quality-tracker.js';
import { Supervisor } from './supervisor.js';
import { toggle, type PerformAction } from './toggle.js';
import { createTreeView } from './tree-view.js';

const NO_MODULE = coded`NO_SUCH_MODULE: this version has no such module`;
type Closed = InstanceProblem & { readonly code: OfflineCode };
const MODULE_MISSING: Closed = { code: 'MODULE_MISSING', text: NO_MODULE };

/** What open instances may change of the configuration. */
interface ConfigureInstances {
  /** Implements `Host.createConnected` for this instance. */
  createConnected(parent: Instance, template: InstanceTemplate, name: string): void;
  /** Implements `Host.reconfigure` for this instance. */
  reconfigure(instance: Instance, changes: Properties): void;
}

export interface SupervisorRegistryOptions {
  readonly kernel: Kernel;
  readonly modules: ModuleRegistry;
  readonly clock: Clock;
  readonly log: Log;
  readonly bootFlags?: BootFlags;
  readonly debug?: Debug;
  /** Performs actions for `Host.toggle`. */
  readonly performAction: PerformAction;
  readonly configure: ConfigureInstances;
}

/** The supervisors of all instances, and which instance is connected to which. */
export class SupervisorRegistry {
  /** The durations of all commands. */
  readonly commandDurations = new Histogram();
  readonly #options: SupervisorRegistryOptions;
  readonly #bootFlags: BootFlags;
  readonly #deadlines: Deadlines;
  readonly #debug: Debug;
  readonly #supervisors = new Map<number, Supervisor>();
  /** Why instances have no supervisor. */
  readonly #closed = new Map<number, Closed>();
  readonly #connections = new InstanceConnections();

  constructor(options: SupervisorRegistryOptions) {
    this.#options = options;
    this.#bootFlags = options.bootFlags ?? new Set<string>();
    this.#deadlines = new Deadlines(options.clock);
    this.#debug = options.debug ?? new Debug(options);
    options.kernel.profiles.onListChanged = (name) => this.#onProfileListChanged(name);
  }

  /** Starts all instances of the tree, I/O instances before those connected to them. */
  start(): void {
    const { tree } = this.#options.kernel;
    for (const instance of Array.from(tree.objectsOfType(objectType.instance))) this.#prepare(instance);
    for (const supervisor of this.#supervisors.values()) supervisor.start();
  }

  /** Starts an instance that has been added to the tree, as at a start. */
  open(instance: Instance): void {
    this.#prepare(instance);
    const supervisor = this.#supervisors.get(instance.id);
    if (supervisor !== undefined) this.#notifySiblings(supervisor.module);
    supervisor?.start();
  }

  /** Stops all instances; outputs keep their state, motors stop. Calling it twice is allowed. */
  async close(): Promise<void> {
    const all = [...this.#supervisors.values()];
    this.#supervisors.clear();
    await Promise.all(all.map((supervisor) => supervisor.stop()));
    this.#deadlines.close();
  }

  /** The supervisor of an instance; undefined if its module is missing. */
  find(id: number): Supervisor | undefined {
    return this.#supervisors.get(id);
  }

  /** As `find`; throws `DEVICE_OFFLINE`. */
  get(id: number): Supervisor {
    const supervisor = this.#supervisors.get(id);
    if (supervisor === undefined) throw fault('DEVICE_OFFLINE', this.#closed.get(id)?.text ?? NO_MODULE);
    return supervisor;
  }

  /** Declares the variables of an instance and creates its supervisor, which is to be started. */
  add(instance: Instance, module: ModuleDefinition): Supervisor {
    const supervisor = this.#create(instance, module);
    this.#notifySiblings(module);
    return supervisor;
  }

  #create(instance: Instance, module: ModuleDefinition): Supervisor {
    const { kernel, clock, log } = this.#options;
    const properties = completeStored(module, instance.data.properties);
    instance.data.properties = properties;
    const problems = declareVariables(this.#options, instance, module);
    this.#connections.add(instance);
    const supervisor = new Supervisor(
      {
        kernel,
        clock,
        log,
        bootFlags: this.#bootFlags,
        commandDurations: this.commandDurations,
        debug: new DebugTap(this.#debug, instance, module),
        deadlines: this.#deadlines,
        instance,
        module,
        parent: () => this.#parentOf(instance),
        siblings: () => this.#siblingsOf((one) => one.module === module),
        connected: () => this.#siblingsOf((one) => one.instance.data.connectionId === instance.id),
        createConnected: (...given) => this.#options.configure.createConnected(instance, ...given),
        reconfigure: (changes) => this.#options.configure.reconfigure(instance, changes),
        toggle: (path) => toggle(kernel, path, this.#options.performAction),
        tree: createTreeView(kernel, this.#options.performAction),
        onLink: () => this.#onLinkChanged(instance.id),
      },
      properties,
    );
    supervisor.variableProblems = problems;
    this.#supervisors.set(instance.id, supervisor);
    return supervisor;
  }

  /** Removes a deleted instance. */
  remove(instance: Instance): void {
    const supervisor = this.#supervisors.get(instance.id);
    this.#supervisors.delete(instance.id);
    this.#closed.delete(instance.id);
    this.#connections.remove(instance);
    if (supervisor !== undefined) this.#notifySiblings(supervisor.module);
  }

  /** Connects an instance to an I/O instance, or to none (0), and reopens it. */
  async connect(instance: Instance, parentId: number): Promise<void> {
    this.#connections.remove(instance);
    this.#options.kernel.instances.connect(instance, parentId);
    this.#connections.add(instance);
    await this.#supervisors.get(instance.id)?.restart(instance.data.properties);
  }

  /** The ids of the instances that are connected to an I/O instance. */
  childrenOf(id: number): Iterable<number> {
    return this.#connections.childrenOf(id);
  }

  /** Declares the variables of an instance again, after a change of its properties or of profiles. */
  declare(instance: Instance, module: ModuleDefinition): void {
    const problems = declareVariables(this.#options, instance, module);
    const supervisor = this.#supervisors.get(instance.id);
    if (supervisor !== undefined) supervisor.variableProblems = problems;
    this.#notifySiblings(module);
  }

  /** The problems of an instance. */
  problemsOf(id: number): readonly InstanceProblem[] {
    return this.#supervisors.get(id)?.problems() ?? [this.#closed.get(id) ?? MODULE_MISSING];
  }

  /** Per instance: its statistics, and the processing of reports. */
  *latencies(): Generator<{
    readonly id: number;
    readonly statistics: InstanceStatistics;
    readonly report: LatencyStatistics;
  }> {
    for (const [id, { statistics, reportLatency: report }] of this.#supervisors)
      yield { id, statistics, report };
  }

  /** Called when an instance of a module was added, configured or removed. */
  #notifySiblings(module: ModuleDefinition): void {
    for (const { module: own, instance, openInstance } of this.#supervisors.values())
      try {
        if (own === module) openInstance?.onSiblingsChange?.();
      } catch (thrown) {
        this.#options.log.warn({ instance: instance.id, err: thrown }, 'a change of siblings failed');
      }
  }

  /** Creates the supervisor of an instance, or keeps it closed. */
  #prepare(instance: Instance): void {
    const { log, modules } = this.#options;
    const module = modules.find(instance.data.moduleId);
    try {
      if (module !== undefined) this.#create(instance, module);
      else this.#keepClosed(instance, MODULE_MISSING, instanceStatus.moduleMissing);
    } catch (thrown) {
      log.error({ instance: instance.id, err: thrown }, 'the instance could not be prepared');
      const text = codedMessageOf(thrown);
      this.#keepClosed(instance, { code: 'CLOSED', text }, instanceStatus.configurationInvalid);
    }
  }

  /** Keeps an instance closed and without a supervisor, with the reason. */
  #keepClosed(instance: Instance, closed: Closed, status: number): void {
    const { kernel, clock, log } = this.#options;
    log.error({ instance: instance.id, module: instance.data.moduleId }, closed.text.toString());
    this.#closed.set(instance.id, closed);
    new QualityTracker({ kernel, clock, instance, deadlines: this.#deadlines }).setOffline(
      closed.code,
      closed.text.toString(),
    );
    kernel.instances.setStatus(instance, status);
  }

  /** Called when a profile is created or deleted: variables whose module names it start or stop using it. */
  #onProfileListChanged(name: string): void {
    for (const { instance, module } of this.#supervisors.values())
      if (usesProfile(module, instance.data.properties, name)) this.declare(instance, module);
  }

  /** The instances that meet a condition, open or not. */
  #siblingsOf(isMeant: (one: Supervisor) => boolean): Sibling<Properties>[] {
    return [...this.#supervisors.values()].filter(isMeant).map(({ instance: { id, displayName, data } }) => ({
      id,
      name: displayName,
      properties: data.properties,
    }));
  }

  #parentOf(instance: Instance): { name: string; running: OpenInstance | undefined } | undefined {
    const { connectionId } = instance.data;
    const parent = connectionId === 0 ? undefined : this.#options.kernel.tree.find(connectionId);
    if (!parent?.is(objectType.instance)) return undefined;
    // The module's name, not the instance's: a caller who may see the device may not see what it is connected
    // to (interface, decision 14).
    return { name: parent.data.moduleName, running: this.#supervisors.get(connectionId)?.openInstance };
  }

  /** Called when an I/O instance goes online or offline: connected instances follow. */
  #onLinkChanged(id: number): void {
    const isOnline = this.#supervisors.get(id)?.openInstance !== undefined;
    for (const child of this.#connections.childrenOf(id)) {
      const supervisor = this.#supervisors.get(child);
      if (isOnline) supervisor?.start();
      else void supervisor?.restart();
    }
  }
}
