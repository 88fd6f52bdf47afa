import type { Host } from '../../../src/device/module.js';
import { isAbort } from '../../../src/base/fault.js';
import type { Interlocks } from '../../../src/device/switch/interlocks.js';
import { RuledSwitch, type RuleStatus as Rules } from '../../../src/device/switch/ruled-switch.js';
import type { OutputLine } from '../backends/line.js';
import type { ShutterMemory } from './shutter-memory.js';
import type { ShutterProperties } from './shutter.js';
import {
  stateAfterInterruption,
  type MotorDirection,
  longestRunMs,
  stateAfterRun,
  type ShutterState,
  type TravelTimes,
} from './shutter-travel.js';
import { driveLine } from './request-output.js';

/** How much longer than its longest run a motor may be on: then its relay goes off whoever forgot to say so. */
const GUARD_MS = 1000;

export const directions = ['up', 'down'] as const satisfies MotorDirection[];
export type PerDirection<T> = Readonly<Record<MotorDirection, T>>;

/** What a motor works with. */
export interface MotorOptions {
  readonly host: Host<ShutterProperties>;
  readonly times: TravelTimes;
  readonly lines: PerDirection<OutputLine>;
  /** Stands for the lines, whoever opens them. */
  readonly marks: PerDirection<string>;
  readonly interlocks: Interlocks;
  readonly memory: ShutterMemory;
  /** Something is to be shown. */
  onChange(): void;
  /** The motor went off by its guard, not by `stop`. */
  onGuardStop(): void;
}

/** From when the motor was told to run until an off was taken. */
interface Motion {
  readonly direction: MotorDirection;
  /** When it may have started at the earliest, and at the latest; undefined: perhaps not at all. */
  readonly fromNs: bigint;
  byNs: bigint | undefined;
  /** When it may have stopped at the earliest. */
  offNs: bigint | undefined;
}

/** What a motor was told to do. */
interface MotorCommand {
  readonly direction: MotorDirection;
  started: Promise<void>;
  isStopping: boolean;
  /** Switching it off failed. */
  isStuck: boolean;
}

/**
 * A motor with a relay for each direction, both under rules: never two at once, dead time at a reversal, never longer
 * than a run. All that drives a relay passes through here, so it knows how long the motor ran, and where that left it.
 */
export class ShutterMotor {
  readonly #with: MotorOptions;
  readonly #switches: PerDirection<RuledSwitch>;
  readonly #rules: Record<MotorDirection, Rules>;
  #at: ShutterState;
  #motion: Motion | undefined;
  /** What it was told, until an off was taken. */
  #told: MotorCommand | undefined;

  /** To be made in the same step of the event loop in which both lines are known to be taken, inactive. */
  constructor(parts: MotorOptions) {
    this.#with = parts;
    this.#at = parts.memory.recall();
    parts.memory.keep(this.#at);
    const none: Rules = { rule: '', pending: '', offAt: 0 };
    this.#rules = { up: none, down: none };
    this.#switches = { up: this.#switch('up'), down: this.#switch('down') };
  }

  /** Where it was when it last rested. */
  get restState(): ShutterState {
    return this.#at;
  }

  /** Where it is now. */
  get state(): ShutterState {
    const { times, host } = this.#with;
    if (this.#motion === undefined) return this.#at;
    const { direction, fromNs, byNs, offNs } = this.#motion;
    const nowNs = host.clock.monotonicNs();
    const leastMs = byNs === undefined ? 0 : msBetween(byNs, offNs ?? nowNs);
    return stateAfterRun(times, { from: this.#at, direction }, [
      Math.max(0, leastMs),
      msBetween(fromNs, nowNs),
    ]);
  }

  /** Where it is left if nobody sees its run end. */
  get worstCase(): ShutterState {
    const direction = this.#motion?.direction;
    return direction === undefined ? this.#at : stateAfterInterruption(this.#with.times, this.#at, direction);
  }

  /** Off, and nothing under way. */
  get isResting(): boolean {
    return this.#told === undefined;
  }

  /** Where it runs, or is about to; undefined: nowhere, or it is being stopped. */
  get direction(): MotorDirection | undefined {
    return this.#told?.isStopping === false ? this.#told.direction : undefined;
  }

  /** Where its relay is on, or may be. */
  get moving(): MotorDirection | undefined {
    return this.#motion?.direction;
  }

  /** How long it has run, milliseconds. */
  get ranMs(): number {
    const byNs = this.#motion?.byNs;
    return byNs === undefined ? 0 : msBetween(byNs, this.#with.host.clock.monotonicNs());
  }

  /** What waits for its dead time: the direction and the text. */
  get pendingText(): string {
    const waits = directions.filter((direction) => this.#rules[direction].pending.startsWith('on'));
    return waits.map((direction) => this.#rules[direction].pending.replace('on', direction)).join();
  }

  /** The rule that forbids it to run. That one direction forbids the other while all is well is no news. */
  get rule(): string {
    if (this.#told?.isStuck === false) return '';
    return this.#rules.up.rule === '' ? this.#rules.down.rule : this.#rules.up.rule;
  }

  /**
   * Runs in a direction in which it runs already, or from rest. Resolves when the relay took it, the dead time awaited;
   * rejects as `RuledSwitch.write`.
   */
  run(direction: MotorDirection): Promise<void> {
    if (this.direction === direction && this.#told !== undefined) return this.#told.started;
    const told: MotorCommand = { direction, started: Promise.resolve(), isStopping: false, isStuck: false };
    this.#told = told;
    told.started = this.#switches[direction].write(true).catch((thrown: unknown) => {
      if (this.#motion !== undefined) this.#mustStop(told);
      else if (this.#told === told) this.#told = undefined;
      throw thrown;
    });
    return told.started;
  }

  /** Resolves when the relay took the off. Where it did not that rejects, and it is tried until it does. */
  async stop(): Promise<void> {
    const told = this.#told;
    if (told === undefined) return;
    told.isStopping = true;
    try {
      await this.#switches[told.direction].write(false);
    } catch (thrown) {
      if (!isAbort(thrown)) this.#mustStop(told);
      throw thrown;
    }
  }

  /** Rejects when the chip of a line is gone. */
  async probe(): Promise<void> {
    for (const direction of directions) await this.#with.lines[direction].get();
  }

  /** Stops it: nobody would see to its run's end. */
  async close(): Promise<void> {
    if (this.#motion !== undefined) await this.stop().catch(() => undefined);
    for (const direction of directions) this.#switches[direction].close();
    for (const direction of directions) await this.#with.lines[direction].close();
  }

  #mustStop(told: MotorCommand): void {
    told.isStopping = true;
    told.isStuck = true;
    this.#switches[told.direction].forceOff();
    this.#with.onChange();
  }

  #switch(direction: MotorDirection): RuledSwitch {
    const { host, marks, interlocks, times, onChange: changed } = this.#with;
    const { id, clock, properties } = host;
    const name = host.siblings().find((one) => one.id === id)?.name ?? 'Shutter';
    return new RuledSwitch(
      {
        id,
        name: `${name} ${direction}`,
        clock,
        line: marks[direction],
        interlocks,
        rules: {
          minOnMs: 0,
          minOffMs: 0,
          maxOnMs: longestRunMs(times, direction) + GUARD_MS,
          isPulse: false,
          group: `${name} (${marks.up}, ${marks.down})`,
          deadTimeMs: properties.DeadTimeMs,
        },
        configured: () => [],
        drive: (active) => (active ? this.#on(direction) : this.#off(direction)),
        onStatus: (rules) => {
          this.#rules[direction] = rules;
          changed();
        },
        setProblem: (text) => host.setProblem(direction.toUpperCase(), text),
      },
      { active: false, offAt: 0 },
    );
  }

  async #on(direction: MotorDirection): Promise<void> {
    const { host, lines, memory, onChange: changed } = this.#with;
    host.signal.throwIfAborted();
    const fromNs = host.clock.monotonicNs();
    const motion = (this.#motion ??= { direction, fromNs, byNs: undefined, offNs: undefined });
    memory.keep(this.worstCase);
    await driveLine(host, lines[direction], true);
    motion.byNs ??= host.clock.monotonicNs();
    changed();
  }

  async #off(direction: MotorDirection): Promise<void> {
    const { host, lines, memory, onChange: changed, onGuardStop: cut } = this.#with;
    const motion = this.#motion?.direction === direction ? this.#motion : undefined;
    if (motion !== undefined) motion.offNs ??= host.clock.monotonicNs();
    await driveLine(host, lines[direction], false);
    if (motion !== undefined) {
      this.#at = this.state;
      this.#motion = undefined;
      memory.keep(this.#at);
    }
    const told = this.#told;
    if (told?.direction === direction && (told.isStopping || motion !== undefined)) {
      this.#told = undefined;
      if (!told.isStopping) cut();
    }
    changed();
  }
}

const msBetween = (fromNs: bigint, toNs: bigint): number => Number(toNs - fromNs) / 1e6;
