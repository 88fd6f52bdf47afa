import { dropReasons, priorities, type DropReason, type Priority } from './entry.js';

/** The counts of one priority. */
interface PriorityCounts {
  accepted: number;
  /** Passed to the receiver, again and again until it acknowledges them. */
  attempts: number;
  /** Acknowledged by the receiver. */
  sent: number;
  readonly dropped: Record<DropReason, number>;
}

const zero = (): PriorityCounts => ({
  accepted: 0,
  attempts: 0,
  sent: 0,
  dropped: Object.fromEntries(dropReasons.map((reason) => [reason, 0])) as Record<DropReason, number>,
});

/** How many numbers {@link QueueCounters.counts} returns. */
export const COUNTS = priorities.length * dropReasons.length;

/** What happened to the values of a queue. Dropped values are counted over restarts, the others since the start. */
export class QueueCounters {
  readonly of: Readonly<Record<Priority, PriorityCounts>> = { high: zero(), normal: zero(), low: zero() };
  /** Increases with each dropped value. */
  #dropped = 0;

  get dropped(): number {
    return this.#dropped;
  }

  drop(priority: Priority, reason: DropReason, count: number): void {
    if (count <= 0) return;
    this.of[priority].dropped[reason] += count;
    this.#dropped += count;
  }

  /** The values were not dropped after all. */
  undo(priority: Priority, reason: DropReason, count: number): void {
    this.of[priority].dropped[reason] -= count;
    this.#dropped -= count;
  }

  /** The dropped values, in a fixed order. */
  counts(): number[] {
    return priorities.flatMap((priority) => dropReasons.map((reason) => this.of[priority].dropped[reason]));
  }

  /** Raises the counts to at least these, in the order of {@link counts}. */
  raise(counts: readonly number[]): void {
    const known = this.counts();
    for (const [index, count] of counts.entries()) {
      const priority = priorities[Math.floor(index / dropReasons.length)];
      const reason = dropReasons[index % dropReasons.length];
      if (priority === undefined || reason === undefined) return;
      this.drop(priority, reason, count - (known[index] ?? 0));
    }
  }

  /** Dropped values by reason, those of all priorities. */
  droppedByReason(): Partial<Record<DropReason, number>> {
    const sums: Partial<Record<DropReason, number>> = {};
    for (const reason of dropReasons) {
      const sum = priorities.reduce((total, priority) => total + this.of[priority].dropped[reason], 0);
      if (sum > 0) sums[reason] = sum;
    }
    return sums;
  }

  /** The dropped values, to be stored. */
  stored(): Readonly<Record<string, Readonly<Record<string, number>>>> {
    return Object.fromEntries(priorities.map((priority) => [priority, this.of[priority].dropped]));
  }

  /** Continues with stored counts; anything may have been stored. */
  restore(stored: unknown): void {
    for (const priority of priorities)
      for (const reason of dropReasons) {
        const count = member(member(stored, priority), reason);
        if (Number.isSafeInteger(count)) this.drop(priority, reason, Number(count));
      }
  }
}

/** A member of an object of unknown content. */
export function member(record: unknown, name: string): unknown {
  return typeof record === 'object' && record !== null && Object.hasOwn(record, name)
    ? (record as Record<string, unknown>)[name]
    : undefined;
}
