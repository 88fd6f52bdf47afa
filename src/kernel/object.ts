import type { PublishRule, VariableRole } from '../base/codes/stable-codes.js';
import type { EventData } from './events/event-data.js';
import type { PendingChange, QualityProblem, ReportTimes, RuleInForce } from './quality.js';
import type { Value, VariableType } from './value.js';

/** What users of web fronts may do with a variable that has no action. */
export type ResidentAccess = 'set';

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

/** Names of the object types in error texts. */
export const typeName = ['Category', 'Instance', 'Variable', 'Script', 'Event', 'Media', 'Link'] as const;

/**
 * A variable's own state. Times are unix seconds, 0 = never. A custom action or profile wins over the
 * standard one.
 */
export interface VariableData {
  readonly type: VariableType;
  value: Value;
  profile: string;
  customProfile: string;
  action: number;
  customAction: number;
  updated: number;
  changed: number;
  /** How soon its value is written; set by its module. Not stored. */
  writeBudget?: WriteBudget | undefined;
  /** A count that only rises: the archive aggregates it as a counter by default. Not stored. */
  isCounter?: boolean | undefined;
  /** Why its value is not good; absent while it is. Not stored. */
  qualityProblem?: QualityProblem | undefined;
  /** `set`: users of web fronts may set it, although it has no action. */
  residents?: ResidentAccess | undefined;
  /** What it is to residents; `main` if no module has declared it. */
  role: VariableRole;
  /** The rule that would reject a command now, while its instance is open. Not stored. */
  rule?: RuleInForce | undefined;
  /** The scheduled change, while its instance is open. Not stored. */
  pending?: PendingChange | undefined;
  /** Times of the value, if its driver reported them. Not stored. */
  reportTimes?: ReportTimes | undefined;
  /** Its type changed since its last update: the value is that type's initial one. Not stored. */
  isRetyped?: boolean;
  /** Its value came while the clock was not trusted: `updated` may be wrong. Stored with the value. */
  isTimeUncertain?: boolean;
  /** How the archive records its values; absent if never configured. Immutable. */
  logging?: Logging | undefined;
}

/** How the archive records and aggregates a variable (interface §1). */
export interface Logging {
  /** Whether its values are recorded. */
  readonly active: boolean;
  /** A counter: its increases are summed. Otherwise values are averaged over time. */
  readonly counter: boolean;
  /** Zeros of a counter are ignored. */
  readonly ignoreZeros: boolean;
  /** Whether charts show it. */
  readonly graph: boolean;
  /** Downsampling rules, ascending by the age from which each applies. */
  readonly compaction: readonly Compaction[];
}

/**
 * A downsampling rule: from an age in months on, records are reduced to the interval of a kind (interface
 * §1).
 */
export interface Compaction {
  readonly months: number;
  readonly kind: number;
}

/**
 * When a variable is written to the disk: after it changed by `every`, or `withinS` seconds after a change.
 */
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
  /** A copied instance that stays closed until its changes are applied. */
  asleep?: boolean;
  /** Active properties, secrets included: shown only through `device/` redaction. */
  properties: Readonly<Record<string, unknown>>;
}

/** A script. Its text is a file of the data directory. */
interface ScriptData {
  readonly type: number;
  file: string;
  executed: number;
  broken: boolean;
}

interface LinkData {
  targetId: number;
}

/** A media object. Its content is a file, or an image that a device reports. */
export interface MediaData {
  readonly type: number;
  /** Below the data directory (`media/12345.png`), a stream's URL, or '' for none yet. */
  file: string;
  /** CRC-32 of the content when last read: 8 hex digits, or '' before that. */
  crc: string;
  /** Bytes. */
  size: number;
  /** Unix seconds; 0: never. */
  updated: number;
  cached: boolean;
  available: boolean;
}
type CategoryData = Record<string, never>;

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

/** Attributes of every object; changed only through `Tree`. */
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
  publish: PublishRule;
}

/** Names of the attributes of every object. */
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
  'publish',
] as const satisfies readonly (keyof Attributes)[];

/** An object of the tree. Only the kernel writes to it. */
export class TreeObject<T extends ObjectType = ObjectType> implements Attributes {
  readonly id: number;
  readonly type: T;
  readonly data: DataOf[T];
  parent: TreeObject | null = null;
  children: Children | null = null;
  /** As set by a user. '' is displayed as "Unnamed Object (ID: n)": use `displayName`. */
  name = '';
  ident = '';
  position = 0;
  hidden = false;
  disabled = false;
  readOnly = false;
  icon = '';
  info = '';
  summary = '';
  publish: PublishRule = '';
  /** Position in the order of creation. */
  order = 0;
  /** Its cached entry of the snapshot, null after a change. */
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

/** The children of one object with indexes by ident and name, which are built on first use. */
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

  /** The children with a name, oldest first. */
  byName(name: string): Iterable<TreeObject> {
    if (this.#names === null) {
      this.#names = new Map();
      for (const child of this.#all) addName(this.#names, child);
    }
    const same = this.#names.get(name) ?? new Set();
    // An older object may have been renamed or moved here later.
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
type SiblingOrder = Pick<TreeObject, 'position' | 'displayName' | 'id'> & { readonly type: number };

/** Compares siblings by the order of the interface (§5): position, type, lower-case name, id. */
export function compareSiblings(a: SiblingOrder, b: SiblingOrder): number {
  if (a.position !== b.position) return a.position - b.position;
  if (a.type !== b.type) return a.type - b.type;
  const nameA = a.displayName.toLowerCase();
  const nameB = b.displayName.toLowerCase();
  if (nameA !== nameB) return nameA < nameB ? -1 : 1;
  return a.id - b.id;
}
