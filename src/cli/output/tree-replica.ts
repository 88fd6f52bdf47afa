import type { ChangeRecord, Value } from '../../client/index.js';
import { formatValue } from '../../kernel/profiles/format-value.js';
import { message } from '../../kernel/messages.js';
import type { Profile } from '../../kernel/profiles/profile-data.js';
import type { VariableType } from '../../kernel/value.js';

/** The parts of a snapshot (interface §2.2) that are used here. */
export interface Snapshot {
  readonly timestamp: number;
  readonly profiles: Readonly<Record<string, ProfileEntry>>;
  readonly objects: Readonly<Record<string, SnapshotObject>>;
}

interface ProfileEntry extends Omit<Profile, 'name' | 'min' | 'max' | 'step'> {
  readonly minValue: number;
  readonly maxValue: number;
  readonly stepSize: number;
}

/** An object of a snapshot. */
interface SnapshotObject {
  readonly type: number;
  readonly name: string;
  readonly ident: string;
  readonly position: number;
  readonly parentID: number;
  readonly data: {
    /** For variables. */
    readonly type?: number;
    readonly value?: Value;
    readonly profile?: string;
    readonly customProfile?: string;
    /** For instances. */
    readonly moduleName?: string;
  };
}

interface Watched {
  name: string;
  ident: string;
  parent: number;
  /** For variables. */
  type: VariableType;
  profile: string;
}

/** Deeper than any tree; ends the walk if the received data has a cycle. */
const DEPTH_LIMIT = 1000;

/** A replica of a gateway's objects with names, parents and profiles, updated by its changes. */
export class TreeReplica {
  /** The counter of the newest change that it includes. */
  readonly timestamp: number;
  readonly #objects: Map<number, Watched>;
  #profiles: Map<string, Profile>;

  constructor({ timestamp, objects, profiles }: Snapshot) {
    this.timestamp = timestamp;
    this.#objects = new Map(
      Object.entries(objects).map(([key, object]) => [Number(key.slice(2)), watched(object)]),
    );
    this.#profiles = profilesOf(profiles);
  }

  /** Replaces the profiles. */
  set profiles(profiles: Snapshot['profiles']) {
    this.#profiles = profilesOf(profiles);
  }

  /** Applies a change. Removes a deleted object. */
  take({ SenderID: id, Message, Data }: ChangeRecord): void {
    const [first, second] = Data;
    if (Message === message.OM_REGISTER)
      this.#objects.set(id, { name: '', ident: '', parent: 0, type: 3, profile: '' });
    if (Message === message.OM_UNREGISTER) this.#objects.delete(id);
    const object = this.#objects.get(id);
    if (object === undefined) return;
    if (Message === message.OM_CHANGENAME) object.name = String(first);
    if (Message === message.OM_CHANGEIDENT) object.ident = String(first);
    if (Message === message.OM_CHANGEPARENT) object.parent = Number(first);
    if (Message === message.VM_CREATE) object.type = first as VariableType;
    if (Message === message.VM_CHANGEPROFILENAME) object.profile = String(first) || String(second);
  }

  /**
   * The path to an object as `call` takes it: idents, and names where there is no ident
   * (`ground_floor/hall_relay/STATE`); of an unknown one its number.
   */
  path(id: number): string {
    const steps = this.#above(id).map((step) => {
      const { ident, name } = this.#objects.get(step) ?? { ident: '', name: '' };
      return ident || name || `#${step}`;
    });
    return steps.toReversed().join('/');
  }

  /** Whether the object is one of these or below one of them. */
  isWithin(id: number, ids: ReadonlySet<number>): boolean {
    return ids.has(0) || this.#above(id).some((step) => ids.has(step));
  }

  /** A variable's value as its profile shows it; texts in quotes. */
  format(id: number, value: Value): string {
    const { type, profile } = this.#objects.get(id) ?? { type: 3, profile: '' };
    if (profile !== '')
      return formatValue(value, { type, profile }, { find: (name) => this.#profiles.get(name) });
    return typeof value === 'string' ? `“${value}”` : String(value);
  }

  /** The object and its ancestors, without the root. */
  #above(id: number): number[] {
    const steps: number[] = [];
    for (let step = id; step !== 0 && steps.length < DEPTH_LIMIT; step = this.#objects.get(step)?.parent ?? 0)
      steps.push(step);
    return steps;
  }
}

function watched({ name, ident, parentID, data }: SnapshotObject): Watched {
  const profile = (data.customProfile ?? '') || (data.profile ?? '');
  return { name, ident, parent: parentID, type: (data.type ?? 3) as VariableType, profile };
}

function profilesOf(profiles: Snapshot['profiles']): Map<string, Profile> {
  return new Map(
    Object.entries(profiles).map(([name, { minValue: min, maxValue: max, stepSize: step, ...rest }]) => [
      name,
      { ...rest, name, min, max, step },
    ]),
  );
}
