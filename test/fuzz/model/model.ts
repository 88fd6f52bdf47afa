import type { Entry } from '../../tools/client/replica.js';
import {
  ModelFault,
  types,
  type ReplyState,
  type SnapshotEvent,
  type SnapshotProfile,
  type Snapshot,
  type ModelContext,
  type MessageState,
} from './snapshot-types.js';

/**
 * The effect of one call: gets the call's parameters and, last, the id that the gateway assigned to a new
 * object.
 */
export type Rule = (model: Model, ...params: never[]) => unknown;

/** Deleted objects. */
export interface ModelDeletion {
  /** The object that was deleted with everything below it. */
  readonly id: number;
  /** The names above it and its own. */
  readonly location: string;
  readonly objects: readonly (readonly [id: number, Entry])[];
  readonly own: ReadonlyMap<number, Partial<ReplyState>>;
  readonly messages: ReadonlyMap<number, MessageState | undefined>;
  /** Of files that were deleted too. */
  readonly contents: ReadonlyMap<number, string | undefined>;
}

/** Work that a client has begun and not ended. */
interface ModelTask {
  readonly kind: string;
  readonly total: number;
  readonly done: number;
  /** Time of the last report, unix seconds. */
  readonly reportedS: number;
}

/**
 * The expected tree, in the simplest possible form: a map of objects, one of profiles, one of files; the
 * rules are the effects of calls. It searches all objects for anything, and stores nothing twice.
 */
export class Model {
  /** In order of creation. */
  readonly objects = new Map<number, Entry>();
  readonly profiles = new Map<string, SnapshotProfile>();
  /** Objects that the gateway creates and updates by itself: their state is taken from the gateway. */
  readonly theirs = new Set<number>();
  readonly fromMessages = new Map<number, MessageState>();
  readonly own = new Map<number, Partial<ReplyState>>();
  /** Contents of media in Base64, and texts of scripts, by their files. */
  readonly files = new Map<string, string>();
  /** What was deleted with `GW_DeleteObject` since the start, by the ID of the deletion. */
  readonly deletions = new Map<number, ModelDeletion>();
  /** Work that clients report, by the ID of the task. */
  readonly tasks = new Map<number, ModelTask>();
  /** All values that a variable has had. */
  readonly #had = new Map<number, unknown[]>();
  /** The time, in unix seconds. */
  now = 0;
  /** Number of runs of any event. */
  ran = 0;

  readonly modules: ModelContext['modules'];
  readonly hasTexts: boolean;

  /** The initial objects are taken from a snapshot. */
  constructor({ objects, profiles }: Snapshot, { modules, hasTexts }: ModelContext) {
    this.modules = modules;
    this.hasTexts = hasTexts;
    for (const [key, entry] of Object.entries(objects)) {
      this.objects.set(Number(key.slice(2)), structuredClone(entry));
      this.theirs.add(Number(key.slice(2)));
    }
    for (const [name, profile] of Object.entries(profiles)) this.profiles.set(name, structuredClone(profile));
  }

  get snapshot(): Snapshot {
    return {
      objects: Object.fromEntries([...this.objects].map(([id, entry]) => [`ID${id}`, entry])),
      profiles: Object.fromEntries(this.profiles),
    };
  }

  /** Adopts the objects that an instance created, and the present state of the gateway's own objects. */
  adopt({ objects }: Snapshot): void {
    for (const [key, entry] of Object.entries(objects)) {
      const id = Number(key.slice(2));
      const known = this.objects.get(id);
      const parent = this.objects.get(entry.parentID);
      const take = (name: string) => {
        if (name in entry.data) known!.data[name] = structuredClone(entry.data[name]);
        else delete known!.data[name];
      };
      if (known === undefined && entry.readOnly && parent?.type === types.instance) {
        this.objects.set(id, structuredClone(entry));
        this.theirs.add(id);
      } else if (known?.type === types.instance) take('status');
      // A file has the machine's time, and a script runs when its process is ready.
      else if (known?.type === types.media && known.data['crc'] !== '') take('lastUpdate');
      else if (known?.type === types.script) take('lastExecute');
      else if (known?.type === types.variable && this.theirs.has(id))
        for (const name of ['value', 'lastUpdate', 'lastChange', 'quality']) take(name);
    }
  }

  /** The gateway restarts: deletions, tasks, and properties that were set but not applied, are lost. */
  restart(): void {
    this.deletions.clear();
    this.tasks.clear();
    for (const own of this.own.values()) own.pending = undefined;
  }

  /** Adopts the values after a power cut: earlier ones that are allowed; returns the first that is not. */
  fallBack({ objects }: Snapshot): string | undefined {
    for (const [id, { type, data }] of this.objects) {
      const found = objects[`ID${id}`];
      if (found === undefined || this.theirs.has(id)) continue;
      const { value, lastUpdate, lastChange, lastRun } = found.data;
      if (type === types.event && Number(lastRun) < Number(data['lastRun'])) {
        data['lastRun'] = lastRun;
        this.own.get(id)!.lastActionID = undefined;
      }
      if (type !== types.variable) continue;
      if (value !== data['value'] && this.#had.get(id)?.includes(value) !== true)
        return `ID${id} has ${JSON.stringify(value)}, which it never had`;
      Object.assign(data, { value, lastUpdate, lastChange });
    }
    return undefined;
  }

  get(id: number): Entry {
    const found = this.objects.get(id);
    if (found === undefined) throw new ModelFault('OBJECT_MISSING');
    return found;
  }

  of(type: number, id: number): Entry {
    const found = this.objects.get(id);
    if (found?.type !== type) throw new ModelFault('NOT_OF_TYPE');
    return found;
  }

  /** An event of a type, or of any type. */
  event(id: number, type?: number): SnapshotEvent {
    const { data } = this.of(types.event, id);
    if (type !== undefined && data['type'] !== type) throw new ModelFault('EVENT_TYPE');
    return data as unknown as SnapshotEvent;
  }

  /** All objects of a type. */
  all(type: number): [number, Entry][] {
    return [...this.objects].filter(([, entry]) => entry.type === type);
  }

  childrenOf(id: number): [number, Entry][] {
    return [...this.objects].filter(([child, { parentID }]) => parentID === id && child !== 0);
  }

  /** Whether an object is another one or below it. */
  isWithin(id: number, ancestor: number): boolean {
    if (id === ancestor) return true;
    return id !== 0 && this.isWithin(this.get(id).parentID, ancestor);
  }

  create(id: number, type: number, data: Record<string, unknown>): number {
    this.objects.set(id, {
      position: 0,
      readOnly: false,
      ident: '',
      hidden: false,
      disabled: false,
      type,
      name: `Unnamed Object (ID: ${id})`,
      info: '',
      icon: '',
      parentID: 0,
      summary: '',
      data,
    });
    return id;
  }

  /** References by connection or trigger are cleared; links and actions stay as they are. */
  delete(type: number, id: number): true {
    this.of(type, id);
    if (id === 0) throw new ModelFault('ROOT_FIXED');
    if (this.childrenOf(id).length > 0) throw new ModelFault('HAS_CHILDREN');
    this.objects.delete(id);
    this.fromMessages.delete(id);
    this.own.delete(id);
    for (const { data } of this.objects.values())
      for (const key of ['connectionID', 'triggerVariableID']) if (data[key] === id) data[key] = 0;
    return true;
  }

  set(id: number, to: Partial<Entry>): true {
    const entry = this.get(id);
    if (id === 0) throw new ModelFault('ROOT_FIXED');
    if (to.ident !== undefined && to.ident !== entry.ident) {
      this.checkOwn(entry);
      this.checkIdent(to.ident, entry.parentID);
    }
    Object.assign(entry, to);
    return true;
  }

  move(id: number, parent: number): true {
    const entry = this.get(id);
    this.get(parent);
    if (id === 0) throw new ModelFault('ROOT_FIXED');
    if (entry.parentID === parent) return true;
    this.checkOwn(entry);
    if (this.isWithin(parent, id)) throw new ModelFault('PARENT_LOOP');
    this.checkIdent(entry.ident, parent);
    entry.parentID = parent;
    return true;
  }

  /** What a device reports keeps its place and ident. */
  checkOwn({ type, readOnly, parentID }: Entry): void {
    if (type === types.variable && readOnly && this.get(parentID).type === types.instance)
      throw new ModelFault('NOT_ALLOWED');
  }

  checkIdent(ident: string, parent: number): void {
    if (!/^[A-Za-z0-9_]*$/.test(ident)) throw new ModelFault('IDENT_INVALID');
    if (ident !== '' && this.childrenOf(parent).some(([, child]) => child.ident === ident))
      throw new ModelFault('IDENT_TAKEN');
  }

  /** A variable is about to change. */
  noteValue(id: number): void {
    this.#had.set(id, [...(this.#had.get(id) ?? []), this.get(id).data['value']]);
  }
}
