import { eventEntry, eventEntryWithin } from './events/snapshot-entry.js';
import { shownFile } from './media.js';
import { objectType, type TreeObject } from './object.js';
import type { Tree } from './tree.js';
import { ACTION_DISABLED } from './variables.js';

/** How much of an object a snapshot shows: everything, or only the name (objects above an area). */
export type SnapshotDepth = 'complete' | 'name';

/** The entry `"ID12345":{…}` of an object (interface §2.2), cached until it changes. */
function snapshotEntryOf(object: TreeObject): string {
  object.snapshotEntry ??= `"ID${object.id}":${JSON.stringify(entry(object, dataOf(object)))}`;
  return object.snapshotEntry;
}

/** As {@link snapshotEntryOf}, for users who see only these objects. */
function entryWithin(object: TreeObject, contains: (id: number) => boolean): string {
  const data = dataWithin(object, contains);
  return data === undefined
    ? snapshotEntryOf(object)
    : `"ID${object.id}":${JSON.stringify(entry(object, data))}`;
}

/** The data of an object with invisible objects removed; undefined if nothing had to be removed. */
function dataWithin(object: TreeObject, contains: (id: number) => boolean): object | undefined {
  if (object.is(objectType.variable)) {
    const { action, customAction } = object.data;
    // Clients must know that there is an action: it is replaced by the id of the variable itself.
    const known = (id: number) => (id <= ACTION_DISABLED || contains(id) ? id : object.id);
    if (known(action) === action && known(customAction) === customAction) return undefined;
    return { ...dataOf(object), action: known(action), customAction: known(customAction) };
  }
  if (object.is(objectType.instance))
    return contains(object.data.connectionId) ? undefined : { ...dataOf(object), connectionID: 0 };
  if (object.is(objectType.event)) return eventEntryWithin(object.data, contains);
  if (object.is(objectType.link)) return contains(object.data.targetId) ? undefined : { targetID: 0 };
  return undefined;
}

/** The entry of an object above an area: name and position, no values (interface, decision 14). */
function nameEntryOf(object: TreeObject): string {
  const { id, type, displayName: name, parentId: parentID } = object;
  const bare = {
    position: 0,
    readOnly: false,
    ident: '',
    hidden: false,
    disabled: false,
    type: objectType.category,
    name,
    info: '',
    icon: '',
    parentID,
    summary: '',
    data: {},
  };
  return `"ID${id}":${JSON.stringify(type === objectType.category ? bare : { ...bare, type, data: {} })}`;
}

function entry(object: TreeObject, data: object): object {
  const {
    position,
    readOnly,
    ident,
    hidden,
    disabled,
    type,
    displayName: name,
    info,
    icon,
    parentId: parentID,
    summary,
    publish,
  } = object;
  return {
    position,
    readOnly,
    ident,
    hidden,
    disabled,
    type,
    name,
    info,
    icon,
    parentID,
    summary,
    // Not part of the interface; JSON omits undefined members.
    publish: publish === '' ? undefined : publish,
    data,
  };
}

function dataOf(object: TreeObject): object {
  if (object.is(objectType.variable)) {
    const {
      type,
      value,
      profile,
      customProfile,
      action,
      customAction,
      updated: lastUpdate,
      changed: lastChange,
      residents,
      qualityProblem: quality,
      rule,
      pending,
    } = object.data;
    return {
      type,
      value,
      profile,
      customProfile,
      action,
      customAction,
      lastUpdate,
      lastChange,
      isLocked: false,
      // The rest is not part of the interface; JSON omits undefined members.
      role: object.data.role,
      residents,
      quality,
      rule,
      pending,
    };
  }
  if (object.is(objectType.instance)) {
    const { moduleId: moduleID, moduleName, moduleType, connectionId: connectionID, status } = object.data;
    return { moduleID, moduleName, moduleType, connectionID, status };
  }
  if (object.is(objectType.script)) {
    const { type, file, executed: lastExecute, broken: isBroken } = object.data;
    return { type, file, lastExecute, isBroken };
  }
  if (object.is(objectType.link)) return { targetID: object.data.targetId };
  if (object.is(objectType.event)) return eventEntry(object.data);
  if (object.is(objectType.media)) {
    const { type, file, updated: lastUpdate, crc, size, available: isAvailable, cached } = object.data;
    return { type, file: shownFile(file), lastUpdate, crc, size, isAvailable, cached };
  }
  return {};
}

/** Objects encoded without yielding: about half a millisecond. */
export const SLICE_OBJECTS = 200;

/**
 * Reads the objects of a tree slice by slice, as they were when the reader was created, while the tree keeps
 * changing: the entry of an object that changes before it is read is saved first. Close the reader or read
 * it to its end.
 */
export class SnapshotReader {
  readonly timestamp: number;
  /** Oldest first. */
  readonly #objects: readonly TreeObject[];
  readonly #isIncluded: (object: TreeObject) => boolean;
  readonly #entryOf: (object: TreeObject) => string;
  /** Saved entries of objects that changed before they were read. */
  readonly #saved = new Map<TreeObject, string>();
  readonly #unwatch: () => void;
  /** Entries with names only, which come first. */
  #names: string[];
  #next = 0;

  /** Reads the complete tree, or the given objects of an area. */
  constructor(tree: Tree, objects?: Iterable<readonly [TreeObject, SnapshotDepth]>) {
    this.timestamp = tree.changes.counter;
    if (objects === undefined) {
      this.#objects = [...tree.all()];
      this.#names = [];
      const youngest = this.#objects.at(-1)?.order ?? 0;
      this.#isIncluded = ({ order }) => order <= youngest;
      this.#entryOf = snapshotEntryOf;
    } else {
      const all = [...objects];
      const complete = all.filter(([, depth]) => depth === 'complete').map(([object]) => object);
      const included = new Set(complete);
      this.#objects = complete.sort((a, b) => a.order - b.order);
      this.#names = all.filter(([, depth]) => depth === 'name').map(([object]) => nameEntryOf(object));
      this.#isIncluded = (object) => included.has(object);
      const ids = new Set(complete.map(({ id }) => id));
      this.#entryOf = (object) => entryWithin(object, (id) => ids.has(id));
    }
    this.#unwatch = tree.watch((object) => this.#saveEntry(object));
  }

  /** The next entries, at most `limit`, joined by commas; undefined at the end. */
  read(limit = SLICE_OBJECTS): string | undefined {
    if (this.#names.length > 0) return this.#names.splice(0).join(',');
    if (this.#next >= this.#objects.length) {
      this.close();
      return undefined;
    }
    const slice = this.#objects.slice(this.#next, this.#next + limit);
    this.#next += slice.length;
    return slice.map((object) => this.#saved.get(object) ?? this.#entryOf(object)).join(',');
  }

  close(): void {
    this.#unwatch();
    this.#next = this.#objects.length;
  }

  #saveEntry(object: TreeObject): void {
    const next = this.#objects[this.#next];
    if (
      next === undefined ||
      object.order < next.order ||
      !this.#isIncluded(object) ||
      this.#saved.has(object)
    )
      return;
    this.#saved.set(object, this.#entryOf(object));
  }
}
