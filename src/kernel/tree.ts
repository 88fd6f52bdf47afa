import { Fault, fault } from '../base/fault.js';
import type { Changes } from './changes.js';
import { IdPool } from './ids.js';
import type { Journal } from './journal.js';
import { INFO_LIMIT, NAME_LIMIT, checkLength } from './text-limits.js';
import { message } from './messages.js';
import {
  Children,
  TreeObject,
  objectType,
  typeName,
  type Attributes,
  type DataOf,
  type ObjectType,
} from './object.js';

/** The ident of the category at the root with the gateway's own variables and instances. */
export const GATEWAY_IDENT = 'stellwerk';

/** Called before an object changes, so that a snapshot that is being read can save its entry. */
type ChangeWatcher = (object: TreeObject) => void;

/** Attributes and place of a new object; all are optional. */
export interface ObjectOptions extends Partial<Attributes> {
  parent?: TreeObject;
  /** Only for stored objects that are loaded, and deleted ones that are restored. */
  id?: number;
}

/** As {@link ObjectOptions}, with the messages of its type. */
interface CreateObjectOptions<T extends ObjectType> extends ObjectOptions {
  /** Data of the type's CREATE message. */
  created?: readonly unknown[];
  /** Called to emit the messages of the type's own attributes, at their place in the order. */
  emitTypeMessages?: (object: TreeObject<T>) => void;
}

const IDENT = /^[A-Za-z0-9_]*$/;

/** The message for a change of each attribute, in the order for new objects (interface, decision 13). */
const attributeMessages = [
  ['name', message.OM_CHANGENAME],
  ['ident', message.OM_CHANGEIDENT],
  ['position', message.OM_CHANGEPOSITION],
  ['hidden', message.OM_CHANGEHIDDEN],
  ['disabled', message.OM_CHANGEDISABLED],
  ['readOnly', message.OM_CHANGEREADONLY],
  ['icon', message.OM_CHANGEICON],
  ['info', message.OM_CHANGEINFO],
  ['summary', message.OM_CHANGESUMMARY],
  ['publish', message.GW_PUBLISH],
] as const;

/** CREATE and DELETE messages by object type; categories have none. */
const createMessage = [
  undefined,
  message.IM_CREATE,
  message.VM_CREATE,
  message.SM_CREATE,
  message.EM_CREATE,
  message.MM_CREATE,
  message.LM_CREATE,
] as const;
const deleteMessage = [
  undefined,
  message.IM_DELETE,
  message.VM_DELETE,
  message.SM_DELETE,
  message.EM_DELETE,
  message.MM_DELETE,
  message.LM_DELETE,
] as const;

/**
 * The objects and their places (interface §5). The cost of an operation does not depend on the size of the
 * tree. Changes are synchronous, emitted to `changes` in the order of decision 13 of the interface, and
 * marked in the journal.
 */
export class Tree {
  readonly root: TreeObject<0>;
  readonly changes: Changes;
  readonly journal: Journal;
  readonly #objects = new Map<number, TreeObject>();
  readonly ids: IdPool;
  readonly #byType = new Map<ObjectType, Set<TreeObject>>();
  readonly #watchers = new Set<ChangeWatcher>();
  #order = 0;
  /** Grows with every change of an object's place or a link's target. */
  structureVersion = 0;

  constructor(changes: Changes, journal: Journal, random: () => number) {
    this.changes = changes;
    this.journal = journal;
    this.ids = new IdPool({ random, isTaken: (id) => this.#objects.has(id) });
    this.root = new TreeObject(0, objectType.category, {});
    this.root.name = 'stellwerk';
    this.#objects.set(0, this.root);
  }

  get size(): number {
    return this.#objects.size;
  }

  /** All objects in the order of creation, the root first. */
  all(): IterableIterator<TreeObject> {
    return this.#objects.values();
  }

  /** All objects of one type. */
  *objectsOfType<T extends ObjectType>(type: T): Generator<TreeObject<T>> {
    // Most objects are variables: a set of them would cost memory and save nothing.
    const few = type === objectType.variable ? this.#objects.values() : (this.#byType.get(type) ?? []);
    for (const object of few) if (object.is(type)) yield object;
  }

  find(id: number): TreeObject | undefined {
    return this.#objects.get(id);
  }

  /** Throws `OBJECT_MISSING`. */
  get(id: number): TreeObject {
    const object = this.#objects.get(id);
    if (object === undefined) throw fault('OBJECT_MISSING', id);
    return object;
  }

  /** The object at an ident path (`ground_floor/hall_relay`); `/` is the root. */
  findByPath(path: string): TreeObject | undefined {
    let object: TreeObject | undefined = this.root;
    for (const ident of path.split('/').filter((step) => step !== ''))
      object = object?.children?.byIdent(ident);
    return object;
  }

  /** The object of that id and type. Throws `NOT_OF_TYPE`. */
  getOfType<T extends ObjectType>(type: T, id: number): TreeObject<T> {
    const object = this.#objects.get(id);
    if (object?.is(type) !== true) throw notOfType(type, id, object);
    return object;
  }

  /**
   * Creates an object and emits its messages. Throws `IDS_EXHAUSTED`, `IDENT_TAKEN`, `IDENT_INVALID`, and
   * `OBJECT_MISSING` if its parent was deleted.
   */
  create<T extends ObjectType>(
    type: T,
    data: DataOf[T],
    { created = [], emitTypeMessages, ...options }: CreateObjectOptions<T> = {},
  ): TreeObject<T> {
    const parent = options.parent ?? this.root;
    this.#checkPresent(parent);
    if (options.ident !== undefined) this.#checkIdent(options.ident, parent);
    if (options.name !== undefined) checkLength('The name', options.name);
    const id = options.id ?? this.ids.take();
    const object = this.#place(new TreeObject(id, type, data), { ...options, parent });
    const { changes } = this;
    changes.emit(object.id, message.OM_REGISTER, [type]);
    const creation = createMessage[type];
    if (creation !== undefined) changes.emit(object.id, creation, created);
    for (const [key, sent] of attributeMessages) {
      const value = object[key];
      if (value !== '' && value !== 0 && value !== false) changes.emit(object.id, sent, [value]);
    }
    emitTypeMessages?.(object);
    if (parent.id !== 0) changes.emit(object.id, message.OM_CHANGEPARENT, [parent.id]);
    changes.emit(parent.id, message.OM_CHILDADDED, [object.id]);
    this.journal.markObject(object);
    return object;
  }

  /**
   * Adds a stored object at the start, without messages or journal. Parents first. Throws a RangeError for a
   * bad id.
   */
  load<T extends ObjectType>(
    type: T,
    data: DataOf[T],
    options: ObjectOptions & { id: number },
  ): TreeObject<T> {
    if (!this.ids.isPossible(options.id) || this.#objects.has(options.id))
      throw new RangeError(`no object can have the id ${options.id}`);
    return this.#place(new TreeObject(options.id, type, data), options);
  }

  /**
   * Deletes an object without children. Throws `ROOT_FIXED`, `HAS_CHILDREN`, `OBJECT_MISSING` if it is
   * deleted already.
   */
  delete(object: TreeObject): void {
    const { parent } = object;
    if (parent === null) throw fault('ROOT_FIXED');
    this.#checkPresent(object);
    if (object.children !== null && object.children.size > 0) throw fault('HAS_CHILDREN');
    this.touch(object);
    this.touch(parent);
    parent.children?.remove(object);
    this.#objects.delete(object.id);
    this.#byType.get(object.type)?.delete(object);
    this.structureVersion++;
    this.changes.emit(parent.id, message.OM_CHILDREMOVED, [object.id]);
    const deletion = deleteMessage[object.type];
    if (deletion !== undefined) this.changes.emit(object.id, deletion, []);
    this.changes.emit(object.id, message.OM_UNREGISTER, [object.type]);
    this.journal.markRemoved(object);
  }

  /**
   * Moves an object with everything below it. Throws `ROOT_FIXED`, `PARENT_LOOP`, `IDENT_TAKEN`, and
   * `OBJECT_MISSING` if its new parent was deleted.
   */
  move(object: TreeObject, parent: TreeObject): void {
    const former = object.parent;
    if (former === null) throw fault('ROOT_FIXED');
    if (former === parent) return;
    this.#checkPresent(parent);
    if (this.isBelow(parent, object) || parent === object) throw fault('PARENT_LOOP');
    this.#checkIdent(object.ident, parent);
    this.touch(object);
    former.children?.remove(object);
    object.parent = parent;
    (parent.children ??= new Children()).add(object);
    this.structureVersion++;
    this.changes.emit(object.id, message.OM_CHANGEPARENT, [parent.id]);
    this.changes.emit(former.id, message.OM_CHILDREMOVED, [object.id]);
    this.changes.emit(parent.id, message.OM_CHILDADDED, [object.id]);
    this.journal.markObject(object);
  }

  /**
   * Changes one attribute. An equal value changes nothing and emits no message. An empty name restores the
   * default name. Throws `ROOT_FIXED`, `IDENT_INVALID`, `IDENT_TAKEN`, `TEXT_TOO_LONG`.
   */
  set<K extends keyof Attributes>(object: TreeObject, key: K, value: Attributes[K]): void {
    if (object.parent === null) throw fault('ROOT_FIXED');
    if (object[key] === value) return;
    if (typeof value === 'string') {
      if (key === 'ident') this.#checkIdent(value, object.parent);
      checkLength(`The ${key}`, value, key === 'info' || key === 'summary' ? INFO_LIMIT : NAME_LIMIT);
    }
    this.touch(object);
    const siblings = object.parent.children;
    if (key === 'ident' || key === 'name') siblings?.unindex(object);
    (object as Attributes)[key] = value;
    if (key === 'ident' || key === 'name') siblings?.index(object);
    const sent = attributeMessages.find(([name]) => name === key)?.[1] as number;
    this.changes.emit(object.id, sent, [key === 'name' ? object.displayName : value]);
    this.journal.markObject(object);
  }

  /** Whether `object` is below `ancestor` at any depth. */
  isBelow(object: TreeObject, ancestor: TreeObject): boolean {
    for (let above = object.parent; above !== null; above = above.parent) if (above === ancestor) return true;
    return false;
  }

  /** The location of an object: names from below the root, joined by `\`. */
  location(object: TreeObject): string {
    const names: string[] = [];
    for (let at: TreeObject = object; at.parent !== null; at = at.parent) names.push(at.displayName);
    return names.reverse().join('\\');
  }

  /** Must be called before every change that is visible in the snapshot. */
  touch(object: TreeObject): void {
    for (const watcher of this.#watchers) watcher(object);
    object.snapshotEntry = null;
  }

  /** Calls `watcher` before each change; returns a function that removes it. */
  watch(watcher: ChangeWatcher): () => void {
    this.#watchers.add(watcher);
    return () => void this.#watchers.delete(watcher);
  }

  #place<T extends ObjectType>(object: TreeObject<T>, options: ObjectOptions): TreeObject<T> {
    const { parent = this.root, id: _id, ...attributes } = options;
    Object.assign(object, attributes);
    object.parent = parent;
    object.order = ++this.#order;
    (parent.children ??= new Children()).add(object);
    this.#objects.set(object.id, object);
    if (object.type !== objectType.variable) {
      const same = this.#byType.get(object.type);
      if (same === undefined) this.#byType.set(object.type, new Set([object]));
      else same.add(object);
    }
    this.structureVersion++;
    return object;
  }

  /** A caller that waited may have an object that was deleted meanwhile. */
  #checkPresent(object: TreeObject): void {
    if (this.find(object.id) !== object) throw fault('OBJECT_MISSING', object.id);
  }

  #checkIdent(ident: string, parent: TreeObject): void {
    if (!IDENT.test(ident)) throw fault('IDENT_INVALID');
    if (ident !== '' && parent.children?.byIdent(ident) !== undefined) throw fault('IDENT_TAKEN');
  }
}

/** Maximum number of variables of an instance that an error text lists. */
const SHOWN = 20;

/**
 * `NOT_OF_TYPE`. If the id belongs to another object, the text names it, and the variables if it is an
 * instance.
 */
function notOfType(type: ObjectType, id: number, object: TreeObject | undefined): Fault {
  const plain = fault('NOT_OF_TYPE', typeName[type], id);
  if (object === undefined || id === 0) return plain;
  const is = `#${id} is the ${typeName[object.type].toLowerCase()} ${object.displayName}`;
  const variables =
    type === objectType.variable && object.type === objectType.instance ? variablesOf(object) : '';
  return new Fault(plain.code, `${plain.message}: ${is}${variables}`, { general: plain.message });
}

function variablesOf({ children }: TreeObject): string {
  const names: string[] = [];
  for (const child of children ?? [])
    if (child.is(objectType.variable)) names.push(`${child.ident || child.displayName} (#${child.id})`);
  if (names.length === 0) return ', which has no variables';
  return `, whose variables are ${names.slice(0, SHOWN).join(', ')}${names.length > SHOWN ? ', …' : ''}`;
}
