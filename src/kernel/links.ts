import { fault } from '../base/fault.js';
import { message } from './messages.js';
import { objectType, type TreeObject } from './object.js';
import type { ObjectOptions, Tree } from './tree.js';

/** A link object. */
type Link = TreeObject<6>;

/** Links show an object in a second place of the tree. */
export class Links {
  readonly #tree: Tree;
  constructor(tree: Tree) {
    this.#tree = tree;
  }

  get(id: number): Link {
    return this.#tree.getOfType(objectType.link, id);
  }

  create(options: ObjectOptions = {}, targetId = 0): Link {
    this.#check(targetId);
    const emitTypeMessages = ({ id }: Link) => {
      if (targetId !== 0) this.#tree.changes.emit(id, message.LM_CHANGETARGET, [targetId]);
    };
    return this.#tree.create(objectType.link, { targetId }, { ...options, emitTypeMessages });
  }

  /** 0 means no target (interface §5). Throws `OBJECT_MISSING`. */
  setTarget(link: Link, targetId: number): void {
    this.#check(targetId);
    if (link.data.targetId === targetId) return;
    this.#tree.touch(link);
    link.data.targetId = targetId;
    this.#tree.structureVersion++;
    this.#tree.changes.emit(link.id, message.LM_CHANGETARGET, [targetId]);
    this.#tree.journal.markObject(link);
  }

  #check(targetId: number): void {
    if (targetId !== 0 && this.#tree.find(targetId) === undefined) throw fault('OBJECT_MISSING', targetId);
  }
}
