import { message } from './messages.js';
import { objectType, type InstanceData, type TreeObject } from './object.js';
import type { ObjectOptions, Tree } from './tree.js';

/** An instance of the tree. */
export type Instance = TreeObject<1>;

/** Instance status by its numbers in the interface (§1); from 200 on it is an error of the module's. */
export const instanceStatus = {
  creating: 101,
  active: 102,
  deleting: 103,
  inactive: 104,
  moduleMissing: 105,
  configurationInvalid: 200,
  offline: 201,
} as const;

/** The kernel's side of instances: what they are, not what they do. */
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
    { nowMs, ...beginning }: ObjectOptions & { nowMs: number },
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
      ...beginning,
      created: [module.id, module.name, module.kind],
      rest: ({ id }) => this.#tree.changes.emit(id, message.IM_CHANGESTATUS, [data.status]),
    });
  }

  /** Status is shown, not stored: it is found anew at every start. */
  setStatus(instance: Instance, status: number): void {
    if (instance.data.status === status) return;
    this.#tree.touch(instance);
    instance.data.status = status;
    this.#tree.changes.emit(instance.id, message.IM_CHANGESTATUS, [status]);
  }

  /** The active properties are now these; `shown` is their JSON without secrets, for the message. */
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

  /** A copy stays closed, or from now on may be opened; stored, not shown. */
  setAsleep(instance: Instance, asleep: boolean): void {
    if ((instance.data.asleep ?? false) === asleep) return;
    if (asleep) instance.data.asleep = true;
    else delete instance.data.asleep;
    this.#tree.journal.markObject(instance);
  }

  /** Connects to an I/O instance, or with 0 disconnects. */
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
