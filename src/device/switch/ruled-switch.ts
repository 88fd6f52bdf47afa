import { coded, type Text } from '../../base/codes/coded-text.js';
import { type Cancel, type Clock, delay } from '../../base/clock.js';
import { codedGeneralOf, codedMessageOf, fault, isAbort } from '../../base/fault.js';
import { SerialQueue } from '../../base/serial-queue.js';
import type { PendingChange } from '../../kernel/quality.js';
import { noRule, type RuleStatus, type SwitchRules } from './switch-rules.js';
import { utcText, WallTimes } from './wall-times.js';
import { ruleFault, ruleNames, type TimedRule } from './rule-fault.js';
import type { ConfiguredMember, Interlocks, LineOwner, InterlockMember } from './interlocks.js';

/** The delay before a forced off is retried: the device rejected it, or will soon be found lost. */
const RETRY_OFF_MS = 1000;

/** How often to check whether all members of a group are open. */
const RECHECK_MS = 1000;

/** How often to check whether the clock was set while a maximum time runs: a restart continues from `offAt`. */
const CLOCK_CHECK_MS = 60_000;

function forcedOffFault(): Error {
  return fault(
    'DEVICE_REFUSED',
    coded`OFF_WHILE_WAITING: the output had to be switched off while the command to switch it on was waiting`,
  );
}

/** A scheduled change with its text. */
type Scheduled = PendingChange & { readonly text: string };

/** The state of the line when it was requested. */
interface InitialState {
  readonly active: boolean;
  /**
   * The last reported `RuleStatus.offAt`, possibly from before a restart: an active line gets the rest of its
   * time and no more.
   */
  readonly offAt: number;
}

interface RuledSwitchOptions extends ConfiguredMember {
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
  onStatus(status: RuleStatus): void;
  /** Sets a problem that is reported to no caller, as `Host.setProblem` does; undefined clears it. */
  setProblem(text: Text | undefined, shown?: Text): void;
}

/**
 * One output under its rules, for all commands. A command succeeds, or fails and names the rule
 * (`RULE_FORBIDS`); it waits only for the dead time. Forced changes (end of the maximum on time, two members
 * found active) are not commands, and no rule stops them. The switch drives nothing when it is created, and
 * nothing after `close`.
 */
export class RuledSwitch {
  readonly #options: RuledSwitchOptions;
  readonly #member: InterlockMember;
  readonly #owner: LineOwner;
  readonly #queue = new SerialQueue();
  readonly #closing = new AbortController();
  /** Aborted and replaced by each off: no earlier command to switch on may wait any longer. */
  #earlierOns = new AbortController();
  /** The pending on. */
  #pending: Scheduled | undefined;
  readonly #wallTimes: WallTimes;
  #isDriving = false;
  /** How often the device has accepted an off. */
  #offs = 0;
  /** How many forced offs are queued; a command that keeps the output on must not delay them. */
  #forcedOffs = 0;
  /** A forced off has failed and is being retried. */
  #isStuck = false;
  #offAtNs: bigint | undefined;
  #cancelOff: Cancel = () => undefined;
  #cancelLater: Cancel = () => undefined;
  #cancelPublish: Cancel = () => undefined;
  #reported = noRule;

  /** Create it in the same step of the event loop in which the line was requested. */
  constructor(options: RuledSwitchOptions, found: InitialState) {
    this.#options = options;
    this.#wallTimes = new WallTimes(options.clock);
    this.#owner = {
      id: options.id,
      name: options.name,
      group: options.rules.group,
      deadTimeMs: options.rules.deadTimeMs,
      configured: () => options.configured(),
      onGroupChange: () => this.#publishStatus(),
      onConflict: (others) => this.#resolveConflict(others),
    };
    this.#member = options.interlocks.join(options.line, this.#owner);
    this.#setInitialState(found);
  }

  /**
   * Executes a command. Rejects with `RULE_FORBIDS`, with `DEVICE_REFUSED` if an off arrived while it waited,
   * or as `drive` does.
   */
  write(active: boolean): Promise<void> {
    this.#cancelLater();
    if (!active)
      this.#supersede(
        fault(
          'DEVICE_REFUSED',
          coded`SWITCHED_OFF_WHILE_WAITING: it was switched off while it waited to go on`,
        ),
      );
    this.#publishStatus();
    const { signal } = this.#earlierOns;
    return this.#queue.run(() => (active ? this.#on(signal) : this.#off()));
  }

  /**
   * Schedules an on after `ms`, its minimum off time, and once all members of its group are open; a command
   * cancels it. `why` is the reason for texts. `onAttempt` is called when the time has come, whether the
   * output went on or a rule forbade it.
   */
  switchOnLater(ms: number, why: string, onAttempt: () => void): void {
    const { clock, rules } = this.#options;
    const waitMs = Math.max(ms, rules.minOffMs - this.#member.stateAgeMs, 0);
    const atMs = this.#member.closedMember() === undefined ? this.#wallTimes.of('BOOT', waitMs) : 0;
    const when = atMs === 0 ? `when all of interlock ${rules.group} are open` : `at ${utcText(atMs)}`;
    this.#cancelLater();
    this.#pending = { value: true, atMs, code: 'BOOT', text: `on ${when} (${why})` };
    const cancel = clock.after(waitMs, () => this.#onDue(why, onAttempt));
    this.#cancelLater = () => {
      cancel();
      this.#pending = undefined;
      this.#cancelLater = () => undefined;
    };
    this.#publishStatus();
  }

  /** Forces an off: no rule applies, and it is retried until the device accepts it or the instance closes. */
  forceOff(): void {
    const { clock, setProblem } = this.#options;
    this.#supersede(forcedOffFault());
    this.#cancelLater();
    const before = this.#offs;
    this.#forcedOffs++;
    const forced = this.#queue.run(async () => {
      this.#forcedOffs--;
      this.#closing.signal.throwIfAborted();
      // An off that was in flight has done it; the times of a later on are separate.
      if (this.#offs === before) await this.#drive(false);
    });
    forced.catch((thrown: unknown) => {
      if (this.#closing.signal.aborted) return;
      this.#isStuck = true;
      setProblem(
        coded`SWITCHING_OFF_FAILED: It must be inactive, but switching it off failed; retrying: ${codedMessageOf(thrown)}`,
      );
      this.#cancelOff();
      this.#cancelOff = clock.after(RETRY_OFF_MS, () => this.forceOff());
    });
  }

  /** To be called when the result of `configured` may have changed. */
  onConfiguredChange(): void {
    this.#publishStatus();
  }

  /** Cancels everything that is pending; drives nothing. Commands reject with an `AbortError` from now on. */
  close(): void {
    const ended = new DOMException('the output was closed', 'AbortError');
    this.#closing.abort(ended);
    this.#supersede(ended);
    this.#cancelLater();
    this.#cancelOff();
    this.#cancelPublish();
    if (this.#isDriving) this.#member.setDrivenState(undefined);
    this.#member.leave(this.#owner);
  }

  #onDue(why: string, onAttempt: () => void): void {
    const { rules, setProblem } = this.#options;
    if (this.#member.closedMember() !== undefined) return this.switchOnLater(RECHECK_MS, why, onAttempt);
    if (this.#member.stateAgeMs < rules.minOffMs) return this.switchOnLater(0, why, onAttempt);
    onAttempt();
    this.write(true).catch((thrown: unknown) => {
      if (isAbort(thrown)) return;
      const text = (what: Text) => coded`NOT_SWITCHED: It was not switched on (${why}): ${what}`;
      setProblem(text(codedMessageOf(thrown)), text(codedGeneralOf(thrown)));
    });
  }

  #setInitialState({ active, offAt }: InitialState): void {
    const { clock, rules } = this.#options;
    const isStored = offAt > 0 && clock.isTrusted();
    const storedMs = isStored ? rules.maxOnMs - (offAt * 1000 - clock.nowMs()) : 0;
    const activeForMs = Math.max(0, this.#member.activeForMs ?? storedMs);
    if (active && rules.maxOnMs > 0) this.#offIn(Math.max(0, rules.maxOnMs - activeForMs));
    this.#member.setInitialState(active, activeForMs);
  }

  async #on(superseded: AbortSignal): Promise<void> {
    const { rules } = this.#options;
    this.#closing.signal.throwIfAborted();
    if (this.#forcedOffs > 0 && this.#member.active !== false) throw forcedOffFault();
    if (this.#member.active === true && rules.isPulse) throw this.#forbids('PULSE', this.#offInMs());
    // Already active: it is driven again, but its times do not restart.
    if (this.#member.active === true) return this.#drive(true);
    const leftMs = rules.minOffMs - this.#member.stateAgeMs;
    if (leftMs > 0) throw this.#forbids('MIN_OFF', leftMs);
    await this.#claimed(superseded);
    if (rules.maxOnMs > 0 && this.#offAtNs === undefined) this.#offIn(rules.maxOnMs);
    await this.#drive(true);
    this.#options.setProblem(undefined);
  }

  async #off(): Promise<void> {
    this.#closing.signal.throwIfAborted();
    // If the line is not known to be active, switching off is the safe side, and no rule forbids it.
    const leftMs = this.#member.active === true ? this.#options.rules.minOnMs - this.#member.stateAgeMs : 0;
    if (leftMs > 0) throw this.#forbids('MIN_ON', leftMs);
    await this.#drive(false);
  }

  /**
   * Resolves when the line may be driven active; until then the on is pending. Rejects instead of waiting if an
   * off came after the command, which may still have been queued then.
   */
  async #claimed(superseded: AbortSignal): Promise<void> {
    const { clock } = this.#options;
    try {
      for (let waitMs = this.#member.claim(); waitMs > 0; waitMs = this.#member.claim()) {
        superseded.throwIfAborted();
        const atMs = this.#wallTimes.of('DEAD_TIME', waitMs);
        const text = `on at ${utcText(atMs)} (dead time)`;
        this.#pending = { value: true, atMs, code: 'DEAD_TIME', text };
        this.#publishStatus();
        await delay(clock, waitMs, superseded);
      }
      this.#pending = undefined;
    } catch (thrown) {
      this.#pending = undefined;
      this.#member.unclaim();
      this.#publishStatus();
      throw thrown;
    }
  }

  async #drive(active: boolean): Promise<void> {
    this.#isDriving = true;
    try {
      await this.#options.drive(active);
    } catch (thrown) {
      this.#driven(undefined);
      throw thrown;
    }
    if (!active) {
      this.#offs++;
      this.#cancelScheduledOff();
      // Whoever switched it off: nothing is retried any more.
      if (this.#isStuck) this.#options.setProblem(undefined);
      this.#isStuck = false;
    }
    this.#driven(active);
  }

  /** After `close` the result says nothing about the line: a later instance may own it by then. */
  #driven(active: boolean | undefined): void {
    if (this.#closing.signal.aborted) return;
    this.#isDriving = false;
    this.#member.setDrivenState(active);
    this.#publishStatus();
  }

  #resolveConflict(others: string): void {
    const { setProblem, name, rules } = this.#options;
    const text = (who: Text) =>
      coded`ACTIVE_TOGETHER_WHICH_INTERLOCK: ${name} was active together with ${who}, which interlock ${rules.group} forbids: all of them are switched off`;
    setProblem(text(others), text(coded`OTHERS: others`));
    this.forceOff();
  }

  #supersede(reason: Error): void {
    this.#earlierOns.abort(reason);
    this.#earlierOns = new AbortController();
  }

  #offIn(ms: number): void {
    const { clock } = this.#options;
    this.#offAtNs = clock.monotonicNs() + BigInt(Math.round(ms * 1e6));
    this.#cancelOff = clock.after(ms, () => this.forceOff());
  }

  #offInMs(): number {
    return this.#offAtNs === undefined ? 0 : Number(this.#offAtNs - this.#options.clock.monotonicNs()) / 1e6;
  }

  #cancelScheduledOff(): void {
    this.#cancelOff();
    this.#offAtNs = undefined;
  }

  #forbids(code: TimedRule, leftMs: number): Error {
    const untilMs = this.#wallTimes.of(code, leftMs);
    const why = coded`POSSIBLE_S: possible in ${Math.ceil(leftMs / 100) / 10} s, at ${utcText(untilMs)}`;
    return ruleFault({ rule: { code, untilMs, group: '' }, name: ruleNames[code], why, generalWhy: why });
  }

  /** Reports a changed status, and checks again when a time has expired or the clock may have been set. */
  #publishStatus(): void {
    const { clock, onStatus } = this.#options;
    if (this.#closing.signal.aborted) return;
    this.#cancelPublish();
    const { inForce, rule, leftMs } = this.#rule();
    const checkMs = Math.min(
      leftMs > 0 ? leftMs : Infinity,
      this.#offAtNs === undefined ? Infinity : CLOCK_CHECK_MS,
    );
    if (checkMs < Infinity) this.#cancelPublish = clock.after(checkMs, () => this.#publishStatus());
    const off = this.#scheduledOff();
    const { text: pending = '', ...scheduled } = this.#pending ?? off ?? {};
    const status: RuleStatus = {
      inForce,
      scheduled: 'code' in scheduled ? scheduled : undefined,
      rule,
      pending,
      offAt: off === undefined ? 0 : Math.round(off.atMs / 1000),
    };
    if (JSON.stringify(status) === JSON.stringify(this.#reported)) return;
    this.#reported = status;
    onStatus(status);
  }

  #scheduledOff(): Scheduled | undefined {
    if (this.#offAtNs === undefined) return undefined;
    const [code, why] = this.#options.rules.isPulse
      ? (['PULSE_END', 'end of the pulse'] as const)
      : (['MAX_ON', 'maximum on time'] as const);
    const atMs = this.#wallTimes.of(code, this.#offInMs());
    return { value: false, atMs, code, text: `off at ${utcText(atMs)} (${why})` };
  }

  /** The rule that forbids the next command; `leftMs` is 0 if it does not end by time. */
  #rule(): Pick<RuleStatus, 'inForce' | 'rule'> & { readonly leftMs: number } {
    const { rules } = this.#options;
    const isOn = this.#member.active === true;
    const leftMs = (isOn ? rules.minOnMs : rules.minOffMs) - this.#member.stateAgeMs;
    if (leftMs > 0 && this.#member.active !== undefined) {
      const code = isOn ? 'MIN_ON' : 'MIN_OFF';
      const untilMs = this.#wallTimes.of(code, leftMs);
      const rule = `${ruleNames[code].text} until ${utcText(untilMs)}`;
      return { inForce: { code, untilMs, group: '' }, rule, leftMs };
    }
    const blocked = isOn ? undefined : this.#member.blockedBy();
    const rule = blocked === undefined ? '' : `${blocked.name.toString()}: ${blocked.generalWhy.toString()}`;
    return { inForce: blocked?.rule, rule, leftMs: 0 };
  }
}
