import { coded } from '../base/codes/coded-text.js';
import { fault } from '../base/fault.js';
import type { Histogram } from '../base/metrics/histogram.js';
import { instanceStatus, type Instance } from '../kernel/instances.js';
import { message } from '../kernel/messages.js';
import { objectType } from '../kernel/object.js';
import type { ObjectOptions } from '../kernel/tree.js';
import type { Variable } from '../kernel/variables.js';
import {
  requireNoForeignChildren,
  declareVariables,
  renameVariables,
  deleteWithVariables,
  isReported,
} from './instance-variables.js';
import type { ModuleDefinition, OpenInstance, OpenInstances, InstanceProblem, Value } from './module.js';
import { areCompatible, type ModuleRegistry } from './module-registry.js';
import { PendingProperties, parseProperties } from './pending-properties.js';
import { defaultsOf, redactProperties, withProperty, type Properties } from './properties.js';
import { qualityBeforeReport } from './quality-tracker.js';
import { SupervisorRegistry, type SupervisorRegistryOptions } from './supervisor-registry.js';
import type { Supervisor } from './supervisor.js';
import type { PerformAction } from './toggle.js';

interface DevicesOptions extends Omit<SupervisorRegistryOptions, 'performAction' | 'configure'> {
  /** Performs actions (`RequestAction`) for a device. By default, those of instances only. */
  readonly performAction?: PerformAction;
}

/** An entry of `HW_ReadServiceMessages`: a problem and its instance. */
type ServiceMessage = InstanceProblem & { readonly id: number };

/**
 * The instances: their properties (active and pending), connections and supervisors. A failing instance never
 * affects another.
 */
export class Devices implements OpenInstances, AsyncDisposable {
  readonly modules: ModuleRegistry;
  readonly #options: DevicesOptions;
  readonly #supervisors: SupervisorRegistry;
  readonly #pending = new PendingProperties();
  #isStarted = false;

  constructor(options: DevicesOptions) {
    const { kernel, modules } = options;
    this.#options = options;
    this.modules = modules;
    this.#supervisors = new SupervisorRegistry({
      performAction: (of, value) => this.write(kernel.variables.actionTargetOf(of), of.ident, value),
      configure: {
        createConnected: (parent, { module, properties }, name) =>
          this.#createConnected(parent, { module, properties, name }),
        reconfigure: (instance, changes) => this.#reconfigure(instance, changes),
      },
      ...options,
    });
  }

  /** Starts all instances of the tree, I/O instances before those connected to them. */
  start(): void {
    this.#isStarted = true;
    this.#supervisors.start();
  }

  /** Stops all instances; outputs keep their state, motors stop. Calling it twice is allowed. */
  async close(): Promise<void> {
    this.#isStarted = false;
    await this.#supervisors.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /**
   * Creates an instance with the module's default properties and the given ones; opens it immediately, or in
   * `start`. With `connectTo`, it is connected to that I/O instance. Throws `MODULE_MISSING`, `PROPERTY_*`.
   */
  create(
    moduleId: string,
    { connectTo = 0, ...objectOptions }: ObjectOptions & { readonly connectTo?: number } = {},
    properties: Properties = {},
  ): Instance {
    const { kernel, clock } = this.#options;
    const module = this.modules.get(moduleId);
    let all = defaultsOf(module);
    for (const [name, value] of Object.entries(properties)) all = withProperty(module, all, [name, value]);
    const instance = kernel.instances.create(module, all, { ...objectOptions, nowMs: clock.nowMs() });
    if (connectTo !== 0) kernel.instances.connect(instance, connectTo);
    if (this.#isStarted) this.#supervisors.add(instance, module).start();
    else declareVariables(this.#options, instance, module);
    return instance;
  }

  /**
   * Creates an instance with the properties of another, including secrets. It stays closed until its changes
   * are applied, so that two instances do not use one device by accident. Throws `NOT_OF_TYPE`,
   * `MODULE_MISSING`.
   */
  copy(id: number, objectOptions: ObjectOptions): Instance {
    const { kernel, clock } = this.#options;
    const { instance: source, module } = this.#known(id);
    const place = { ...objectOptions, nowMs: clock.nowMs() };
    const instance = kernel.instances.create(module, source.data.properties, place);
    kernel.instances.setAsleep(instance, true);
    this.#supervisors.add(instance, module).start();
    return instance;
  }

  /** Announces the properties of an instance that was restored, and opens it as at a start. */
  open(id: number): void {
    const { kernel } = this.#options;
    const instance = kernel.instances.get(id);
    kernel.changes.emit(id, message.IM_CHANGESETTINGS, [JSON.stringify(this.configuration(id))]);
    if (this.#isStarted) this.#supervisors.open(instance);
  }

  /** Marks the value of a variable that was restored: its device has not reported it since. */
  markRestored(variable: Variable): void {
    if (isReported(variable))
      this.#options.kernel.variables.setQualityProblem(variable, qualityBeforeReport(variable));
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
    const supervisor = this.#supervisors.find(id);
    await supervisor?.withdraw();
    await supervisor?.stop('deleted', instanceStatus.deleting);
    // More instances may connect while one is being disconnected.
    for (;;) {
      const [child] = this.#supervisors.childrenOf(id);
      if (child === undefined) break;
      await this.disconnect(child);
    }
    try {
      deleteWithVariables(kernel, instance);
    } catch (thrown) {
      // An object was created below it meanwhile: it stays and reopens. A concurrent call may also have
      // deleted it.
      const isThere = kernel.tree.find(id) === instance && this.#supervisors.find(id) === supervisor;
      if (isThere && supervisor !== undefined) this.#supervisors.add(instance, supervisor.module).start();
      throw thrown;
    }
    this.#supervisors.remove(instance);
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
    this.#supervisors.declare(instance, module);
    await this.#supervisors.find(id)?.restart(instance.data.properties);
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
    await this.#supervisors.connect(instance, parentId);
  }

  async disconnect(id: number): Promise<void> {
    await this.#supervisors.connect(this.#known(id).instance, 0);
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
    return this.#supervisors.get(id);
  }

  /** Known devices behind an instance. */
  knownDevices(id: number): readonly object[] {
    this.#options.kernel.instances.get(id);
    return this.#supervisors.find(id)?.openInstance?.knownDevices?.() ?? [];
  }

  /** The problems of an instance and of those connected to it. */
  problems(id: number): ServiceMessage[] {
    this.#options.kernel.instances.get(id);
    return [id, ...this.#supervisors.childrenOf(id)].flatMap((one) => this.#problemsOf(one));
  }

  /** The problems of all instances, except those that their properties keep closed. */
  *allProblems(): Generator<ServiceMessage> {
    for (const { id, data } of this.#options.kernel.tree.objectsOfType(objectType.instance))
      if (data.status !== instanceStatus.inactive) yield* this.#problemsOf(id);
  }

  /** The durations of all commands. */
  get commandDurations(): Histogram {
    return this.#supervisors.commandDurations;
  }

  /** Per instance: its statistics, and the processing of reports. */
  latencies(): ReturnType<SupervisorRegistry['latencies']> {
    return this.#supervisors.latencies();
  }

  openInstance(id: number, module: { readonly id: string; readonly name: string }): OpenInstance {
    const instance = this.#options.kernel.instances.get(id);
    if (instance.data.moduleId !== module.id) throw fault('WRONG_MODULE', id, module.name);
    const running = this.#supervisors.find(id)?.openInstance;
    if (running === undefined)
      throw fault('DEVICE_OFFLINE', this.#problemsOf(id)[0]?.text ?? coded`OPENING: it is being opened`);
    return running;
  }

  #createConnected(
    { id, parent }: Instance,
    { module, properties, name }: { module: string; properties: Properties; name: string },
  ): void {
    const { kernel, log } = this.#options;
    let position = 0;
    for (const one of parent?.children ?? []) position = Math.max(position, one.position + 1);
    const made = this.create(
      module,
      { parent: parent ?? kernel.tree.root, name, position, connectTo: id },
      properties,
    );
    log.info({ instance: made.id, name, parent: id }, 'an instance was created by a rule');
  }

  /** Changes active and pending properties alike, so that applying the pending ones does not undo it. */
  #reconfigure(instance: Instance, changes: Properties): void {
    const { kernel, clock } = this.#options;
    const { module } = this.#known(instance.id);
    if (this.#pending.has(instance.id)) this.#pending.set(instance, module, changes);
    let properties = instance.data.properties;
    for (const [name, value] of Object.entries(changes))
      properties = withProperty(module, properties, [name, value]);
    const shown = JSON.stringify(redactProperties(module, properties));
    const before = instance.data.properties;
    kernel.instances.setProperties(instance, { properties, shown }, clock.nowMs());
    renameVariables(kernel, instance, { module, before, after: properties });
    this.#supervisors.declare(instance, module);
    void this.#supervisors.find(instance.id)?.restart(properties);
  }

  #problemsOf(id: number): ServiceMessage[] {
    return this.#supervisors.problemsOf(id).map((problem) => ({ id, ...problem }));
  }

  #known(id: number): { readonly instance: Instance; readonly module: ModuleDefinition } {
    const instance = this.#options.kernel.instances.get(id);
    return { instance, module: this.modules.get(instance.data.moduleId) };
  }
}
