import { type ReadonlySignal, type Signal, batch, signal } from '@preact/signals';
import type { ChangeRecord } from '../../client/generated/records.js';
import { shownName, unnamed } from './i18n/unnamed.js';
import { EMPTY_PROFILE, attributes, dataMembers, initialValue, profileMembers } from './messages.js';
import * as message from './message-numbers.js';
import {
  type ObjectData,
  type ObjectEntry,
  type Pending,
  type Profile,
  type QualityProblem,
  type Rule,
  type Snapshot,
  type Value,
  objectType,
} from './objects.js';

/** What is known about a value in addition to the value itself. */
interface ValueState {
  readonly quality: QualityProblem | undefined;
  readonly rule: Rule | undefined;
  readonly pending: Pending | undefined;
}

const GOOD: ValueState = { quality: undefined, rule: undefined, pending: undefined };

/** An object. Everything that a page shows is a signal, so that a change repaints only what shows it. */
export class TreeNode {
  readonly id: number;
  readonly type: number;
  /** Position in the snapshot; orders siblings of the same position. */
  readonly order: number;
  readonly entry: Signal<ObjectEntry>;
  /** Of a variable. */
  readonly value: Signal<Value>;
  readonly state: Signal<ValueState>;
  /** Unix seconds of the newest report and of the newest other value. */
  readonly updated: Signal<number>;
  readonly changed: Signal<number>;

  constructor(id: number, order: number, entry: ObjectEntry) {
    const { data } = entry;
    this.id = id;
    this.type = entry.type;
    this.order = order;
    this.entry = signal(entry);
    this.value = signal(data.value ?? '');
    this.state = signal(stateOf(data));
    this.updated = signal(data.lastUpdate ?? 0);
    this.changed = signal(data.lastChange ?? 0);
  }

  /** The name, in the user's language if it has none. Subscribes. */
  get name(): string {
    return shownName(this.id, this.entry.value.name);
  }

  /** As set by a user, without that of an object that has none. Subscribes. */
  get ownName(): string {
    const { name } = this.entry.value;
    return name === unnamed(this.id) ? '' : name;
  }

  /** The name of the profile that applies; the owner's own precedes the module's; '' for none. Subscribes. */
  get profileName(): string {
    const { profile = '', customProfile = '' } = this.entry.value.data;
    return customProfile || profile;
  }

  /** Takes over a newer entry of the same object. */
  replace(entry: ObjectEntry): void {
    const { data } = entry;
    if (JSON.stringify(this.entry.peek()) !== JSON.stringify(entry)) this.entry.value = entry;
    this.value.value = data.value ?? '';
    this.state.value = stateOf(data);
    this.updated.value = data.lastUpdate ?? 0;
    this.changed.value = data.lastChange ?? 0;
  }
}

function stateOf({ quality, rule, pending }: ObjectData): ValueState {
  return (quality ?? rule ?? pending) ? { quality, rule, pending } : GOOD;
}

const NEW: ObjectEntry = {
  position: 0,
  ident: '',
  hidden: false,
  disabled: false,
  type: objectType.category,
  name: '',
  info: '',
  icon: '',
  parentID: 0,
  summary: '',
  data: {},
};

/** The gateway's objects as signals, kept in step with its changes. */
export class Model {
  readonly #nodes = new Map<number, TreeNode>();
  readonly #structure = signal(0);
  readonly #profiles = signal<Readonly<Record<string, Profile>>>({});
  #children: ReadonlyMap<number, readonly TreeNode[]> | undefined;
  #nextOrder = 0;
  /** Ids of variables with a history. */
  readonly logged: Signal<ReadonlySet<number>> = signal(new Set());
  area: Snapshot['area'];
  /** IANA name of the gateway's time zone. */
  timezone = 'UTC';

  /** Changes when objects come, go, move or are renamed. Reading it subscribes. */
  get structure(): ReadonlySignal<number> {
    return this.#structure;
  }

  get profiles(): ReadonlySignal<Readonly<Record<string, Profile>>> {
    return this.#profiles;
  }

  find(id: number): TreeNode | undefined {
    return this.#nodes.get(id);
  }

  /** All objects, parents not necessarily first. */
  all(): Iterable<TreeNode> {
    return this.#nodes.values();
  }

  /** Children by position, then in the order of the snapshot. Subscribes to the structure. */
  children(id: number): readonly TreeNode[] {
    // Read for the subscription.
    void this.#structure.value;
    this.#children ??= this.#index();
    return this.#children.get(id) ?? [];
  }

  /** The child of an instance with this ident. */
  child(id: number, ident: string): TreeNode | undefined {
    return this.children(id).find((node) => node.entry.peek().ident === ident);
  }

  /** The profile that applies to a variable. */
  profileOf(node: TreeNode): Profile | undefined {
    const profile = this.#profiles.value[node.profileName];
    // Objects have members of their own that a deleted profile may be called like: `constructor`.
    return profile?.type === undefined ? undefined : profile;
  }

  /** Applies a snapshot: keeps the nodes of objects that still exist. Returns the variables that have reported. */
  replace(snapshot: Snapshot): readonly number[] {
    const reported: number[] = [];
    batch(() => {
      const ids = new Set<number>();
      for (const [key, entry] of Object.entries(snapshot.objects)) {
        const id = Number(key.slice(2));
        ids.add(id);
        const known = this.#nodes.get(id);
        if (known?.type === entry.type) {
          if (known.updated.peek() < (entry.data.lastUpdate ?? 0)) reported.push(id);
          known.replace(entry);
        } else this.#nodes.set(id, new TreeNode(id, this.#nextOrder++, entry));
      }
      for (const id of this.#nodes.keys()) if (!ids.has(id)) this.#nodes.delete(id);
      this.#profiles.value = snapshot.profiles;
      this.logged.value = new Set(Object.keys(snapshot.archive).map((key) => Number(key.slice(2))));
      this.area = snapshot.area;
      this.timezone = snapshot.timezone;
      this.#restructure();
    });
    return reported;
  }

  /** Applies changes in one step. */
  apply(records: readonly ChangeRecord[]): void {
    batch(() => {
      for (const record of records) this.#apply(record);
    });
  }

  #apply({ SenderID: id, Message, Data }: ChangeRecord): void {
    if (Message >= message.PROFILE_FIRST && Message <= message.PROFILE_LAST)
      return this.#applyProfile(Message, Data);
    if (Message === message.REGISTER) {
      const type = Number(Data[0]);
      // A variable of another role is followed by a message of its own.
      const data: ObjectData = type === objectType.variable ? { role: 'main' } : {};
      const entry = { ...NEW, type, name: unnamed(id), data };
      this.#nodes.set(id, new TreeNode(id, this.#nextOrder++, entry));
      return this.#restructure();
    }
    const node = this.#nodes.get(id);
    if (node === undefined) return;
    switch (Message) {
      case message.UPDATE:
        return applyUpdate(node, Data);
      case message.UNREGISTER:
        this.#nodes.delete(id);
        return this.#restructure();
      case message.QUALITY: {
        const [state, reason, text] = Data as [number, string, string];
        const quality = state === 0 ? undefined : { state, reason, text };
        node.state.value = { ...node.state.peek(), quality };
        return;
      }
      case message.RULE: {
        const [code, untilMs, group] = Data as [string, number, string];
        node.state.value = { ...node.state.peek(), rule: code === '' ? undefined : { code, untilMs, group } };
        return;
      }
      case message.PENDING: {
        const [value, atMs, code] = Data as [Value, number, string];
        const pending = code === '' ? undefined : { value, atMs, code };
        node.state.value = { ...node.state.peek(), pending };
        return;
      }
      case message.RECORDING: {
        const logged = new Set(this.logged.peek());
        logged[Data[0] ? 'add' : 'delete'](id);
        this.logged.value = logged;
        return;
      }
      default:
        return this.#applyAttribute(node, Message, Data);
    }
  }

  #applyAttribute(node: TreeNode, number: number, Data: readonly unknown[]): void {
    const entry = node.entry.peek();
    const next = attributes(entry, number, Data);
    if (next !== undefined) {
      node.entry.value = { ...entry, ...next };
      return this.#restructure();
    }
    const data = dataMembers(number, Data);
    if (data !== undefined) node.entry.value = { ...entry, data: { ...entry.data, ...data } };
    if (data !== undefined && number === message.VARIABLE) node.value.value = initialValue(Number(Data[0]));
  }

  #applyProfile(number: number, Data: readonly unknown[]): void {
    const name = String(Data[0]);
    const { [name]: profile, ...others } = this.#profiles.peek();
    if (number === message.PROFILE_DELETE) this.#profiles.value = others;
    else if (number === message.PROFILE_CREATE)
      this.#profiles.value = { ...others, [name]: { ...EMPTY_PROFILE, type: Number(Data[1]) } };
    else if (profile !== undefined)
      this.#profiles.value = { ...others, [name]: { ...profile, ...profileMembers(profile, number, Data) } };
  }

  #restructure(): void {
    this.#children = undefined;
    this.#structure.value += 1;
  }

  #index(): Map<number, TreeNode[]> {
    const children = new Map<number, TreeNode[]>();
    for (const node of this.#nodes.values()) {
      if (node.id === 0) continue;
      const parent = node.entry.peek().parentID;
      const siblings = children.get(parent);
      if (siblings === undefined) children.set(parent, [node]);
      else siblings.push(node);
    }
    for (const siblings of children.values())
      siblings.sort((a, b) => a.entry.peek().position - b.entry.peek().position || a.order - b.order);
    return children;
  }
}

/** VM_UPDATE: `[value, changed, old value, updated, …, changed at]` (interface, decision 8). */
function applyUpdate(node: TreeNode, Data: readonly unknown[]): void {
  const [value, hasChanged, , updated] = Data as [Value, boolean, Value, number];
  node.value.value = value;
  node.updated.value = updated;
  if (hasChanged) node.changed.value = updated;
}
