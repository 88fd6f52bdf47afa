import type { Instance } from '../kernel/instances.js';

/** Which instances are connected to which I/O instance. */
export class InstanceConnections {
  readonly #children = new Map<number, Set<number>>();

  /** The ids of the instances that are connected to an I/O instance. */
  childrenOf(id: number): Iterable<number> {
    return this.#children.get(id) ?? [];
  }

  /** Adds the present connection of an instance, if it has one. */
  add({ id, data }: Instance): void {
    if (data.connectionId === 0) return;
    const children = this.#children.get(data.connectionId);
    if (children === undefined) this.#children.set(data.connectionId, new Set([id]));
    else children.add(id);
  }

  /** Removes the present connection of an instance, if it has one. */
  remove({ id, data }: Instance): void {
    const children = this.#children.get(data.connectionId);
    children?.delete(id);
    if (children?.size === 0) this.#children.delete(data.connectionId);
  }
}
