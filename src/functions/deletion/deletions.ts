import { fault } from '../../base/fault.js';
import type { Caller } from '../../device/declare.js';
import { mediaType } from '../../kernel/media.js';
import { objectType, type TreeObject } from '../../kernel/object.js';
import { recordOf, type ObjectRecord } from '../../kernel/restored-object.js';
import type { Trigger } from '../../kernel/events/event-data.js';
import type { Ports } from '../ports.js';

/** What deletions and their list need. */
export type DeletionPorts = Pick<
  Ports,
  'kernel' | 'clock' | 'devices' | 'scripts' | 'media' | 'events' | 'log'
>;

/** Maximum number of deletions that are kept: nobody reads a longer list to its end. */
const DELETIONS_LIMIT = 50;
/** Memory for all of them, bytes. A gateway of 10,000 objects needs 10 MB. */
const BYTES_LIMIT = 16 * 1024 * 1024;
/** Memory of a record without its texts, measured. */
const RECORD_BYTES = 600;
/** A larger file is deleted for good. */
const FILE_LIMIT = 4 * 1024 * 1024;

/** The contents of files that were deleted with their objects, by object ID. */
type Contents = ReadonlyMap<number, string | Buffer>;

/** One deletion: everything needed to restore its objects. */
export interface Deletion {
  readonly id: number;
  readonly atMs: number;
  readonly user: string;
  /** Parents first. */
  readonly records: readonly ObjectRecord[];
  /** Names from below the root to the first object, joined by `\`. */
  readonly location: string;
  readonly contents: Contents;
  /** Other instances and the I/O instance among the objects that they were connected to. */
  readonly connections: ReadonlyMap<number, number>;
  /** Other events, and their triggers by a variable among the objects. */
  readonly triggers: ReadonlyMap<number, Trigger>;
  readonly bytes: number;
}

/** The last deletions, in memory: within limits, and until the gateway stops. */
export class Deletions {
  readonly #ports: DeletionPorts;
  readonly #kept: Deletion[] = [];
  #lastId: number;

  constructor(ports: DeletionPorts) {
    this.#ports = ports;
    // A page that offers to undo a deletion remains open during a restart: its ID must not be that of another one.
    this.#lastId = ports.clock.nowMs();
  }

  /** Newest first. */
  all(): readonly Deletion[] {
    return this.#kept.toReversed();
  }

  /** Removes a deletion from the list and returns it. Throws `DELETION_MISSING`. */
  take(id: number): Deletion {
    const at = this.#kept.findIndex((one) => one.id === id);
    const [found] = at < 0 ? [] : this.#kept.splice(at, 1);
    if (found === undefined) throw fault('DELETION_MISSING', id);
    return found;
  }

  /** Puts back a deletion that could not be restored. */
  putBack(deletion: Deletion): void {
    this.#kept.push(deletion);
    this.#kept.sort((a, b) => a.id - b.id);
    this.#trim();
  }

  /** Deletes an object that has no files and no children. Throws as `Tree.delete`. */
  deleteOne(caller: Caller, object: TreeObject): void {
    const keep = this.#record(caller, [object]);
    this.#ports.kernel.tree.delete(object);
    keep();
  }

  /**
   * Calls `run`, which deletes some of the objects, and keeps those that are gone then, also if it fails.
   * `objects`: parents first. `withFiles`: `run` also deletes the files of scripts and media objects.
   */
  async during<T>(
    caller: Caller,
    { objects, withFiles }: { readonly objects: readonly TreeObject[]; readonly withFiles: boolean },
    run: () => Promise<T>,
  ): Promise<T> {
    const contents = withFiles ? await this.#contentsOf(objects) : undefined;
    const keep = this.#record(caller, objects, contents);
    try {
      return await run();
    } finally {
      keep();
    }
  }

  /** The ID of the newest deletion of an object; 0 if there is none. */
  idOf(objectId: number): number {
    return this.#kept.findLast(({ records }) => records.some(({ id }) => id === objectId))?.id ?? 0;
  }

  async #contentsOf(objects: readonly TreeObject[]): Promise<Contents> {
    const contents = new Map<number, string | Buffer>();
    let bytes = 0;
    for (const object of objects) {
      const content = await this.#contentOf(object);
      if (content === undefined || content.length > FILE_LIMIT) continue;
      bytes += content.length;
      // More could not be kept: it must not occupy memory during the deletion either.
      if (bytes > BYTES_LIMIT) break;
      contents.set(object.id, content);
    }
    return contents;
  }

  /** The file of an object; undefined if it has none, or one that cannot be read. */
  async #contentOf(object: TreeObject): Promise<string | Buffer | undefined> {
    const { scripts, media } = this.#ports;
    try {
      if (object.is(objectType.script)) return await scripts.content(object.id);
      if (!object.is(objectType.media) || object.data.type === mediaType.stream) return undefined;
      return object.data.file === '' ? undefined : await (await media()).content(object.id);
    } catch {
      // A file that is missing or damaged does not prevent its deletion.
      return undefined;
    }
  }

  /** Records objects before they are deleted; the result keeps those that are gone. */
  #record(caller: Caller, objects: readonly TreeObject[], contents: Contents = new Map()): () => void {
    const { tree } = this.#ports.kernel;
    const before = objects.map((object) => ({ object, record: recordOf(object) }));
    const references = this.#referencesTo(objects);
    return () => {
      const gone = before.filter(({ object }) => tree.find(object.id) !== object);
      const [first] = gone;
      if (first === undefined) return;
      const location = tree.location(first.object);
      this.#keep(caller, { records: gone.map(({ record }) => record), location, contents, ...references });
    };
  }

  #referencesTo(objects: readonly TreeObject[]): Pick<Deletion, 'connections' | 'triggers'> {
    const { tree } = this.#ports.kernel;
    const ids = new Set(objects.map(({ id }) => id));
    const connections = new Map<number, number>();
    const triggers = new Map<number, Trigger>();
    if (objects.some((object) => object.is(objectType.instance)))
      for (const { id, data } of tree.objectsOfType(objectType.instance))
        if (ids.has(data.connectionId)) connections.set(id, data.connectionId);
    if (objects.some((object) => object.is(objectType.variable)))
      for (const { id, data } of tree.objectsOfType(objectType.event))
        if (data.trigger !== undefined && ids.has(data.trigger.variableId)) triggers.set(id, data.trigger);
    return { connections, triggers };
  }

  /** Keeps a deletion without the contents that exceed the limit; nothing if its records alone exceed it. */
  #keep({ user }: Caller, deleted: Omit<Deletion, 'id' | 'atMs' | 'user' | 'bytes'>): void {
    let bytes = 0;
    for (const { attributes, data } of deleted.records)
      bytes += RECORD_BYTES + JSON.stringify(attributes).length + JSON.stringify(data).length;
    // It would displace all others, and could not be kept itself.
    if (bytes > BYTES_LIMIT) return;
    const contents = new Map<number, string | Buffer>();
    for (const [id, content] of deleted.contents) {
      if (bytes + content.length > BYTES_LIMIT) break;
      bytes += content.length;
      contents.set(id, content);
    }
    this.#lastId += 1;
    this.#kept.push({ ...deleted, contents, id: this.#lastId, atMs: this.#ports.clock.nowMs(), user, bytes });
    this.#trim();
  }

  #trim(): void {
    let bytes = this.#kept.reduce((sum, one) => sum + one.bytes, 0);
    while (this.#kept.length > DELETIONS_LIMIT || bytes > BYTES_LIMIT)
      bytes -= this.#kept.shift()?.bytes ?? 0;
  }
}
