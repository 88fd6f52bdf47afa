import { type Cancel, type Clock, delay } from '../../base/clock.js';
import { fault, generalOf, isAbort, messageOf } from '../../base/fault.js';
import { SerialQueue } from '../../base/serial-queue.js';
import type { ConfiguredMember, Interlocks, LineOwner, InterlockMember } from './interlocks.js';

/** The delay before a forced off is retried: the device rejected it, or will soon be found lost. */
const RETRY_OFF_MS = 1000;

/** How often to check whether all members of a group are open. */
const LOOK_AGAIN_MS = 1000;

const MIN_ON = 'minimum on time';
const MIN_OFF = 'minimum off time';
const MAX_ON = 'maximum on time';
const PULSE = 'one pulse at a time';

/** The rules of one output, in milliseconds; 0 means no rule. */
export interface SwitchRules {
  /** The minimum time in the active state before a command switches it off. */
  readonly minOnMs: number;
  /** The minimum time in the inactive state before it is switched on. */
  readonly minOffMs: number;
  /** After this time in the active state it goes inactive by itself, regardless of other rules. */
  readonly maxOnMs: number;
  /** The output is a pulse of the maximum on time: a repeated on is rejected while the pulse lasts. */
  readonly isPulse: boolean;
  /** The interlock group, empty for none, and its dead time. */
  readonly group: string;
  readonly deadTimeMs: number;
}

/** The state of the rules; each text is empty if there is nothing to report. */
export interface RuleStatus {
  /** The rule that forbids the next command, and until when. */
  readonly rule: string;
  /** The scheduled change, and when it happens. */
  readonly pending: string;
  /** When the output goes inactive by itself: unix seconds, 0 for never. */
  readonly offAt: number;
}

/** The state of the line when it was requested. */
export interface InitialState {
  readonly active: boolean;
  /**
   * The last reported `RuleStatus.offAt`, possibly from before a restart: an active line gets the rest of its
   * time and no more.
   */
  readonly offAt: number;
}

export interface RuledSwitchOptions extends ConfiguredMember {
  readonly clock: Clock;
  readonly rules: SwitchRules;
  readonly interlocks: Interlocks;
  /** Identifies the line; the same each time it is opened. */
  readonly line: string;
  configured(): readonly ConfiguredMember[];
  /**
   * Drives the line; resolves when the device has accepted it. After a rejection the state of the line is
   * unknown.
   */
  drive(active: boolean): Promise<void>;
  /** Called when the status changes. */
  onStatus(standing: RuleStatus): void;
  /** Sets a problem that no caller is told, as `Host.setProblem` does; undefined clears it. */
  setProblem(text: string | undefined, shown?: string): void;
}

/**
 * One output under its rules, for all commands. A command succeeds, or fails and names the rule
 * (`RULE_FORBIDS`); it waits only for the dead time. Forced changes (end of the maximum on time, two members
 * found active) are no commands and no rule stops them. The switch drives nothing when it is created, and
 * nothing after `close`.
 */
export class RuledSwitch {
  readonly #with: RuledSwitchOptions;
  readonly #seat: InterlockMember;
  readonly #occupant: LineOwner;
  readonly #turn = new SerialQueue();
  readonly #closing = new AbortController();
  /** Aborts the wait of a pending on. */
  #waiting: AbortController | undefined;
  /** The text of a pending on. */
  #pending = '';
  #isDriving = false;
  /** How often the device has accepted an off. */
  #offs = 0;
  /** A forced off has failed and is being retried. */
  #isStuck = false;
  #offAtNs: bigint | undefined;
  #cancelOff: Cancel = () => undefined;
  #cancelLater: Cancel = () => undefined;
  #cancelTell: Cancel = () => undefined;
  #told: RuleStatus = { rule: '', pending: '', offAt: 0 };

  /** Create it in the same step of the event loop in which the line was requested. */
  constructor(parts: RuledSwitchOptions, found: InitialState) {
    this.#with = parts;
    this.#occupant = {
      id: parts.id,
      name: parts.name,
      group: parts.rules.group,
      deadTimeMs: parts.rules.deadTimeMs,
      configured: () => parts.configured(),
      onGroupChange: () => this.#tell(),
      onConflict: (others) => this.#clash(others),
    };
    this.#seat = parts.interlocks.join(parts.line, this.#occupant);
    this.#begin(found);
  }

  /**
   * Executes a command. Rejects with `RULE_FORBIDS`, with `DEVICE_REFUSED` if an off arrived while it waited,
   * or as `drive` does.
   */
  write(active: boolean): Promise<void> {
    this.#cancelLater();
    if (!active) this.#supersede(fault('DEVICE_REFUSED', 'it was switched off while it waited to go on'));
    this.#tell();
    return this.#turn.run(() => (active ? this.#on() : this.#off()));
  }

  /**
   * Schedules an on after `ms`, its minimum off time, and once all members of its group are open; a command
   * cancels it. `why` is the reason for texts. `tried` is called when the time has come, whether the output
   * went on or a rule forbade it.
   */
  switchOnLater(ms: number, why: string, tried: () => void): void {
    const { clock, rules } = this.#with;
    const waitMs = Math.max(ms, rules.minOffMs - this.#seat.stateAgeMs, 0);
    const when =
      this.#seat.closedMember() === undefined
        ? `at ${timeAfter(clock, waitMs)}`
        : `when all of interlock ${rules.group} are open`;
    this.#cancelLater();
    this.#pending = `on ${when} (${why})`;
    const cancel = clock.after(waitMs, () => this.#isDue(why, tried));
    this.#cancelLater = () => {
      cancel();
      this.#pending = '';
      this.#cancelLater = () => undefined;
    };
    this.#tell();
  }

  /** Forces an off: no rule applies, and it is retried until the device accepts it or the instance closes. */
  forceOff(): void {
    const { clock, setProblem: complain } = this.#with;
    this.#supersede(fault('DEVICE_REFUSED', 'it had to go off while it waited to go on'));
    this.#cancelLater();
    const before = this.#offs;
    const forced = this.#turn.run(async () => {
      this.#closing.signal.throwIfAborted();
      // An off that was in flight has done it; a later on has times of its own.
      if (this.#offs === before) await this.#drive(false);
    });
    forced.then(
      () => {
        if (this.#isStuck) complain(undefined);
        this.#isStuck = false;
      },
      (thrown: unknown) => {
        if (this.#closing.signal.aborted) return;
        this.#isStuck = true;
        complain(`It must be inactive, and switching it off fails; it is tried again: ${messageOf(thrown)}`);
        this.#cancelOff();
        this.#cancelOff = clock.after(RETRY_OFF_MS, () => this.forceOff());
      },
    );
  }

  /** Cancels everything that is pending; drives nothing. Commands reject with an `AbortError` from now on. */
  close(): void {
    const ended = new DOMException('the output was closed', 'AbortError');
    this.#closing.abort(ended);
    this.#supersede(ended);
    this.#cancelLater();
    this.#cancelOff();
    this.#cancelTell();
    if (this.#isDriving) this.#seat.setDrivenState(undefined);
    this.#seat.leave(this.#occupant);
  }

  #isDue(why: string, tried: () => void): void {
    const { rules, setProblem: complain } = this.#with;
    if (this.#seat.closedMember() !== undefined) return this.switchOnLater(LOOK_AGAIN_MS, why, tried);
    if (this.#seat.stateAgeMs < rules.minOffMs) return this.switchOnLater(0, why, tried);
    tried();
    this.write(true).catch((thrown: unknown) => {
      if (isAbort(thrown)) return;
      const text = (what: string) => `It was not switched on (${why}): ${what}`;
      complain(text(messageOf(thrown)), text(generalOf(thrown)));
    });
  }

  #begin({ active, offAt }: InitialState): void {
    const { clock, rules } = this.#with;
    if (active && rules.maxOnMs > 0) {
      const wasActiveForMs = this.#seat.active === true ? this.#seat.stateAgeMs : 0;
      const isTold = wasActiveForMs === 0 && offAt > 0 && clock.isTrusted();
      const leftMs = isTold ? offAt * 1000 - clock.nowMs() : rules.maxOnMs - wasActiveForMs;
      this.#offIn(Math.min(rules.maxOnMs, Math.max(0, leftMs)));
    }
    this.#seat.setInitialState(active);
  }

  async #on(): Promise<void> {
    const { rules } = this.#with;
    this.#closing.signal.throwIfAborted();
    if (this.#seat.active === true && rules.isPulse) throw this.#forbids(PULSE, this.#offInMs());
    // Already active: it is driven again, but its times do not restart.
    if (this.#seat.active === true) return this.#drive(true);
    const leftMs = rules.minOffMs - this.#seat.stateAgeMs;
    if (leftMs > 0) throw this.#forbids(MIN_OFF, leftMs);
    await this.#claimed();
    if (rules.maxOnMs > 0 && this.#offAtNs === undefined) this.#offIn(rules.maxOnMs);
    await this.#drive(true);
    this.#with.setProblem(undefined);
  }

  async #off(): Promise<void> {
    this.#closing.signal.throwIfAborted();
    // If the line is not known to be active, switching off is the safe side, and no rule forbids it.
    const leftMs = this.#seat.active === true ? this.#with.rules.minOnMs - this.#seat.stateAgeMs : 0;
    if (leftMs > 0) throw this.#forbids(MIN_ON, leftMs);
    await this.#drive(false);
  }

  /** Resolves when the line may be driven active; until then the on is pending, and an off aborts it. */
  async #claimed(): Promise<void> {
    const { clock } = this.#with;
    const waiting = new AbortController();
    this.#waiting = waiting;
    try {
      for (let waitMs = this.#seat.claim(); waitMs > 0; waitMs = this.#seat.claim()) {
        this.#pending = `on at ${timeAfter(clock, waitMs)} (dead time)`;
        this.#tell();
        await delay(clock, waitMs, waiting.signal);
      }
    } catch (thrown) {
      this.#seat.unclaim();
      throw thrown;
    } finally {
      this.#pending = '';
      this.#waiting = undefined;
    }
  }

  async #drive(active: boolean): Promise<void> {
    this.#isDriving = true;
    try {
      await this.#with.drive(active);
    } catch (thrown) {
      this.#driven(undefined);
      throw thrown;
    }
    if (!active) {
      this.#offs++;
      this.#neverOff();
    }
    this.#driven(active);
  }

  /** After `close` the result says nothing about the line: a later instance may own it by then. */
  #driven(active: boolean | undefined): void {
    if (this.#closing.signal.aborted) return;
    this.#isDriving = false;
    this.#seat.setDrivenState(active);
    this.#tell();
  }

  #clash(others: string): void {
    const { setProblem: complain, name, rules } = this.#with;
    const text = (who: string) =>
      `${name} was active together with ${who}, which interlock ${rules.group} forbids: all of them are switched off`;
    complain(text(others), text('others'));
    this.forceOff();
  }

  #supersede(reason: Error): void {
    this.#waiting?.abort(reason);
  }

  #offIn(ms: number): void {
    const { clock } = this.#with;
    this.#offAtNs = clock.monotonicNs() + BigInt(Math.round(ms * 1e6));
    this.#cancelOff = clock.after(ms, () => this.forceOff());
  }

  #offInMs(): number {
    return this.#offAtNs === undefined ? 0 : Number(this.#offAtNs - this.#with.clock.monotonicNs()) / 1e6;
  }

  #neverOff(): void {
    this.#cancelOff();
    this.#offAtNs = undefined;
  }

  #forbids(rule: string, leftMs: number): Error {
    return fault(
      'RULE_FORBIDS',
      rule,
      `possible in ${Math.ceil(leftMs / 100) / 10} s, at ${timeAfter(this.#with.clock, leftMs)}`,
    );
  }

  /** Reports the status if it has changed, and checks again when a time has expired. */
  #tell(): void {
    const { clock, onStatus: tell } = this.#with;
    if (this.#closing.signal.aborted) return;
    this.#cancelTell();
    const { rule, leftMs } = this.#rule();
    if (leftMs > 0) this.#cancelTell = clock.after(leftMs, () => this.#tell());
    const offInMs = this.#offInMs();
    const why = this.#with.rules.isPulse ? 'end of the pulse' : MAX_ON;
    const off = this.#offAtNs === undefined ? '' : `off at ${timeAfter(clock, offInMs)} (${why})`;
    const standing = {
      rule,
      pending: this.#pending === '' ? off : this.#pending,
      offAt: this.#offAtNs === undefined ? 0 : Math.round((clock.nowMs() + offInMs) / 1000),
    };
    if (JSON.stringify(standing) === JSON.stringify(this.#told)) return;
    this.#told = standing;
    tell(standing);
  }

  /** The rule that forbids the next command; `leftMs` is 0 if it does not end by time. */
  #rule(): { readonly rule: string; readonly leftMs: number } {
    const { clock, rules } = this.#with;
    const isOn = this.#seat.active === true;
    const leftMs = (isOn ? rules.minOnMs : rules.minOffMs) - this.#seat.stateAgeMs;
    const name = isOn ? MIN_ON : MIN_OFF;
    if (leftMs > 0 && this.#seat.active !== undefined)
      return { rule: `${name} until ${timeAfter(clock, leftMs)}`, leftMs };
    return { rule: isOn ? '' : (this.#seat.blockedBy()?.general ?? ''), leftMs: 0 };
  }
}

/** The UTC time `ms` from now. */
export const timeAfter = (clock: Clock, ms: number): string =>
  new Date(clock.nowMs() + ms).toISOString().slice(0, 19) + 'Z';
