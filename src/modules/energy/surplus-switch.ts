import type { Cancel, Clock } from '../../base/clock.js';

/** When a surplus switches. */
interface SurplusRules {
  /** It switches on at this surplus and above, watts. */
  readonly onAbove: number;
  /** It switches off below this surplus, watts; negative while the switched device may use bought energy. */
  readonly offBelow: number;
  /** How long the surplus must last before it switches. */
  readonly delayMs: number;
  readonly minOnMs: number;
  readonly minOffMs: number;
}

/** A command that was rejected, or that the output has not followed, is repeated after this time. */
const REPEAT_MS = 60_000;

/**
 * Switches an output by a surplus, with hysteresis and minimum times. It only requests: whether the output has
 * switched is what its variable reports. Without a known surplus it switches off.
 */
export class SurplusSwitch {
  readonly #clock: Clock;
  readonly #rules: SurplusRules;
  readonly #request: (isOn: boolean) => void;
  #surplus: number | undefined;
  #isOn: boolean | undefined;
  #isAutomatic: boolean;
  #changedMs: number;
  /** Since when the surplus requires the other state. */
  #requiredMs: number | undefined;
  #notBeforeMs = 0;
  #timer: Cancel | undefined;

  constructor(
    clock: Clock,
    {
      rules,
      isAutomatic,
      request,
    }: {
      readonly rules: SurplusRules;
      readonly isAutomatic: boolean;
      readonly request: (isOn: boolean) => void;
    },
  ) {
    this.#clock = clock;
    this.#rules = rules;
    this.#isAutomatic = isAutomatic;
    this.#request = request;
    // When it last changed is not known: the minimum times begin now.
    this.#changedMs = this.#now();
  }

  setSurplus(surplus: number | undefined): void {
    this.#surplus = surplus;
    this.#decide();
  }

  /** The reported state of the output; undefined if it is not known. */
  setState(isOn: boolean | undefined): void {
    if (this.#isOn !== undefined && isOn !== this.#isOn) this.#changedMs = this.#now();
    this.#isOn = isOn;
    this.#decide();
  }

  setAutomatic(isAutomatic: boolean): void {
    this.#isAutomatic = isAutomatic;
    this.#requiredMs = undefined;
    this.#decide();
  }

  close(): void {
    this.#timer?.();
    this.#isAutomatic = false;
  }

  #now(): number {
    return Number(this.#clock.monotonicNs() / 1_000_000n);
  }

  #requires(): boolean {
    const { onAbove, offBelow } = this.#rules;
    if (this.#surplus === undefined) return false;
    return this.#isOn === true ? this.#surplus >= offBelow : this.#surplus >= onAbove;
  }

  #decide(): void {
    this.#timer?.();
    this.#timer = undefined;
    const requires = this.#requires();
    if (!this.#isAutomatic || this.#isOn === undefined || requires === this.#isOn) {
      this.#requiredMs = undefined;
      return;
    }
    const now = this.#now();
    this.#requiredMs ??= now;
    const { delayMs, minOnMs, minOffMs } = this.#rules;
    const leastMs = this.#isOn ? minOnMs : minOffMs;
    const dueMs = Math.max(this.#requiredMs + delayMs, this.#changedMs + leastMs, this.#notBeforeMs);
    if (dueMs > now) {
      this.#timer = this.#clock.after(dueMs - now, () => this.#decide());
      return;
    }
    this.#notBeforeMs = now + REPEAT_MS;
    this.#timer = this.#clock.after(REPEAT_MS, () => this.#decide());
    this.#request(requires);
  }
}
