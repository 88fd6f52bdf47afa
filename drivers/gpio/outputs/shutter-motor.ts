import { isAbort } from '../../../src/base/fault.js';
import type { Host, RuleInForce } from '../../../src/device/module.js';
import type { Interlocks } from '../../../src/device/switch/interlocks.js';
import { RuledSwitch } from '../../../src/device/switch/ruled-switch.js';
import { noRule, type RuleStatus } from '../../../src/device/switch/switch-rules.js';
import type { GpioOutput } from './request-output.js';
import type { ShutterMemory } from './shutter-memory.js';
import type { ShutterProperties } from './shutter.js';
import {
  longestRunMs,
  type MotorDirection,
  type ShutterState,
  stateAfterInterruption,
  stateAfterRun,
  type TravelTimes,
} from './shutter-travel.js';

/** How much longer than its longest run a motor may be on before its relay is switched off. */
const GUARD_MS = 1000;

const directions = ['up', 'down'] as const satisfies MotorDirection[];
type PerDirection<T> = Readonly<Record<MotorDirection, T>>;

export interface MotorOptions {
  readonly host: Host<ShutterProperties>;
  readonly times: TravelTimes;
  readonly lines: PerDirection<GpioOutput>;
  /** See `FoundOutput.lineKey`. */
  readonly lineKeys: PerDirection<string>;
  readonly interlocks: Interlocks;
  readonly memory: ShutterMemory;
  /** A reported value has changed. */
  onChange(): void;
  /** The motor was switched off because of GUARD_MS, not by `stop`. */
  onGuardStop(): void;
}

/** A motion, from the command to run until the relay has switched off. */
interface Motion {
  readonly direction: MotorDirection;
  /** The earliest possible start. */
  readonly earliestStartNs: bigint;
  /** The latest possible start; undefined if it may not have started at all. */
  latestStartNs: bigint | undefined;
  /** The earliest possible stop. */
  earliestStopNs: bigint | undefined;
}

interface MotorCommand {
  readonly direction: MotorDirection;
  started: Promise<void>;
  isStopping: boolean;
  /** Switching the relay off failed. */
  isStuck: boolean;
}

/**
 * A motor with a relay for each direction. Rules apply to both: never both together, a dead time at a
 * reversal, never longer than a run. Everything that drives a relay passes through here, so the running time,
 * and with it the position, is known.
 */
export class ShutterMotor {
  readonly #options: MotorOptions;
  readonly #switches: PerDirection<RuledSwitch>;
  readonly #ruleStatus: Record<MotorDirection, RuleStatus>;
  #restState: ShutterState;
  #motion: Motion | undefined;
  /** The present command, until the relay has switched off. */
  #command: MotorCommand | undefined;

  /** To be created in the same step of the event loop in which both lines were requested, inactive. */
  constructor(options: MotorOptions) {
    this.#options = options;
    this.#restState = options.memory.recall();
    options.memory.keep(this.#restState);
    this.#ruleStatus = { up: noRule, down: noRule };
    this.#switches = { up: this.#switch('up'), down: this.#switch('down') };
  }

  /** The state when the motor last rested. */
  get restState(): ShutterState {
    return this.#restState;
  }

  /** The present state. */
  get state(): ShutterState {
    const { times, host } = this.#options;
    if (this.#motion === undefined) return this.#restState;
    const { direction, earliestStartNs, latestStartNs, earliestStopNs } = this.#motion;
    const nowNs = host.clock.monotonicNs();
    const minimumMs = latestStartNs === undefined ? 0 : msBetween(latestStartNs, earliestStopNs ?? nowNs);
    return stateAfterRun(times, { from: this.#restState, direction }, [
      Math.max(0, minimumMs),
      msBetween(earliestStartNs, nowNs),
    ]);
  }

  /** The state if the end of the present run is not seen. */
  get worstCase(): ShutterState {
    const direction = this.#motion?.direction;
    return direction === undefined
      ? this.#restState
      : stateAfterInterruption(this.#options.times, this.#restState, direction);
  }

  /** Off, and no command in progress. */
  get isResting(): boolean {
    return this.#command === undefined;
  }

  /** The direction in which it runs or is about to; undefined if it rests or is being stopped. */
  get direction(): MotorDirection | undefined {
    return this.#command?.isStopping === false ? this.#command.direction : undefined;
  }

  /** The direction whose relay is on, or may be. */
  get moving(): MotorDirection | undefined {
    return this.#motion?.direction;
  }

  /** The running time so far, milliseconds. */
  get ranMs(): number {
    const latestStartNs = this.#motion?.latestStartNs;
    return latestStartNs === undefined ? 0 : msBetween(latestStartNs, this.#options.host.clock.monotonicNs());
  }

  /** For people: a direction that waits for its dead time. */
  get pendingText(): string {
    const waits = directions.filter((direction) => this.#ruleStatus[direction].pending.startsWith('on'));
    return waits.map((direction) => this.#ruleStatus[direction].pending.replace('on', direction)).join();
  }

  /** The run that waits for its dead time: when it starts, unix milliseconds. */
  get pendingRun(): { readonly direction: MotorDirection; readonly atMs: number } | undefined {
    for (const direction of directions) {
      const { scheduled } = this.#ruleStatus[direction];
      if (scheduled?.value === true) return { direction, atMs: scheduled.atMs };
    }
    return undefined;
  }

  /**
   * The rule that forbids a run, as text. During a normal run it is empty: that one direction forbids the other is not
   * reported.
   */
  get rule(): string {
    return this.#blocked.rule;
  }

  /** As {@link rule}, as a record. */
  get ruleInForce(): RuleInForce | undefined {
    return this.#blocked.inForce;
  }

  get #blocked(): RuleStatus {
    if (this.#command?.isStuck === false) return noRule;
    return this.#ruleStatus.up.rule === '' ? this.#ruleStatus.down : this.#ruleStatus.up;
  }

  /**
   * Runs in a direction, from rest or if it runs in that direction already. Resolves after the dead time when
   * the relay has switched on; rejects as `RuledSwitch.write` does.
   */
  run(direction: MotorDirection): Promise<void> {
    if (this.direction === direction && this.#command !== undefined) return this.#command.started;
    const command: MotorCommand = {
      direction,
      started: Promise.resolve(),
      isStopping: false,
      isStuck: false,
    };
    this.#command = command;
    command.started = this.#switches[direction].write(true).catch((thrown: unknown) => {
      if (this.#motion !== undefined) this.#forceOff(command);
      else if (this.#command === command) this.#command = undefined;
      throw thrown;
    });
    return command.started;
  }

  /** Resolves when the relay has switched off. If that fails, it rejects, and switching off is retried. */
  async stop(): Promise<void> {
    const command = this.#command;
    if (command === undefined) return;
    command.isStopping = true;
    try {
      await this.#switches[command.direction].write(false);
    } catch (thrown) {
      if (!isAbort(thrown)) this.#forceOff(command);
      throw thrown;
    }
  }

  /** Rejects if the chip of a line is gone. */
  async probe(): Promise<void> {
    for (const direction of directions) await this.#options.lines[direction].probe();
  }

  /** Stops the motor: nobody would stop it afterwards. */
  async close(): Promise<void> {
    // A failure is shown as a problem already, and the lines are to be closed in any case.
    if (this.#motion !== undefined) await this.stop().catch(() => undefined);
    for (const direction of directions) this.#switches[direction].close();
    for (const direction of directions) await this.#options.lines[direction].close();
  }

  #forceOff(command: MotorCommand): void {
    command.isStopping = true;
    command.isStuck = true;
    this.#switches[command.direction].forceOff();
    this.#options.onChange();
  }

  #switch(direction: MotorDirection): RuledSwitch {
    const { host, lineKeys, interlocks, times, onChange } = this.#options;
    const { id, clock, properties } = host;
    const name = host.siblings().find((one) => one.id === id)?.name ?? 'Shutter';
    return new RuledSwitch(
      {
        id,
        name: `${name} ${direction}`,
        clock,
        line: lineKeys[direction],
        interlocks,
        rules: {
          minOnMs: 0,
          minOffMs: 0,
          maxOnMs: longestRunMs(times, direction) + GUARD_MS,
          isPulse: false,
          group: `${name} (${lineKeys.up}, ${lineKeys.down})`,
          deadTimeMs: properties.DeadTimeMs,
        },
        configured: () => [],
        drive: (active) => (active ? this.#on(direction) : this.#off(direction)),
        onStatus: (status) => {
          this.#ruleStatus[direction] = status;
          onChange();
        },
        setProblem: (text) => host.setProblem(direction.toUpperCase(), text),
      },
      { active: false, offAt: 0 },
    );
  }

  async #on(direction: MotorDirection): Promise<void> {
    const { host, lines, memory, onChange } = this.#options;
    host.signal.throwIfAborted();
    const earliestStartNs = host.clock.monotonicNs();
    const motion = (this.#motion ??= {
      direction,
      earliestStartNs,
      latestStartNs: undefined,
      earliestStopNs: undefined,
    });
    memory.keep(this.worstCase);
    await lines[direction].drive(true);
    motion.latestStartNs ??= host.clock.monotonicNs();
    onChange();
  }

  async #off(direction: MotorDirection): Promise<void> {
    const { host, lines, memory, onChange, onGuardStop } = this.#options;
    const motion = this.#motion?.direction === direction ? this.#motion : undefined;
    if (motion !== undefined) motion.earliestStopNs ??= host.clock.monotonicNs();
    await lines[direction].drive(false);
    if (motion !== undefined) {
      this.#restState = this.state;
      this.#motion = undefined;
      memory.keep(this.#restState);
    }
    const command = this.#command;
    if (command?.direction === direction && (command.isStopping || motion !== undefined)) {
      this.#command = undefined;
      if (!command.isStopping) onGuardStop();
    }
    onChange();
  }
}

const msBetween = (fromNs: bigint, toNs: bigint): number => Number(toNs - fromNs) / 1e6;
