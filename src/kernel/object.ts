import type { EventData } from './events/event-data.js';
import type { QualityProblem, ReportTimes } from './quality.js';
import type { Value, VariableType } from './value.js';

/** Object types by their numbers in the interface (§1). */
export const objectType = {
  category: 0,
  instance: 1,
  variable: 2,
  script: 3,
  event: 4,
  media: 5,
  link: 6,
} as const;
export type ObjectType = (typeof objectType)[keyof typeof objectType];

/** The words that error texts use for the types. */
export const typeName = ['Category', 'Instance', 'Variable', 'Script', 'Event', 'Media', 'Link'] as const;

/** A variable's own state. Times are unix seconds, 0 = never. A custom action or profile wins over the standard one. */
export interface VariableData {
  readonly type: VariableType;
  value: Value;
  profile: string;
  customProfile: string;
  action: number;
  customAction: number;
  updated: number;
  changed: number;
  /** A budget of its own, which its module gives it: not stored. */
  writeBudget?: WriteBudget | undefined;
  /** Why its value is not to be relied on; absent while it is good. Not stored. */
  qualityProblem?: QualityProblem | undefined;
  /** Where its driver told when the value was so. Not stored. */
  reportTimes?: ReportTimes | undefined;
  /** Its type changed since its last update: the value is that type's initial one. Not stored. */
  isRetyped?: boolean;
  /** Its value came while the clock was not trusted: `updated` may be wrong. Stored with the value. */
  isTimeUncertain?: boolean;
  /** How the archive keeps its values; absent where nobody ever said. Immutable. */
  logging?: Logging | undefined;
}

/** What the archive does with a variable's values (interface §1). */
export interface Logging {
  /** Whether its values are recorded. */
  readonly active: boolean;
  /** It counts up: what it rises by is summed. Otherwise it is averaged over time. */
  readonly counter: boolean;
  /** A counter's zeros are passed over. */
  readonly ignoreZeros: boolean;
  /** Whether people see it in charts. */
  readonly graph: boolean;
  /** From which age in months on records are thinned, and to what; ascending in months. */
  readonly compaction: readonly Compaction[];
}

/** A rule of thinning; kinds are the interface's numbers. */
export interface Compaction {
  readonly months: number;
  readonly kind: number;
}

/** How far a variable's value on the disk may be behind: it goes there when it moved by `every`, or `withinS` after it moved. */
export interface WriteBudget {
  readonly every: number;
  readonly withinS: number;
}

/** An instance: which module, what it is connected to, its active properties, its status (§1). */
export interface InstanceData {
  readonly moduleId: string;
  readonly moduleName: string;
  readonly moduleType: number;
  connectionId: number;
  status: number;
  changed: number;
  /** A copy that nobody has looked at yet: it stays closed until its changes are applied. */
  asleep?: boolean;
  /** Active properties, secrets included: shown only through `device/` redaction. */
  properties: Readonly<Record<string, unknown>>;
}

/** A script; its text stands in a file of the data directory. */
export interface ScriptData {
  readonly type: number;
  file: string;
  executed: number;
  broken: boolean;
}

export interface LinkData {
  targetId: number;
}

/** A media object; its content stands in a file. */
export interface MediaData {
  readonly type: number;
  /** Below the data directory (`media/12345.png`), a stream's URL, or '' for none yet. */
  file: string;
  /** Of the content as it was last seen: 8 hex digits, or '' before that. */
  crc: string;
  /** Bytes. */
  size: number;
  /** Unix seconds; 0: never. */
  updated: number;
  cached: boolean;
  available: boolean;
}
export type CategoryData = Record<string, never>;

/** The data of each object type. */
export interface DataOf {
  0: CategoryData;
  1: InstanceData;
  2: VariableData;
  3: ScriptData;
  4: EventData;
  5: MediaData;
  6: LinkData;
}

/** What any object has besides its place in the tree; changed only through `Tree`. */
export interface Attributes {
  name: string;
  ident: string;
  position: number;
  hidden: boolean;
  disabled: boolean;
  readOnly: boolean;
  icon: string;
  info: string;
  summary: string;
}

/** The names of what any object has. */
export const attributeNames = [
  'name',
  'ident',
  'position',
  'hidden',
  'disabled',
  'readOnly',
  'icon',
  'info',
  'summary',
] as const satisfies readonly (keyof Attributes)[];

/** An object of the tree. Read it anywhere; only the kernel writes to it. */
export class TreeObject<T extends ObjectType = ObjectType> implements Attributes {
  readonly id: number;
  readonly type: T;
  readonly data: DataOf[T];
  parent: TreeObject | null = null;
  children: Children | null = null;
  /** As set; '' shows as "Unnamed Object (ID: n)": use `displayName`. */
  name = '';
  ident = '';
  position = 0;
  hidden = false;
  disabled = false;
  readOnly = false;
  icon = '';
  info = '';
  summary = '';
  /** Grows with every object that is put into the tree: tells older from younger. */
  order = 0;
  /** Its entry in the snapshot, kept ready until it changes. */
  snapshotEntry: string | null = null;

  constructor(id: number, type: T, data: DataOf[T]) {
    this.id = id;
    this.type = type;
    this.data = data;
  }

  get displayName(): string {
    return this.name === '' ? `Unnamed Object (ID: ${this.id})` : this.name;
  }

  is<K extends ObjectType>(type: K): this is TreeObject<K> {
    const own: ObjectType = this.type;
    return own === type;
  }

  get parentId(): number {
    return this.parent?.id ?? 0;
  }
}

/** The children of one object, found by ident and by name without a search. The indexes are made when first used. */
export class Children implements Iterable<TreeObject> {
  readonly #all = new Set<TreeObject>();
  #idents: Map<string, TreeObject> | null = null;
  #names: Map<string, Set<TreeObject>> | null = null;

  get size(): number {
    return this.#all.size;
  }

  [Symbol.iterator](): Iterator<TreeObject> {
    return this.#all.values();
  }

  add(child: TreeObject): void {
    this.#all.add(child);
    this.index(child);
  }

  remove(child: TreeObject): void {
    this.unindex(child);
    this.#all.delete(child);
  }

  /** Call around a change of ident or name: `unindex`, change, `index`. */
  index(child: TreeObject): void {
    if (child.ident !== '') (this.#idents ??= new Map()).set(child.ident, child);
    if (this.#names !== null) addName(this.#names, child);
  }

  unindex(child: TreeObject): void {
    if (child.ident !== '') this.#idents?.delete(child.ident);
    const same = this.#names?.get(child.displayName);
    same?.delete(child);
    if (same?.size === 0) this.#names?.delete(child.displayName);
  }

  byIdent(ident: string): TreeObject | undefined {
    return this.#idents?.get(ident);
  }

  /** The children of that name, oldest first. */
  byName(name: string): Iterable<TreeObject> {
    if (this.#names === null) {
      this.#names = new Map();
      for (const child of this.#all) addName(this.#names, child);
    }
    const same = this.#names.get(name) ?? new Set();
    // One that got the name later, or came here later, may be the older one.
    return same.size > 1 ? [...same].sort((a, b) => a.order - b.order) : same;
  }

  /** In the order of the interface (§5): position, type, lower-case name, id. */
  sorted(): TreeObject[] {
    return [...this.#all].sort(compareSiblings);
  }
}

function addName(names: Map<string, Set<TreeObject>>, child: TreeObject): void {
  const same = names.get(child.displayName);
  if (same === undefined) names.set(child.displayName, new Set([child]));
  else same.add(child);
}

/** What the order of siblings depends on. */
export type SiblingOrder = Pick<TreeObject, 'position' | 'displayName' | 'id'> & { readonly type: number };

/** Compares siblings by the order of the interface (§5): position, type, lower-case name, id. */
export function compareSiblings(a: SiblingOrder, b: SiblingOrder): number {
  if (a.position !== b.position) return a.position - b.position;
  if (a.type !== b.type) return a.type - b.type;
  const nameA = a.displayName.toLowerCase();
  const nameB = b.displayName.toLowerCase();
  if (nameA !== nameB) return nameA < nameB ? -1 : 1;
  return a.id - b.id;
}
