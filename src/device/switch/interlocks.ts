import type { Clock } from '../../base/clock.js';
import { Fault, faults } from '../../base/fault.js';

/** One that a group is configured to have. */
export interface ConfiguredMember {
  /** The instance's object id. */
  readonly id: number;
  readonly name: string;
}

/** The opening that sits on a line, as long as it lives. */
export interface LineOwner extends ConfiguredMember {
  /** The interlock group; empty: none. */
  readonly group: string;
  /** How long all others of the group must have been inactive before this one goes active; the longer of two counts. */
  readonly deadTimeMs: number;
  /** All that are configured for this group, open or not; asked at each look. */
  configured(): readonly ConfiguredMember[];
  /** What hinders this one from going active may be something else now. */
  onGroupChange(): void;
  /** It was found active together with others, which are named: it must go inactive. */
  onConflict(others: string): void;
}

/**
 * The interlock groups of one gateway: of a group at most one line is active, and none becomes active before all others
 * have been inactive for the dead time. What is known of a line outlives its openings. Everything is decided in one step
 * of the event loop, before anything is driven, so commands that come at once can't slip past each other.
 *
 * Where it can't be known that a line is inactive it counts as active: a drive that failed, a line left active by an
 * instance that is gone, one that is configured and not open.
 */
export class Interlocks {
  readonly #clock: Clock;
  readonly #seats = new Map<string, InterlockMember>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The seat of a line; `line` is the same at every opening of it. Call `Seat.found` in the same step of the event loop. */
  join(line: string, occupant: LineOwner): InterlockMember {
    const seat = this.#seats.get(line) ?? new InterlockMember(this.#clock, (one) => this.#others(one));
    this.#seats.set(line, seat);
    seat.setOwner(occupant);
    return seat;
  }

  #others(seat: InterlockMember): InterlockMember[] {
    if (seat.group === '') return [];
    return [...this.#seats.values()].filter((other) => other !== seat && other.group === seat.group);
  }
}

/** What is known of one line, and its say in its group. */
export class InterlockMember {
  readonly #clock: Clock;
  readonly #others: (seat: InterlockMember) => InterlockMember[];
  #occupant: LineOwner | undefined;
  #name = '';
  #group = '';
  #deadTimeMs = 0;
  #active: boolean | undefined;
  #isClaimed = false;
  #sinceNs: bigint;

  constructor(clock: Clock, others: (seat: InterlockMember) => InterlockMember[]) {
    this.#clock = clock;
    this.#others = others;
    this.#sinceNs = clock.monotonicNs();
  }

  get group(): string {
    return this.#group;
  }

  /** What the line is; undefined when a drive failed and it may be either. */
  get active(): boolean | undefined {
    return this.#active;
  }

  /** Since when it is what it is; of a line never seen before, since it was found. Milliseconds from then to now. */
  get stateAgeMs(): number {
    return Number(this.#clock.monotonicNs() - this.#sinceNs) / 1e6;
  }

  /** An opening takes the seat. */
  setOwner(occupant: LineOwner): void {
    this.#occupant = occupant;
    this.#name = occupant.name;
    this.#group = occupant.group;
    this.#deadTimeMs = occupant.deadTimeMs;
    this.#isClaimed = false;
  }

  /** The value with which the line was taken. Two found active together both go inactive. */
  setInitialState(active: boolean): void {
    this.#know(active);
    const others = this.#others(this).filter((other) => other.mayBeActive);
    if (active && others.length > 0) {
      this.#occupant?.onConflict(others.map((other) => other.#name).join(', '));
      for (const other of others) other.#occupant?.onConflict(this.#name);
    }
    this.#tellGroup();
  }

  /**
   * Reserves the right to go active: no other of the group gets it until this line is known to be inactive, or gives it
   * up by `unclaim`. Returns how long to wait before it may be driven, in milliseconds; ask again after that. Throws
   * `RULE_FORBIDS`, and has claimed nothing then.
   */
  claim(): number {
    const hindrance = this.blockedBy();
    if (hindrance !== undefined) {
      this.#isClaimed = false;
      throw hindrance;
    }
    const isNew = !this.#isClaimed;
    this.#isClaimed = true;
    if (isNew) this.#tellGroup();
    return this.remainingDeadTimeMs();
  }

  unclaim(): void {
    if (!this.#isClaimed) return;
    this.#isClaimed = false;
    this.#tellGroup();
  }

  /** What the line was driven to; undefined when the drive failed. */
  setDrivenState(active: boolean | undefined): void {
    this.#isClaimed = false;
    this.#know(active);
    this.#tellGroup();
  }

  /** The opening ends. What is known of the line stays known. */
  leave(occupant: LineOwner): void {
    if (this.#occupant !== occupant) return;
    this.#occupant = undefined;
    this.#isClaimed = false;
    this.#tellGroup();
  }

  /** Why it may not go active now, dead time aside. */
  blockedBy(): Fault | undefined {
    const active = this.#others(this).find((other) => other.mayBeActive);
    if (active !== undefined) return this.#forbids(active.#whose(), (name) => active.#standing(name));
    const absent = this.closedMember();
    if (absent === undefined) return undefined;
    return this.#forbids(absent, (name) => `${name} is not open, so it may be active; see its STATUS`);
  }

  /** One of the group that is configured and not open. */
  closedMember(): ConfiguredMember | undefined {
    const open = new Set([this, ...this.#others(this)].map((seat) => seat.#occupant?.id));
    return this.#group === '' ? undefined : this.#occupant?.configured().find(({ id }) => !open.has(id));
  }

  /** How long the group's dead time lasts yet, milliseconds; from when the kernel took the off. */
  remainingDeadTimeMs(): number {
    const left = this.#others(this).map(
      (other) => Math.max(this.#deadTimeMs, other.#deadTimeMs) - other.stateAgeMs,
    );
    return Math.max(0, ...left);
  }

  get mayBeActive(): boolean {
    return this.#isClaimed || this.#active !== false;
  }

  #know(active: boolean | undefined): void {
    if (active === this.#active) return;
    this.#active = active;
    this.#sinceNs = this.#clock.monotonicNs();
  }

  /** Who may see this output need not know of another that hinders it. */
  #forbids(
    { id, name }: { readonly id: number | undefined; readonly name: string },
    why: (name: string) => string,
  ): Fault {
    const { text } = faults.RULE_FORBIDS;
    const rule = `interlock ${this.#group}`;
    const named = id === this.#occupant?.id ? name : 'another of the group';
    return new Fault('RULE_FORBIDS', text(rule, why(name)), { general: text(rule, why(named)) });
  }

  #whose() {
    return { id: this.#occupant?.id, name: this.#name };
  }

  #standing(name: string): string {
    if (this.#isClaimed && this.#active === false) return `${name} is about to be active`;
    const what = this.#active === undefined ? 'may be active, as switching it failed' : 'is active';
    if (this.#occupant !== undefined) return `${name} ${what}`;
    return `${name} ${what} and nobody holds it; open an instance on that line and switch it off`;
  }

  #tellGroup(): void {
    this.#occupant?.onGroupChange();
    for (const other of this.#others(this)) other.#occupant?.onGroupChange();
  }
}
