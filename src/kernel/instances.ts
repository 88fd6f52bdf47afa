import { message } from './messages.js';
import { objectType, type InstanceData, type TreeObject } from './object.js';
import type { ObjectOptions, Tree } from './tree.js';

/** An instance object. */
export type Instance = TreeObject<1>;

/** Status codes of instances (interface §1); from 200 on they are errors of the module. */
export const instanceStatus = {
  creating: 101,
  active: 102,
  deleting: 103,
  inactive: 104,
  moduleMissing: 105,
  configurationInvalid: 200,
  offline: 201,
} as const;

/** Instances as tree objects; devices/ opens and closes them. */
export class Instances {
  readonly #tree: Tree;
  constructor(tree: Tree) {
    this.#tree = tree;
  }

  /** Throws `NOT_OF_TYPE`. */
  get(id: number): Instance {
    return this.#tree.getOfType(objectType.instance, id);
  }

  create(
    module: { id: string; name: string; kind: number },
    properties: InstanceData['properties'],
    { nowMs, ...options }: ObjectOptions & { nowMs: number },
  ): Instance {
    const data: InstanceData = {
      moduleId: module.id,
      moduleName: module.name,
      moduleType: module.kind,
      connectionId: 0,
      status: instanceStatus.creating,
      changed: Math.floor(nowMs / 1000),
      properties,
    };
    return this.#tree.create(objectType.instance, data, {
      ...options,
      created: [module.id, module.name, module.kind],
      emitTypeMessages: ({ id }) => this.#tree.changes.emit(id, message.IM_CHANGESTATUS, [data.status]),
    });
  }

  /**
   * Sets the status, which is not stored: every start determines it again. An instance that another call has
   * deleted meanwhile has none.
   */
  setStatus(instance: Instance, status: number): void {
    if (instance.data.status === status || this.#tree.find(instance.id) !== instance) return;
    this.#tree.touch(instance);
    instance.data.status = status;
    this.#tree.changes.emit(instance.id, message.IM_CHANGESTATUS, [status]);
  }

  /** Sets the active properties; `shown` is their JSON without secrets, for the message. */
  setProperties(
    instance: Instance,
    { properties, shown }: { properties: InstanceData['properties']; shown: string },
    nowMs: number,
  ): void {
    this.#tree.touch(instance);
    instance.data.properties = properties;
    instance.data.changed = Math.floor(nowMs / 1000);
    this.#tree.changes.emit(instance.id, message.IM_CHANGESETTINGS, [shown]);
    this.#tree.journal.markObject(instance);
  }

  /** Keeps a copied instance closed until its changes are applied. Stored, but not part of snapshots. */
  setAsleep(instance: Instance, asleep: boolean): void {
    if ((instance.data.asleep ?? false) === asleep) return;
    if (asleep) instance.data.asleep = true;
    else delete instance.data.asleep;
    this.#tree.journal.markObject(instance);
  }

  /** Connects to an I/O instance; 0 disconnects. */
  connect(instance: Instance, connectionId: number): void {
    const former = instance.data.connectionId;
    if (former === connectionId) return;
    this.#tree.touch(instance);
    instance.data.connectionId = connectionId;
    if (former !== 0) this.#tree.changes.emit(instance.id, message.IM_DISCONNECT, [former]);
    if (connectionId !== 0) this.#tree.changes.emit(instance.id, message.IM_CONNECT, [connectionId]);
    this.#tree.journal.markObject(instance);
  }
}
