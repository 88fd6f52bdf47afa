import { isAvailable } from '../discovery/availability.js';
import type { Availability, EntityModel } from '../discovery/model.js';

/** The entities of a device that have the same availability. */
export class AvailabilityGroup {
  readonly availability: Availability;
  readonly entities: EntityModel[] = [];
  readonly #states: (boolean | undefined)[];
  #latest: boolean | undefined;
  isAvailable: boolean;

  constructor(availability: Availability) {
    this.availability = availability;
    this.#states = availability.sources.map(() => undefined);
    this.isAvailable = isAvailable(availability.mode, this.#states, undefined);
  }

  /** Takes the state of one of the topics. Returns whether the availability of the group has changed. */
  take(index: number, state: boolean): boolean {
    this.#states[index] = state;
    this.#latest = state;
    const before = this.isAvailable;
    this.isAvailable = isAvailable(this.availability.mode, this.#states, this.#latest);
    return before !== this.isAvailable;
  }
}

/** The entities of a device by their availability. */
export function groupByAvailability(entities: readonly EntityModel[]): AvailabilityGroup[] {
  const groups = new Map<string, AvailabilityGroup>();
  for (const entity of entities) {
    const group = groups.get(entity.availabilityKey) ?? new AvailabilityGroup(entity.availability);
    groups.set(entity.availabilityKey, group);
    group.entities.push(entity);
  }
  return [...groups.values()];
}
