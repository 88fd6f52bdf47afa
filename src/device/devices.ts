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
  Sibling,
  InstanceProblem,
  Value,
} from './module.js';
import { areCompatible, type ModuleRegistry } from './module-registry.js';
import { PendingProperties, parseProperties } from './pending-properties.js';
import { completeStored, defaultsOf, redactProperties, withProperty, type Properties } from './properties.js';
import { QualityTracker, type OfflineCode } from './quality-tracker.js';
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

/** What the instances work with. */
export interface DevicesOptions {
  readonly kernel: Kernel;
  readonly modules: ModuleRegistry;
  readonly clock: Clock;
  readonly log: Log;
  /** Default: remembered as long as these instances live. */
  readonly bootFlags?: BootFlags;
  /** What shows what they do to those who follow one. */
  readonly debug?: Debug;
  /** Carries out actions (`RequestAction`) for a device. Default: those of instances only. */
  readonly performAction?: PerformAction;
}

/** One line of `HW_ReadServiceMessages`, with the instance it is about. */
export type ServiceMessage = InstanceProblem & { readonly id: number };

/**
 * The instances at work: their properties (active and pending), their connections, their supervisors. One that fails
 * never takes another down.
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

  /** Starts all instances of the tree, I/O instances being opened before what is connected to them. */
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

  /** Stops all; outputs stay as they are, motors stop. Calling twice is fine. */
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
   * A new instance with the module's default properties and, where given, others; opened at once, or by `start`. Throws
   * `MODULE_MISSING`, `PROPERTY_*`.
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
   * A new instance with the properties of another, its secrets too; not connected. It stays closed until its changes are
   * applied: two that work with the same device must not come about by accident. Throws `NOT_OF_TYPE`, `MODULE_MISSING`.
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

  /** Deletes it with its own variables, and disconnects what was connected to it. Throws `HAS_CHILDREN` while it has others. */
  async delete(id: number): Promise<void> {
    const { kernel } = this.#options;
    const instance = kernel.instances.get(id);
    requireNoForeignChildren(instance);
    kernel.instances.setStatus(instance, instanceStatus.deleting);
    const supervisor = this.#supervisors.get(id);
    await supervisor?.stop('deleted', instanceStatus.deleting);
    // Others may be connected to it while one is being disconnected.
    for (;;) {
      const [child] = this.#connections.childrenOf(id);
      if (child === undefined) break;
      await this.disconnect(child);
    }
    try {
      deleteWithVariables(kernel, instance);
    } catch (thrown) {
      // Something was put below it meanwhile: it stays, and works on. Another call may have been faster, too.
      const isThere = kernel.tree.find(id) === instance && this.#supervisors.get(id) === supervisor;
      if (isThere && supervisor !== undefined) this.#supervise(instance, supervisor.module).start();
      throw thrown;
    }
    this.#supervisors.delete(id);
    this.#closed.delete(id);
    this.#connections.remove(instance);
    this.#pending.take(id);
  }

  /** The active properties, secrets hidden. */
  configuration(id: number): Properties {
    const { data } = this.#options.kernel.instances.get(id);
    return redactProperties(this.modules.find(data.moduleId), data.properties);
  }

  /** An active property, a secret hidden; false where the module is gone (interface §1). Throws `PROPERTY_MISSING`. */
  property(id: number, name: string): unknown {
    const { data } = this.#options.kernel.instances.get(id);
    if (this.modules.find(data.moduleId) === undefined) return false;
    const shown = this.configuration(id);
    if (!Object.hasOwn(shown, name)) throw fault('PROPERTY_MISSING', name);
    return shown[name];
  }

  /** Sets a property, not applied yet. False for an unknown one and for an unchanged value. Throws `PROPERTY_INVALID`. */
  setProperty(id: number, name: string, value: unknown): boolean {
    const { instance, module } = this.#known(id);
    if (!Object.hasOwn(module.properties.properties, name)) return false;
    return this.#pending.set(instance, module, { [name]: value });
  }

  /** Sets all properties that are given, not applied yet, or none of them. Throws `PROPERTY_*`. */
  setProperties(id: number, properties: Properties): void {
    const { instance, module } = this.#known(id);
    this.#pending.set(instance, module, properties);
  }

  /** Sets all properties that the JSON object names, or none of them. Throws `CONFIGURATION_INVALID`, `PROPERTY_*`. */
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

  /** Makes the pending properties the active ones and opens the instance with them; its id, name and history stay. */
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

  /** Connects a device to the I/O instance it works over. Throws `INCOMPATIBLE`. */
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

  /** A wish to the hardware. Throws `NOT_OF_TYPE`, `IDENT_NOT_FOUND`, `READ_ONLY`, `DEVICE_*`, `TIMED_OUT`. */
  async write(id: number, ident: string, value: Value): Promise<void> {
    this.variable(id, ident);
    await this.supervisor(id).write(ident, value);
  }

  /** Asks the hardware for the present value of a variable. */
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

  /** What is known of the devices behind an instance. */
  knownDevices(id: number): readonly object[] {
    this.#options.kernel.instances.get(id);
    return this.#supervisors.get(id)?.openInstance?.knownDevices?.() ?? [];
  }

  /** What is wrong with an instance and with those connected to it. */
  problems(id: number): ServiceMessage[] {
    this.#options.kernel.instances.get(id);
    return [id, ...this.#connections.childrenOf(id)].flatMap((one) => this.#troublesOf(one));
  }

  /** What is wrong with any of the instances. With one that its properties keep closed nothing is. */
  *allProblems(): Generator<ServiceMessage> {
    for (const { id, data } of this.#options.kernel.tree.objectsOfType(objectType.instance))
      if (data.status !== instanceStatus.inactive) yield* this.#troublesOf(id);
  }

  /** How long each instance took to do what it was asked, and what it told took to be taken in. */
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

  /** It stays closed, and why; nothing of it is at work. */
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

  /** A profile was created or deleted: the variables whose module names it have it, or go without. */
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
        siblings: () => this.#ofModule(module),
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

  #ofModule(module: ModuleDefinition): Sibling<Properties>[] {
    return [...this.#supervisors.values()]
      .filter((one) => one.module === module)
      .map(({ instance: { id, displayName, data } }) => ({
        id,
        name: displayName,
        properties: data.properties,
      }));
  }

  #parentOf(instance: Instance): { name: string; running: OpenInstance | undefined } | undefined {
    const { connectionId } = instance.data;
    const parent = connectionId === 0 ? undefined : this.#options.kernel.tree.find(connectionId);
    if (!parent?.is(objectType.instance)) return undefined;
    // Not its own name: who may see the device may not see what it is connected to (decision 14).
    return { name: parent.data.moduleName, running: this.#supervisors.get(connectionId)?.openInstance };
  }

  /** An I/O instance went online or left: those connected to it follow. */
  #followed(id: number): void {
    const isOnline = this.#supervisors.get(id)?.openInstance !== undefined;
    for (const child of this.#connections.childrenOf(id)) {
      const supervisor = this.#supervisors.get(child);
      if (isOnline) supervisor?.start();
      else void supervisor?.restart();
    }
  }
}
