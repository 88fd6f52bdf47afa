/** A level of topics. */
interface Level<T> {
  readonly next: Map<string, Level<T>>;
  readonly values: Map<string, T>;
}

/** Finds the subscriptions of a topic without comparing it with each of them (MQTT 3.1.1 §4.7). */
export class FilterTree<T> {
  readonly #root: Level<T> = newLevel();

  /** Adds or replaces the value of a filter under a key. */
  set(filter: string, key: string, value: T): void {
    let level = this.#root;
    for (const name of filter.split('/')) {
      const next = level.next.get(name) ?? newLevel<T>();
      level.next.set(name, next);
      level = next;
    }
    level.values.set(key, value);
  }

  delete(filter: string, key: string): void {
    const names = filter.split('/');
    const path = [this.#root];
    for (const name of names) {
      const next = path.at(-1)?.next.get(name);
      if (next === undefined) return;
      path.push(next);
    }
    path.at(-1)?.values.delete(key);
    for (let depth = names.length; depth > 0; depth--) {
      const level = path[depth];
      if (level === undefined || level.values.size > 0 || level.next.size > 0) return;
      path[depth - 1]?.next.delete(names[depth - 1] ?? '');
    }
  }

  /** The values of all filters that match a topic. */
  matches(topic: string): T[] {
    const found: T[] = [];
    const names = topic.split('/');
    // A leading wildcard never matches $… [MQTT-4.7.2-1].
    const isReserved = topic.startsWith('$');
    const visit = (level: Level<T>, depth: number): void => {
      const canUseWildcards = depth > 0 || !isReserved;
      // # also matches the level above it [MQTT-4.7.1-2].
      const rest = canUseWildcards ? level.next.get('#') : undefined;
      if (rest !== undefined) found.push(...rest.values.values());
      const name = names[depth];
      if (name === undefined) {
        found.push(...level.values.values());
        return;
      }
      for (const one of canUseWildcards ? [name, '+'] : [name]) {
        const next = level.next.get(one);
        if (next !== undefined) visit(next, depth + 1);
      }
    };
    visit(this.#root, 0);
    return found;
  }
}

function newLevel<T>(): Level<T> {
  return { next: new Map(), values: new Map() };
}
