import { Area } from '../../kernel/area.js';
import { Change } from '../../kernel/changes.js';
import { message } from '../../kernel/messages.js';
import { objectType, type TreeObject } from '../../kernel/object.js';
import type { Tree } from '../../kernel/tree.js';

/** Whether a client receives a change; `lost`: its state is no longer valid, and it must take a snapshot. */
type Verdict = 'show' | 'hide' | 'lost';

/** Decides which changes a client may see. Called for each change as it happens. */
export interface ChangeFilter {
  filter(change: Change): Verdict;
  /** The past changes that it would have shown; undefined if that can no longer be determined. */
  replay(changes: readonly Change[]): readonly Change[] | undefined;
}

/** The owner's filter. */
export const unfiltered: ChangeFilter = {
  filter: () => 'show',
  replay: (changes) => changes,
};

/** The frame that makes a client take a snapshot, because changes are missing (interface, decision 10). */
export function changesLost(TimeStamp: number): Change {
  return new Change({ TimeStamp, SenderID: 0, Message: 0, Data: ['CHANGES_LOST'] });
}

/** After one of these an area may contain other objects, or show other profiles or names, than before. */
const REARRANGING: ReadonlySet<number> = new Set([
  message.OM_REGISTER,
  message.OM_UNREGISTER,
  message.OM_CHANGEPARENT,
  message.OM_CHANGENAME,
  message.OM_CHILDADDED,
  message.OM_CHILDREMOVED,
  message.LM_CHANGETARGET,
  message.VM_CHANGEPROFILENAME,
]);

/** Types that entries of other objects refer to: those entries change when such an object is deleted. */
const SHOWN_BY_OTHERS: ReadonlySet<number> = new Set([
  objectType.link,
  objectType.instance,
  objectType.script,
]);

/**
 * A configurator's filter: changes in its area (interface, decision 14). When the area itself changes, the
 * result is `lost`.
 */
export class AreaFilter implements ChangeFilter {
  readonly #tree: Tree;
  readonly #area: Area;
  readonly #baseId: number;
  /** Objects between OM_REGISTER and OM_CHILDADDED. */
  readonly #arriving = new Set<number>();
  /** Objects that are gone from the tree, and whose OM_UNREGISTER is yet to come. */
  readonly #leaving = new Set<number>();

  /** Several streams may filter the same change; the result is computed once. */
  #filtered: Change | undefined;
  #verdict: Verdict = 'hide';

  constructor(tree: Tree, baseId: number, configuratorId?: number) {
    this.#tree = tree;
    this.#area = new Area(tree, baseId, configuratorId);
    this.#baseId = baseId;
  }

  filter(change: Change): Verdict {
    if (change !== this.#filtered) this.#verdict = this.#verdictOf(change);
    this.#filtered = change;
    return this.#verdict;
  }

  #verdictOf(change: Change): Verdict {
    const { SenderID, Message, Data } = change;
    if (!REARRANGING.has(Message)) {
      if (this.#leaving.has(SenderID) || this.#area.admits(change)) return 'show';
      return this.#area.requiresSnapshot(change) ? 'lost' : 'hide';
    }
    const isInArea = this.#area.contains(SenderID);
    switch (Message) {
      case message.OM_REGISTER:
        if (this.#area.requiresSnapshot(change)) return 'lost';
        if (isInArea) this.#arriving.add(SenderID);
        return isInArea ? 'show' : 'hide';
      case message.OM_CHANGEPARENT:
        if (this.#arriving.has(SenderID)) return this.#area.admits(change) ? 'show' : 'hide';
        return isInArea || this.#isOnPathToArea(SenderID) ? 'lost' : 'hide';
      case message.OM_CHILDADDED:
        // Without a registration before it, it is the end of a move, which was filtered before.
        return this.#arriving.delete(Number(Data[0])) && isInArea ? 'show' : 'hide';
      case message.OM_CHILDREMOVED:
        return this.#isInside(SenderID) ? this.#removed(Number(Data[0])) : 'hide';
      case message.OM_UNREGISTER:
        return this.#unregistered(SenderID, Number(Data[0]));
      case message.OM_CHANGENAME:
        return isInArea ? 'show' : this.#isOnPathToArea(SenderID) ? 'lost' : 'hide';
      default:
        // Another target, or a profile that may not have been in use here before.
        return isInArea ? 'lost' : 'hide';
    }
  }

  replay(changes: readonly Change[]): readonly Change[] | undefined {
    const touches = (change: Change) =>
      REARRANGING.has(change.Message)
        ? this.#tree.find(change.SenderID) === undefined ||
          this.#area.contains(change.SenderID) ||
          this.#isOnPathToArea(change.SenderID)
        : this.#area.requiresSnapshot(change);
    return changes.some(touches) ? undefined : changes.filter((change) => this.#area.admits(change));
  }

  /** A child of the area has left its parent: either it is gone, or it has moved. */
  #removed(child: number): Verdict {
    if (this.#tree.find(child) !== undefined) return this.#area.contains(child) ? 'hide' : 'lost';
    this.#leaving.add(child);
    return 'show';
  }

  #unregistered(id: number, type: number): Verdict {
    // In any case: another object may get the id later.
    const wasLeaving = this.#leaving.delete(id);
    if (id === this.#baseId || this.#links().some((link) => link.data.targetId === id)) return 'lost';
    if (!wasLeaving) return 'hide';
    return SHOWN_BY_OTHERS.has(type) ? 'lost' : 'show';
  }

  #isInside(id: number): boolean {
    const object = this.#tree.find(id);
    return object !== undefined && this.#isBelowBase(object);
  }

  #isBelowBase(object: TreeObject): boolean {
    const { base } = this.#area;
    return base !== undefined && (object === base || this.#tree.isBelow(object, base));
  }

  /** Whether the object is on the path from the root to the base or to a link's target. */
  #isOnPathToArea(id: number): boolean {
    const object = this.#tree.find(id);
    if (object === undefined) return false;
    const ends = [this.#area.base, ...this.#links().map((link) => this.#tree.find(link.data.targetId))];
    return ends.some((end) => end !== undefined && this.#tree.isBelow(end, object));
  }

  #links(): TreeObject<6>[] {
    return [...this.#tree.objectsOfType(objectType.link)].filter((link) => this.#isBelowBase(link));
  }
}

/** A filter that a client has narrowed with `GW_Subscribe` (interface, decision 12). */
export class SubscriptionFilter implements ChangeFilter {
  readonly #tree: Tree;
  readonly #inner: ChangeFilter;
  readonly #ids: ReadonlySet<number>;
  readonly #messages: ReadonlySet<number>;
  readonly #senders: ReadonlySet<number>;
  readonly #leaving = new Set<number>();

  constructor(tree: Tree, inner: ChangeFilter, { ids, messages, senders }: Subscription) {
    this.#tree = tree;
    this.#inner = inner;
    this.#ids = new Set(ids);
    this.#messages = new Set(messages);
    this.#senders = new Set(senders);
  }

  filter(change: Change): Verdict {
    const verdict = this.#inner.filter(change);
    return verdict === 'show' && !this.#matches(change) ? 'hide' : verdict;
  }

  replay(changes: readonly Change[]): readonly Change[] | undefined {
    return this.#inner.replay(changes)?.filter((change) => this.#matches(change));
  }

  #matches(change: Change): boolean {
    const { SenderID, Message } = change;
    const isCovered = this.#ids.size === 0 || this.#senders.has(SenderID) || this.#covers(change);
    if (Message === message.OM_UNREGISTER) this.#leaving.delete(SenderID);
    return isCovered && (this.#messages.size === 0 || this.#messages.has(Message));
  }

  #covers({ SenderID, Message, Data }: Change): boolean {
    if (this.#leaving.has(SenderID)) return true;
    let object = this.#tree.find(SenderID);
    while (object !== undefined && !this.#ids.has(object.id)) object = object.parent ?? undefined;
    if (object === undefined) return this.#ids.has(SenderID);
    const child = Message === message.OM_CHILDREMOVED ? Number(Data[0]) : undefined;
    // A deleted object is no longer in the tree, and two of its messages are still to come.
    if (child !== undefined && this.#tree.find(child) === undefined) this.#leaving.add(child);
    return true;
  }
}

/**
 * What a client subscribes to: objects with everything below them, senders without what is below them, and
 * messages. An empty list of objects or messages means all.
 */
export interface Subscription {
  readonly ids: readonly number[];
  readonly senders: readonly number[];
  readonly messages: readonly number[];
}
