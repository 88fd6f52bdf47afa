import type { Change } from './changes.js';
import { isFrontMessage, message } from './messages.js';
import { objectType, type TreeObject } from './object.js';
import type { SnapshotDepth } from './snapshot.js';
import type { Tree } from './tree.js';

/** Messages whose Data contains the id of an object, and the index of it. */
const namedIn: ReadonlyMap<number, number> = new Map([
  [message.OM_CHANGEPARENT, 0],
  [message.OM_CHILDADDED, 0],
  [message.OM_CHILDREMOVED, 0],
  [message.IM_CONNECT, 0],
  [message.IM_DISCONNECT, 0],
  [message.LM_CHANGETARGET, 0],
  [message.WF_NOTIFICATION, 5],
  [message.WF_AUDIO, 1],
  [message.WF_OPEN_CATEGORY, 0],
]);

/**
 * The part of the tree that users of a configurator see (interface, decision 14): its base object with
 * everything below, and the targets of links in there. Of objects between the root and these, only the names
 * are visible.
 */
export class Area {
  readonly #tree: Tree;
  readonly #baseId: number;
  readonly #configuratorId: number | undefined;
  #structure = -1;
  #targets = new Set<TreeObject>();
  /** Ids that links in the area point to, including those of deleted objects. */
  #targetIds = new Set<number>();

  /** `configuratorId`: messages to the fronts of this configurator are admitted wherever its instance is. */
  constructor(tree: Tree, baseId: number, configuratorId?: number) {
    this.#tree = tree;
    this.#baseId = baseId;
    this.#configuratorId = configuratorId;
  }

  get base(): TreeObject | undefined {
    return this.#tree.find(this.#baseId);
  }

  /** Whether the object is visible with its values and open to actions. */
  contains(id: number): boolean {
    const object = this.#tree.find(id);
    if (object === undefined) return false;
    return this.#isInside(object) || this.#linkTargets().has(object);
  }

  /** The objects of the area's snapshot, parents first. `below` limits them to a part of the area. */
  *objects(below: TreeObject | undefined = this.base): Generator<readonly [TreeObject, SnapshotDepth]> {
    if (below === undefined) return;
    const targets = this.#linkTargets(below);
    const depths = new Map<TreeObject, SnapshotDepth>();
    for (const end of [below, ...targets]) {
      for (const step of pathTo(end)) if (!depths.has(step)) depths.set(step, 'name');
      depths.set(end, 'complete');
    }
    // Order: objects above the base, the base with everything below it, the targets of links.
    for (const object of walkSubtree(below)) depths.set(object, 'complete');
    yield* depths;
  }

  /** Names of the profiles that variables of the area use. */
  profiles(): Set<string> {
    const names = new Set<string>();
    for (const [object, depth] of this.objects()) {
      if (depth !== 'complete' || !object.is(objectType.variable)) continue;
      names.add(object.data.profile).add(object.data.customProfile);
    }
    names.delete('');
    return names;
  }

  /**
   * Whether users of the area may receive a message: its sender is in the area, and it names no object
   * outside.
   */
  admits(change: Change): boolean {
    const { SenderID, Message, Data } = change;
    // Traffic and settings of devices are for the owner only, wherever the device is.
    if (Message === message.KL_DEBUG || Message === message.IM_CHANGESETTINGS) return false;
    if (Message >= message.PM_CREATE && Message <= message.PM_ASSOCIATIONCHANGED)
      return this.profiles().has(String(Data[0]));
    const at = namedIn.get(Message);
    if (isFrontMessage(change))
      return SenderID === this.#configuratorId && (at === undefined || this.#isVisibleOrRoot(Data[at]));
    if (!this.contains(SenderID)) return false;
    if (at !== undefined) return Data[at] === 0 ? SenderID !== 0 : this.contains(Number(Data[at]));
    if (Message === message.VM_CHANGEPROFILEACTION)
      return Data.every((id) => Number(id) <= 1 || this.contains(Number(id)));
    return this.#admitsOfEvent(change);
  }

  #isVisibleOrRoot(id: unknown): boolean {
    return id === 0 || this.contains(Number(id));
  }

  /**
   * Whether after this message (a present or an earlier one) its users no longer know what is in the area,
   * and the messages they receive do not contain it: they must then take a snapshot (decision 14).
   */
  requiresSnapshot(change: Change): boolean {
    const { SenderID, Message, Data } = change;
    switch (Message) {
      case message.OM_CHILDREMOVED: {
        const childId = Number(Data[0]);
        return (
          this.isBelowBase(SenderID) ||
          this.isBelowBase(childId) ||
          childId === this.#baseId ||
          this.#isOnPathOrTarget(childId)
        );
      }
      // Only a deleted object that is restored is known before it is registered.
      case message.OM_REGISTER:
        return SenderID === this.#baseId || this.#isLinked(SenderID);
      case message.OM_CHANGENAME:
        return !this.contains(SenderID) && this.#isOnPathOrTarget(SenderID);
      case message.LM_CHANGETARGET:
        return this.isBelowBase(SenderID);
      // It may be a profile that no message to them has contained.
      case message.VM_CHANGEPROFILENAME:
        return this.contains(SenderID);
      // The target of its action or its I/O instance may be outside; only the snapshot then says so.
      case message.VM_CHANGEPROFILEACTION:
      case message.IM_CONNECT:
      case message.IM_DISCONNECT:
      // The actions of a schedule are hidden from fronts.
      case message.EM_ADDSCHEDULEACTION:
      case message.EM_CHANGESCHEDULEACTION:
        return this.contains(SenderID) && !this.admits(change);
      // The new variable may be inside or outside; no message announces that its value became visible or
      // hidden.
      case message.EM_CHANGETRIGGER:
        return this.contains(SenderID);
      default:
        return false;
    }
  }

  /** Script texts and conditions may name any object; snapshot entries omit both (`eventEntryWithin`). */
  #admitsOfEvent({ SenderID, Message, Data }: Change): boolean {
    switch (Message) {
      case message.EM_CHANGEACTION:
      case message.EM_CHANGETRIGGER:
        return false;
      case message.EM_CHANGETRIGGERVALUE: {
        const event = this.#tree.find(SenderID);
        return !event?.is(objectType.event) || this.contains(event.data.trigger?.variableId ?? 0);
      }
      case message.EM_ADDSCHEDULEACTION:
      case message.EM_CHANGESCHEDULEACTION:
        // Id, name, colour, and no text.
        return Data.length === 4 && Data[3] === '';
      default:
        return Message < message.EM_ADDCONDITION || Message > message.EM_CHANGECONDITIONDAYOFTHEWEEKRULE;
    }
  }

  /** Whether the object is the base or below it; targets of links do not count. */
  isBelowBase(id: number): boolean {
    const object = this.#tree.find(id);
    return object !== undefined && this.#isInside(object);
  }

  /** Whether a link in the area points to this id. */
  #isLinked(id: number): boolean {
    this.#linkTargets();
    return this.#targetIds.has(id);
  }

  /** Whether it is above the base or above the target of a link, or is such a target, deleted or not. */
  #isOnPathOrTarget(id: number): boolean {
    if (this.#isLinked(id)) return true;
    const targets = this.#linkTargets();
    const object = this.#tree.find(id);
    if (object === undefined) return false;
    const isAbove = (below: TreeObject | undefined) =>
      below !== undefined && this.#tree.isBelow(below, object);
    return isAbove(this.base) || [...targets].some(isAbove);
  }

  #isInside(object: TreeObject): boolean {
    const base = this.base;
    return base !== undefined && (object === base || this.#tree.isBelow(object, base));
  }

  #linkTargets(below?: TreeObject): Set<TreeObject> {
    if (below === undefined || below === this.base) {
      if (this.#structure !== this.#tree.structureVersion) {
        this.#targetIds.clear();
        this.#targets = this.#findTargets((link) => {
          const isInArea = this.#isInside(link);
          if (isInArea) this.#targetIds.add(link.data.targetId);
          return isInArea;
        });
        this.#structure = this.#tree.structureVersion;
      }
      return this.#targets;
    }
    return this.#findTargets((link) => link === below || this.#tree.isBelow(link, below));
  }

  #findTargets(isInArea: (link: TreeObject<6>) => boolean): Set<TreeObject> {
    const targets = new Set<TreeObject>();
    for (const link of this.#tree.objectsOfType(objectType.link)) {
      const target = isInArea(link) ? this.#tree.find(link.data.targetId) : undefined;
      // A link that is itself the target of a link is not followed: its own target is outside the area.
      if (target !== undefined && target.id !== 0 && !target.is(objectType.link)) targets.add(target);
    }
    return targets;
  }
}

/** An object and everything below it, parents first. */
export function* walkSubtree(object: TreeObject): Generator<TreeObject> {
  yield object;
  for (const child of object.children ?? []) yield* walkSubtree(child);
}

/** The ancestors of an object, from the root down. */
function pathTo(object: TreeObject): TreeObject[] {
  const path: TreeObject[] = [];
  for (let { parent } = object; parent !== null; { parent } = parent) path.unshift(parent);
  return path;
}
