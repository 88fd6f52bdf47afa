import { fault } from '../base/fault.js';
import { message } from './messages.js';
import { objectType, type InstanceData, type TreeObject } from './object.js';
import type { ObjectOptions, Tree } from './tree.js';

/** An instance of the tree. */
export type Instance = TreeObject<1>;
/** A script of the tree. */
export type Script = TreeObject<3>;
/** A link of the tree. */
export type Link = TreeObject<6>;

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

/** Scripts: what the tree knows of them. Their texts are files. */
export class Scripts {
  readonly #tree: Tree;
  constructor(tree: Tree) {
    this.#tree = tree;
  }

  get(id: number): Script {
    return this.#tree.getOfType(objectType.script, id);
  }

  /** The file's name follows from the id: `<id>.js`. */
  create(type: number, beginning: ObjectOptions = {}): Script {
    const data = { type, file: '', executed: 0, broken: false };
    const rest = (script: Script) => {
      script.data.file = `${script.id}.js`;
      this.#tree.changes.emit(script.id, message.SM_CHANGEFILE, [script.data.file]);
    };
    return this.#tree.create(objectType.script, data, { ...beginning, created: [type], rest });
  }

  setFile(script: Script, file: string): void {
    if (script.data.file === file) return;
    this.#tree.touch(script);
    script.data.file = file;
    this.#tree.changes.emit(script.id, message.SM_CHANGEFILE, [file]);
    this.#tree.journal.markObject(script);
  }

  /** The text has changed: its checksum (8 hex digits) and size in bytes. */
  announceContent(script: Script, { crc, size }: { crc: string; size: number }, nowMs: number): void {
    this.#tree.changes.emit(script.id, message.SM_UPDATE, [crc, size, Math.floor(nowMs / 1000)]);
  }

  setBroken(script: Script, broken: boolean): void {
    if (script.data.broken === broken) return;
    this.#tree.touch(script);
    script.data.broken = broken;
    this.#tree.changes.emit(script.id, message.SM_BROKEN, [broken]);
    this.#tree.journal.markObject(script);
  }

  /** It has been started. `thread` and `sender` as in the messages seen on the original (§3.5). */
  markExecuted(script: Script, thread: number, nowMs: number): void {
    this.#tree.touch(script);
    script.data.executed = Math.floor(nowMs / 1000);
    this.#tree.changes.emit(script.id, message.SE_EXECUTE, [1, thread, 0, script.data.executed]);
  }

  /** A text runs, that of a script or one of its own. The number is that of SE_EXECUTE: runs are counted from the start. */
  announceRun(
    { sender, file, thread }: { sender: string; file: string; thread: number },
    nowMs: number,
  ): void {
    const at = Math.floor(nowMs / 1000);
    this.#tree.changes.emit(0, message.SE_RUNNING, [sender, `scripts/${file}`, thread, at]);
  }
}

/** Links: an object in a second place. */
export class Links {
  readonly #tree: Tree;
  constructor(tree: Tree) {
    this.#tree = tree;
  }

  get(id: number): Link {
    return this.#tree.getOfType(objectType.link, id);
  }

  create(beginning: ObjectOptions = {}, targetId = 0): Link {
    this.#check(targetId);
    const rest = ({ id }: Link) => {
      if (targetId !== 0) this.#tree.changes.emit(id, message.LM_CHANGETARGET, [targetId]);
    };
    return this.#tree.create(objectType.link, { targetId }, { ...beginning, rest });
  }

  /** 0 is no target (interface §5). Throws `OBJECT_MISSING`. */
  setTarget(link: Link, targetId: number): void {
    this.#check(targetId);
    if (link.data.targetId === targetId) return;
    this.#tree.touch(link);
    link.data.targetId = targetId;
    this.#tree.structureVersion++;
    this.#tree.changes.emit(link.id, message.LM_CHANGETARGET, [targetId]);
    this.#tree.journal.markObject(link);
  }

  #check(targetId: number): void {
    if (targetId !== 0 && this.#tree.find(targetId) === undefined) throw fault('OBJECT_MISSING', targetId);
  }
}
