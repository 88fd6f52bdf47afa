import { coded, type CodedText, type Text } from '../../base/codes/coded-text.js';
import type { Clock } from '../../base/clock.js';
import type { RuleCode } from '../../base/codes/stable-codes.js';
import { type Rejection, ruleFault } from './rule-fault.js';

/** An instance that is configured to be in an interlock group. */
export interface ConfiguredMember {
  /** The instance's object id. */
  readonly id: number;
  readonly name: string;
}

/** The open instance that owns a line. */
export interface LineOwner extends ConfiguredMember {
  /** The interlock group; empty for none. */
  readonly group: string;
  /**
   * How long all other members must have been inactive before this one goes active; the longer of two
   * settings applies.
   */
  readonly deadTimeMs: number;
  /** All instances that are configured for the group, open or not; called for each decision. */
  configured(): readonly ConfiguredMember[];
  /** Called when the reason that blocks this member may have changed. */
  onGroupChange(): void;
  /** Called when the line was found active together with the named others: it must go inactive. */
  onConflict(others: string): void;
}

/**
 * The interlock groups of one gateway. At most one line of a group is active, and none goes active before all
 * others have been inactive for the dead time. The state of a line outlives its open instance. Each decision
 * is made in one step of the event loop, before anything is driven, so concurrent commands can't overtake
 * each other.
 *
 * A line that is not known to be inactive counts as active: after a failed drive, when its instance was
 * deleted while it was active, or when a configured instance is not open.
 */
export class Interlocks {
  readonly #clock: Clock;
  readonly #isMotor: boolean;
  readonly #members = new Map<string, InterlockMember>();

  /** `isMotor`: the groups are the lines of one motor each, and their names are internal. */
  constructor(clock: Clock, isMotor = false) {
    this.#clock = clock;
    this.#isMotor = isMotor;
  }

  /**
   * Registers the owner of a line; `line` is the same each time it is opened. Call `setInitialState` on the
   * result in the same step of the event loop.
   */
  join(line: string, owner: LineOwner): InterlockMember {
    const member =
      this.#members.get(line) ?? new InterlockMember(this.#clock, this.#isMotor, (one) => this.#others(one));
    this.#members.set(line, member);
    member.setOwner(owner);
    return member;
  }

  #others(member: InterlockMember): InterlockMember[] {
    if (member.group === '') return [];
    return [...this.#members.values()].filter((other) => other !== member && other.group === member.group);
  }
}

/** The state of one line, and its membership in a group. */
export class InterlockMember {
  readonly #clock: Clock;
  readonly #isMotor: boolean;
  readonly #others: (member: InterlockMember) => InterlockMember[];
  #owner: LineOwner | undefined;
  #name = '';
  #group = '';
  #deadTimeMs = 0;
  #active: boolean | undefined;
  #isClaimed = false;
  #sinceNs: bigint;
  /** How long the line was active before it was found, ms. */
  #activeBeforeMs = 0;

  constructor(clock: Clock, isMotor: boolean, others: (member: InterlockMember) => InterlockMember[]) {
    this.#clock = clock;
    this.#isMotor = isMotor;
    this.#others = others;
    this.#sinceNs = clock.monotonicNs();
  }

  get group(): string {
    return this.#group;
  }

  /** The state of the line; undefined if a drive failed and it may be either. */
  get active(): boolean | undefined {
    return this.#active;
  }

  /** How long the line has had its state, ms; for a line not seen before, since it was found. */
  get stateAgeMs(): number {
    return Number(this.#clock.monotonicNs() - this.#sinceNs) / 1e6;
  }

  /**
   * How long the line has been active, ms, including the time before a restart; undefined if it is not known to
   * be active.
   */
  get activeForMs(): number | undefined {
    return this.#active === true ? this.#activeBeforeMs + this.stateAgeMs : undefined;
  }

  /** Sets the open instance that owns the line. If its group is another one, the line leaves the former. */
  setOwner(owner: LineOwner): void {
    const left = owner.group === this.#group ? [] : this.#others(this);
    this.#owner = owner;
    this.#name = owner.name;
    this.#group = owner.group;
    this.#deadTimeMs = owner.deadTimeMs;
    this.#isClaimed = false;
    for (const other of left) other.#owner?.onGroupChange();
  }

  /**
   * Sets the value that the line had when it was requested, and how long it was active before, if that is not
   * known. If two members are found active, both go inactive.
   */
  setInitialState(active: boolean, activeBeforeMs: number): void {
    if (this.#setActive(active)) this.#activeBeforeMs = activeBeforeMs;
    const others = this.#others(this).filter((other) => other.mayBeActive);
    if (active && others.length > 0) {
      this.#owner?.onConflict(others.map((other) => other.#name).join(', '));
      for (const other of others) other.#owner?.onConflict(this.#name);
    }
    this.#notifyGroup();
  }

  /**
   * Claims permission to go active: no other member gets it until this line is known to be inactive, or
   * `unclaim` is called. Returns how long to wait before the line may be driven, ms; call it again after
   * that. Throws `RULE_FORBIDS`, and then claims nothing.
   */
  claim(): number {
    const blocked = this.blockedBy();
    if (blocked !== undefined) {
      this.unclaim();
      throw ruleFault(blocked);
    }
    const isNew = !this.#isClaimed;
    this.#isClaimed = true;
    if (isNew) this.#notifyGroup();
    return this.remainingDeadTimeMs();
  }

  unclaim(): void {
    if (!this.#isClaimed) return;
    this.#isClaimed = false;
    this.#notifyGroup();
  }

  /** Sets the state that the line was driven to; undefined if the drive failed. */
  setDrivenState(active: boolean | undefined): void {
    this.#isClaimed = false;
    this.#setActive(active);
    this.#notifyGroup();
  }

  /** Removes the owner when its instance closes. The state of the line stays. */
  leave(owner: LineOwner): void {
    if (this.#owner !== owner) return;
    this.#owner = undefined;
    this.#isClaimed = false;
    this.#notifyGroup();
  }

  /** The rule by which the line may not go active now, apart from the dead time. */
  blockedBy(): Rejection | undefined {
    const active = this.#others(this).find((other) => other.mayBeActive);
    if (active !== undefined) {
      const code = active.#active === undefined ? 'INTERLOCK_UNCERTAIN' : 'INTERLOCK';
      return this.#forbids(code, active.#identity(), (name) => active.#reasonText(name));
    }
    const absent = this.closedMember();
    if (absent === undefined) return undefined;
    return this.#forbids(
      'INTERLOCK_UNCERTAIN',
      absent,
      (name) => coded`NOT_OPEN_SO_MAY: ${name} is not open, so it may be active; see its STATUS`,
    );
  }

  /** A configured member of the group that is not open. */
  closedMember(): ConfiguredMember | undefined {
    const open = new Set([this, ...this.#others(this)].map((member) => member.#owner?.id));
    return this.#group === '' ? undefined : this.#owner?.configured().find(({ id }) => !open.has(id));
  }

  /** The remaining dead time of the group, ms, from when the kernel accepted the off. */
  remainingDeadTimeMs(): number {
    const left = this.#others(this).map(
      (other) => Math.max(this.#deadTimeMs, other.#deadTimeMs) - other.stateAgeMs,
    );
    return Math.max(0, ...left);
  }

  get mayBeActive(): boolean {
    return this.#isClaimed || this.#active !== false;
  }

  /** Returns whether the state differs. */
  #setActive(active: boolean | undefined): boolean {
    if (active === this.#active) return false;
    this.#active = active;
    this.#sinceNs = this.#clock.monotonicNs();
    this.#activeBeforeMs = 0;
    return true;
  }

  /** Callers who may see this output may not know of another member that blocks it. */
  #forbids(
    code: RuleCode,
    { id, name }: { readonly id: number | undefined; readonly name: string },
    why: (name: Text) => Text,
  ): Rejection {
    const named = id === this.#owner?.id ? name : coded`ANOTHER_GROUP: another of the group`;
    return {
      rule: this.#isMotor
        ? { code: 'MOTOR_UNCERTAIN', untilMs: 0, group: '' }
        : { code, untilMs: 0, group: this.#group },
      name: coded`RULE_INTERLOCK: interlock ${this.#group}`,
      why: why(name),
      generalWhy: why(named),
    };
  }

  #identity() {
    return { id: this.#owner?.id, name: this.#name };
  }

  #reasonText(name: Text): CodedText {
    if (this.#isClaimed && this.#active === false) return coded`ABOUT_ACTIVE: ${name} is about to be active`;
    const what =
      this.#active === undefined
        ? coded`MAY_ACTIVE_SWITCHING_FAILED: may be active, as switching it failed`
        : coded`ACTIVE: is active`;
    if (this.#owner !== undefined) return coded`MEMBER_STATE: ${name} ${what}`;
    return coded`NO_INSTANCE_OPEN_OPEN: ${name} ${what} and no instance is open on it; open an instance on that line and switch it off`;
  }

  #notifyGroup(): void {
    this.#owner?.onGroupChange();
    for (const other of this.#others(this)) other.#owner?.onGroupChange();
  }
}
