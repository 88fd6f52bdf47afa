import type { Clock } from '../base/clock.js';
import { Deadlines } from '../base/deadlines.js';
import { fault, messageOf } from '../base/fault.js';
import type { Log } from '../base/log.js';
import { instanceStatus, type Instance } from '../kernel/instances.js';
import type { Kernel } from '../kernel/kernel.js';
import { objectType } from '../kernel/object.js';
import type { ObjectOptions } from '../kernel/tree.js';
import type { Variable } from '../kernel/variables.js';
import { Debug, DebugTap } from './debug.js';
import { InstanceConnections } from './instance-connections.js';
import type {
  BootFlags,
  ModuleDefinition,
  OpenInstance,
  OpenInstances,
  InstanceProblem,
  Value,
} from './module.js';
import { areCompatible, type ModuleRegistry } from './module-registry.js';
import { PendingProperties, parseProperties } from './pending-properties.js';
import { completeStored, defaultsOf, redactProperties, withProperty, type Properties } from './properties.js';
import { QualityTracker, type OfflineCode } from './quality-tracker.js';
import { siblingsOf } from './siblings.js';
import { Supervisor } from './supervisor.js';
import type { LatencyStatistics } from './latency-statistics.js';
import { toggle, type PerformAction } from './toggle.js';
import {
  requireNoForeignChildren,
  declareVariables,
  deleteWithVariables,
  usesProfile,
} from './instance-variables.js';

const NO_MODULE = 'this version has no such module';
type Closed = InstanceProblem & { readonly code: OfflineCode };
const MODULE_MISSING: Closed = { code: 'MODULE_MISSING', text: NO_MODULE };

export interface DevicesOptions {
  readonly kernel: Kernel;
  readonly modules: ModuleRegistry;
  readonly clock: Clock;
  readonly log: Log;
  readonly bootFlags?: BootFlags;
  readonly debug?: Debug;
  /** Performs actions (`RequestAction`) for a device. By default, those of instances only. */
  readonly performAction?: PerformAction;
}

/** An entry of `HW_ReadServiceMessages`: a problem and its instance. */
export type ServiceMessage = InstanceProblem & { readonly id: number };

/**
 * The instances: their properties (active and pending), connections and supervisors. A failing instance never
 * affects another.
 */
export class Devices implements OpenInstances, AsyncDisposable {
  readonly modules: ModuleRegistry;
  readonly #options: DevicesOptions;
  readonly #marks: BootFlags;
  readonly #deadlines: Deadlines;
  readonly #debug: Debug;
  readonly #supervisors = new Map<number, Supervisor>();
  readonly #pending = new PendingProperties();
  /** Why instances have no supervisor. */
  readonly #closed = new Map<number, Closed>();
  readonly #connections = new InstanceConnections();
  #isStarted = false;

  constructor(options: DevicesOptions) {
    this.#options = options;
    this.#marks = options.bootFlags ?? new Set<string>();
    this.#deadlines = new Deadlines(options.clock);
    this.#debug = options.debug ?? new Debug(options);
    this.modules = options.modules;
    options.kernel.profiles.onListChanged = (name) => this.#profileListed(name);
  }

  /** Starts all instances of the tree, I/O instances before those connected to them. */
  start(): void {
    this.#isStarted = true;
    const { kernel, log } = this.#options;
    for (const instance of Array.from(kernel.tree.objectsOfType(objectType.instance))) {
      const module = this.modules.find(instance.data.moduleId);
      try {
        if (module !== undefined) this.#supervise(instance, module);
        else this.#leave(instance, MODULE_MISSING, instanceStatus.moduleMissing);
      } catch (thrown) {
        log.error({ instance: instance.id, err: thrown }, 'it could not be made ready');
        const text = messageOf(thrown);
        this.#leave(instance, { code: 'CLOSED', text }, instanceStatus.configurationInvalid);
      }
    }
    for (const supervisor of this.#supervisors.values()) supervisor.start();
  }

  /** Stops all instances; outputs keep their state, motors stop. Calling it twice is allowed. */
  async close(): Promise<void> {
    this.#isStarted = false;
    const all = [...this.#supervisors.values()];
    this.#supervisors.clear();
    await Promise.all(all.map((supervisor) => supervisor.stop()));
    this.#deadlines.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /**
   * Creates an instance with the module's default properties and the given ones; opens it immediately, or in
   * `start`. Throws `MODULE_MISSING`, `PROPERTY_*`.
   */
  create(moduleId: string, beginning: ObjectOptions = {}, properties: Properties = {}): Instance {
    const { kernel, clock } = this.#options;
    const module = this.modules.get(moduleId);
    let all = defaultsOf(module);
    for (const [name, value] of Object.entries(properties)) all = withProperty(module, all, [name, value]);
    const instance = kernel.instances.create(module, all, { ...beginning, nowMs: clock.nowMs() });
    if (this.#isStarted) this.#supervise(instance, module).start();
    else declareVariables(this.#options, instance, module);
    return instance;
  }

  /**
   * Creates an instance with the properties of another, including secrets. It stays closed until its changes
   * are applied, so that two instances do not use one device by accident. Throws `NOT_OF_TYPE`,
   * `MODULE_MISSING`.
   */
  copy(id: number, beginning: ObjectOptions): Instance {
    const { kernel, clock } = this.#options;
    const { instance: source, module } = this.#known(id);
    const place = { ...beginning, nowMs: clock.nowMs() };
    const instance = kernel.instances.create(module, source.data.properties, place);
    kernel.instances.setAsleep(instance, true);
    this.#supervise(instance, module).start();
    return instance;
  }

  /**
   * Deletes an instance with its module's variables and disconnects those connected to it. Throws
   * `HAS_CHILDREN` if it has other children.
   */
  async delete(id: number): Promise<void> {
    const { kernel } = this.#options;
    const instance = kernel.instances.get(id);
    requireNoForeignChildren(instance);
    kernel.instances.setStatus(instance, instanceStatus.deleting);
    const supervisor = this.#supervisors.get(id);
    await supervisor?.stop('deleted', instanceStatus.deleting);
    // More instances may connect while one is being disconnected.
    for (;;) {
      const [child] = this.#connections.childrenOf(id);
      if (child === undefined) break;
      await this.disconnect(child);
    }
    try {
      deleteWithVariables(kernel, instance);
    } catch (thrown) {
      // An object was created below it meanwhile: it stays and reopens. A concurrent call may also have
      // deleted it.
      const isThere = kernel.tree.find(id) === instance && this.#supervisors.get(id) === supervisor;
      if (isThere && supervisor !== undefined) this.#supervise(instance, supervisor.module).start();
      throw thrown;
    }
    this.#supervisors.delete(id);
    this.#closed.delete(id);
    this.#connections.remove(instance);
    this.#pending.take(id);
  }

  /** The active properties, with secrets hidden. */
  configuration(id: number): Properties {
    const { data } = this.#options.kernel.instances.get(id);
    return redactProperties(this.modules.find(data.moduleId), data.properties);
  }

  /**
   * An active property, with secrets hidden; false if the module no longer exists (interface §1). Throws
   * `PROPERTY_MISSING`.
   */
  property(id: number, name: string): unknown {
    const { data } = this.#options.kernel.instances.get(id);
    if (this.modules.find(data.moduleId) === undefined) return false;
    const shown = this.configuration(id);
    if (!Object.hasOwn(shown, name)) throw fault('PROPERTY_MISSING', name);
    return shown[name];
  }

  /**
   * Sets a pending property. Returns false for unknown properties and unchanged values. Throws
   * `PROPERTY_INVALID`.
   */
  setProperty(id: number, name: string, value: unknown): boolean {
    const { instance, module } = this.#known(id);
    if (!Object.hasOwn(module.properties.properties, name)) return false;
    return this.#pending.set(instance, module, { [name]: value });
  }

  /** Sets several pending properties, or none if one is invalid. Throws `PROPERTY_*`. */
  setProperties(id: number, properties: Properties): void {
    const { instance, module } = this.#known(id);
    this.#pending.set(instance, module, properties);
  }

  /**
   * Sets the pending properties in a JSON object, or none if one is invalid. Throws `CONFIGURATION_INVALID`,
   * `PROPERTY_*`.
   */
  setConfiguration(id: number, json: string): boolean {
    const { instance, module } = this.#known(id);
    this.#pending.set(instance, module, parseProperties(json));
    return true;
  }

  hasChanges(id: number): boolean {
    this.#options.kernel.instances.get(id);
    return this.#pending.has(id);
  }

  resetChanges(id: number): void {
    this.#options.kernel.instances.get(id);
    this.#pending.take(id);
  }

  /** Applies the pending properties and reopens the instance; its id, name and history stay. */
  async applyChanges(id: number): Promise<void> {
    const { kernel, clock } = this.#options;
    const { instance, module } = this.#known(id);
    const properties = this.#pending.take(id);
    kernel.instances.setAsleep(instance, false);
    if (properties !== undefined) {
      const shown = JSON.stringify(redactProperties(module, properties));
      kernel.instances.setProperties(instance, { properties, shown }, clock.nowMs());
    }
    this.#declare(instance, module);
    await this.#supervisors.get(id)?.restart(instance.data.properties);
  }

  isCompatible(id: number, parentId: number): boolean {
    const child = this.#known(id).module;
    const parent = this.#known(parentId).module;
    return areCompatible(child, parent);
  }

  /** Connects an instance to its I/O instance. Throws `INCOMPATIBLE`. */
  async connect(id: number, parentId: number): Promise<void> {
    const { instance } = this.#known(id);
    if (!this.isCompatible(id, parentId)) throw fault('INCOMPATIBLE');
    this.#connections.remove(instance);
    this.#options.kernel.instances.connect(instance, parentId);
    this.#connections.add(instance);
    await this.#supervisors.get(id)?.restart(instance.data.properties);
  }

  async disconnect(id: number): Promise<void> {
    const { instance } = this.#known(id);
    this.#connections.remove(instance);
    this.#options.kernel.instances.connect(instance, 0);
    await this.#supervisors.get(id)?.restart(instance.data.properties);
  }

  /**
   * Sends a command to the hardware. Throws `NOT_OF_TYPE`, `IDENT_NOT_FOUND`, `READ_ONLY`, `DEVICE_*`,
   * `TIMED_OUT`.
   */
  async write(id: number, ident: string, value: Value): Promise<void> {
    this.variable(id, ident);
    await this.supervisor(id).write(ident, value);
  }

  /** Requests the present value of a variable from the hardware. */
  async refresh(id: number, ident: string): Promise<void> {
    this.variable(id, ident);
    await this.supervisor(id).refresh(ident);
  }

  /** The variable of an instance with this ident. Throws `NOT_OF_TYPE`, `IDENT_NOT_FOUND`. */
  variable(id: number, ident: string): Variable {
    const variable = this.#options.kernel.instances.get(id).children?.byIdent(ident);
    if (!variable?.is(objectType.variable)) throw fault('IDENT_NOT_FOUND', ident);
    return variable;
  }

  /** What commands to an instance are sent to. Throws `DEVICE_OFFLINE` if its module is missing. */
  supervisor(id: number): Pick<Supervisor, 'write' | 'refresh'> {
    const supervisor = this.#supervisors.get(id);
    if (supervisor === undefined) throw fault('DEVICE_OFFLINE', this.#closed.get(id)?.text ?? NO_MODULE);
    return supervisor;
  }

  /** Known devices behind an instance. */
  knownDevices(id: number): readonly object[] {
    this.#options.kernel.instances.get(id);
    return this.#supervisors.get(id)?.openInstance?.knownDevices?.() ?? [];
  }

  /** The problems of an instance and of those connected to it. */
  problems(id: number): ServiceMessage[] {
    this.#options.kernel.instances.get(id);
    return [id, ...this.#connections.childrenOf(id)].flatMap((one) => this.#troublesOf(one));
  }

  /** The problems of all instances, except those that their properties keep closed. */
  *allProblems(): Generator<ServiceMessage> {
    for (const { id, data } of this.#options.kernel.tree.objectsOfType(objectType.instance))
      if (data.status !== instanceStatus.inactive) yield* this.#troublesOf(id);
  }

  /** Per instance: the latency of commands, and of processing reports. */
  *latencies(): Generator<{
    readonly id: number;
    readonly asked: LatencyStatistics;
    readonly taken: LatencyStatistics;
  }> {
    for (const [id, { commandLatency: asked, reportLatency: taken }] of this.#supervisors)
      yield { id, asked, taken };
  }

  openInstance(id: number, module: { readonly id: string; readonly name: string }): OpenInstance {
    const instance = this.#options.kernel.instances.get(id);
    if (instance.data.moduleId !== module.id) throw fault('WRONG_MODULE', id, module.name);
    const running = this.#supervisors.get(id)?.openInstance;
    if (running === undefined)
      throw fault('DEVICE_OFFLINE', this.#troublesOf(id)[0]?.text ?? 'it is being opened');
    return running;
  }

  #troublesOf(id: number): ServiceMessage[] {
    const troubles = this.#supervisors.get(id)?.problems() ?? [this.#closed.get(id) ?? MODULE_MISSING];
    return troubles.map((trouble) => ({ id, ...trouble }));
  }

  #known(id: number): { readonly instance: Instance; readonly module: ModuleDefinition } {
    const instance = this.#options.kernel.instances.get(id);
    return { instance, module: this.modules.get(instance.data.moduleId) };
  }

  /** Keeps an instance closed and without a supervisor, with the reason. */
  #leave(instance: Instance, closed: Closed, status: number): void {
    const { kernel, clock, log } = this.#options;
    log.error({ instance: instance.id, module: instance.data.moduleId }, closed.text);
    this.#closed.set(instance.id, closed);
    new QualityTracker({ kernel, clock, instance, deadlines: this.#deadlines }).setOffline(
      closed.code,
      closed.text,
    );
    kernel.instances.setStatus(instance, status);
  }

  /** Called when a profile is created or deleted: variables whose module names it get it, or lose it. */
  #profileListed(name: string): void {
    for (const { instance, module } of this.#supervisors.values())
      if (usesProfile(module, instance.data.properties, name)) this.#declare(instance, module);
  }

  #declare(instance: Instance, module: ModuleDefinition): void {
    const problems = declareVariables(this.#options, instance, module);
    const supervisor = this.#supervisors.get(instance.id);
    if (supervisor !== undefined) supervisor.variableProblems = problems;
  }

  #supervise(instance: Instance, module: ModuleDefinition): Supervisor {
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
        bootFlags: this.#marks,
        debug: new DebugTap(this.#debug, instance, module),
        deadlines: this.#deadlines,
        instance,
        module,
        parent: () => this.#parentOf(instance),
        siblings: () => siblingsOf(module, this.#supervisors.values()),
        toggle: (path) =>
          toggle(
            kernel,
            path,
            this.#options.performAction ??
              ((of, value) => this.write(kernel.variables.actionTargetOf(of), of.ident, value)),
          ),
        onLink: () => this.#followed(instance.id),
      },
      properties,
    );
    supervisor.variableProblems = problems;
    this.#supervisors.set(instance.id, supervisor);
    return supervisor;
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
  #followed(id: number): void {
    const isOnline = this.#supervisors.get(id)?.openInstance !== undefined;
    for (const child of this.#connections.childrenOf(id)) {
      const supervisor = this.#supervisors.get(child);
      if (isOnline) supervisor?.start();
      else void supervisor?.restart();
    }
  }
}
