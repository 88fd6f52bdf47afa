import { coded } from '../../../src/base/codes/coded-text.js';
import { fault, isAbort, codedMessageOf } from '../../../src/base/fault.js';
import {
  type Host,
  type OpenInstance,
  type PendingChange,
  quality,
  type QualityProblem,
  type Value,
} from '../../../src/device/module.js';
import type { Interlocks } from '../../../src/device/switch/interlocks.js';
import { utcText } from '../../../src/device/switch/wall-times.js';
import type { Backends } from '../backends/backends.js';
import { findOutput } from './request-output.js';
import { ShutterMemory } from './shutter-memory.js';
import { type MotorOptions, ShutterMotor } from './shutter-motor.js';
import type { ShutterProperties } from './shutter.js';
import {
  isPositionKnown,
  isSlatKnown,
  midpoint,
  type MotorRun,
  nextRun,
  type ShutterTarget,
  type Span,
  type TravelTimes,
} from './shutter-travel.js';

/** Interval at which a moving shutter reports its position. */
const REPORT_INTERVAL_MS = 1000;

const NOT_KNOWN: QualityProblem = {
  state: quality.bad,
  reason: 'NOT_KNOWN',
  text: 'the position is unknown until a run into an end stop',
};

/** Requests both lines as inactive: if one is active, that is a run that nobody ended. */
export async function openShutter(
  host: Host<ShutterProperties>,
  backends: Backends,
  interlocks: Interlocks,
): Promise<OpenInstance> {
  const up = await findOutput(lineHost(host, host.properties.Up), backends);
  const down = await findOutput(lineHost(host, host.properties.Down), backends);
  const upLine = await up.request('inactive');
  try {
    const downLine = await down.request('inactive');
    for (const line of [up, down]) line.markBooted();
    const lineKeys = { up: up.lineKey, down: down.lineKey };
    const bootFlags = [up.bootFlag, down.bootFlag];
    return new ShutterController(host, {
      lines: { up: upLine, down: downLine },
      lineKeys,
      interlocks,
      bootFlags,
    });
  } catch (thrown) {
    await upLine.close();
    throw thrown;
  }
}

/** The host as `findOutput` expects it, for one of the two lines. */
const lineHost = (host: Host<ShutterProperties>, Line: string) => ({
  ...host,
  properties: { ...host.properties, Line },
  siblings: () => [],
});

/** The values of MOVE (`~ShutterMoveStop`). */
const OPEN = 0;
const STOP = 2;
const CLOSE = 4;

/** An open shutter: turns commands into runs of the motor and reports its state. */
class ShutterController implements OpenInstance {
  readonly #host: Host<ShutterProperties>;
  readonly #times: TravelTimes;
  readonly #memory: ShutterMemory;
  readonly #motor: ShutterMotor;
  /** The present target, a new object for every command. */
  #target: ShutterTarget = {};
  /** The scheduled end of the present run. */
  #scheduledStop:
    { readonly cancel: () => void; readonly atMs: number; readonly remaining: ShutterTarget } | undefined;
  #cancelReports: (() => void) | undefined;
  readonly #reported = new Map<string, Value>();
  /** Variables whose reported value is uncertain. */
  readonly #uncertain = new Set<string>();

  constructor(
    host: Host<ShutterProperties>,
    {
      bootFlags,
      ...motorLines
    }: Pick<MotorOptions, 'lines' | 'lineKeys' | 'interlocks'> & {
      readonly bootFlags: readonly string[];
    },
  ) {
    const { RunUpS, RunDownS, SlatS, ReserveS } = host.properties;
    this.#host = host;
    this.#times = {
      runMs: { up: RunUpS * 1000, down: RunDownS * 1000 },
      slatMs: SlatS * 1000,
      reserveMs: ReserveS * 1000,
    };
    this.#memory = new ShutterMemory(host, bootFlags);
    this.#motor = new ShutterMotor({
      ...motorLines,
      host,
      times: this.#times,
      memory: this.#memory,
      onChange: () => this.#report(),
      onGuardStop: () => this.#onGuardStop(),
    });
    this.#report();
  }

  /** A command replaces the one in progress. Resolves when the motor has accepted it. */
  async write(ident: string, value: Value): Promise<void> {
    const target = targetOf(this.#target, ident, value);
    try {
      await this.#moveTo(target);
    } catch (thrown) {
      if (this.#target === target) this.#target = {};
      throw thrown;
    }
    this.#host.setProblem('RUN', undefined);
  }

  async refresh(): Promise<void> {
    await this.#motor.probe();
    this.#reported.clear();
    this.#report();
  }

  probe(): Promise<void> {
    return this.#motor.probe();
  }

  flush(): void {
    this.#memory.flush(this.#motor.worstCase);
  }

  async close(): Promise<void> {
    this.#target = {};
    this.#cancelStop();
    await this.#motor.close();
    this.#cancelReports?.();
  }

  /** Makes the motor run or rest as the target requires, until the end of the run or another command. */
  async #moveTo(target: ShutterTarget): Promise<void> {
    const motor = this.#motor;
    this.#target = target;
    this.#cancelStop();
    while (this.#target === target) {
      const run = nextRun(this.#times, { at: motor.restState, moving: motor.direction }, target);
      if (run === undefined && motor.isResting) break;
      if (run !== undefined && (motor.isResting || motor.direction === run.direction)) {
        await motor.run(run.direction);
        const remainingMs = run.ms - motor.ranMs;
        if (this.#target !== target) break;
        if (remainingMs > 0) return this.#stopIn(remainingMs, run);
      }
      await motor.stop();
    }
    this.#report();
  }

  #stopIn(ms: number, { remaining }: MotorRun): void {
    const { clock } = this.#host;
    const cancel = clock.after(ms, () => this.#onRunEnd(remaining));
    this.#scheduledStop = { cancel, atMs: Math.round(clock.nowMs() + ms), remaining };
    this.#report();
  }

  #cancelStop(): void {
    this.#scheduledStop?.cancel();
    this.#scheduledStop = undefined;
  }

  #onRunEnd(remaining: ShutterTarget): void {
    const target = this.#target;
    this.#cancelStop();
    const proceed = async () => {
      await this.#motor.stop();
      if (this.#target === target) await this.#moveTo(remaining);
    };
    proceed().catch((thrown: unknown) => {
      if (this.#target === target || this.#target === remaining) this.#target = {};
      if (!isAbort(thrown))
        this.#host.setProblem(
          'RUN',
          coded`DID_NOT_REACH_TARGET: It did not reach its target: ${codedMessageOf(thrown)}`,
        );
    });
  }

  /** The motor was on for its maximum time. */
  #onGuardStop(): void {
    this.#target = {};
    this.#cancelStop();
    this.#host.setProblem(
      'RUN',
      coded`MOTOR_RAN_MAXIMUM_TIME: The motor ran for its maximum time and was stopped`,
    );
  }

  #report(): void {
    const motor = this.#motor as ShutterMotor | undefined;
    // The motor reports changes while it is being constructed.
    if (motor === undefined) return;
    const { state, moving, rule } = motor;
    const isKnown = isPositionKnown(state);
    // An uncertain position is not updated until the shutter has come to rest.
    if (isKnown || moving === undefined || !this.#uncertain.has('POSITION'))
      this.#reportValue('POSITION', percent(state.position), isKnown);
    if (this.#times.slatMs > 0) this.#reportValue('SLAT', percent(state.slat), isSlatKnown(state));
    this.#reportValue('MOVE', moving === undefined ? STOP : moving === 'up' ? OPEN : CLOSE);
    this.#reportValue('KNOWN', isKnown);
    this.#reportPending(motor);
    this.#host.reportRule('MOVE', motor.ruleInForce);
    this.#reportValue('RULE', rule);
    if (moving !== undefined)
      this.#cancelReports ??= this.#host.clock.every(REPORT_INTERVAL_MS, () => this.#report());
    else {
      this.#cancelReports?.();
      this.#cancelReports = undefined;
    }
  }

  #reportPending({ pendingRun, pendingText }: ShutterMotor): void {
    const stop = this.#scheduledStop;
    const isLearning = stop?.remaining.position !== undefined;
    const why = isLearning ? ' (end stop, to learn the position)' : '';
    const stopText = stop === undefined ? '' : `stops at ${utcText(stop.atMs)}${why}`;
    this.#reportValue('PENDING', pendingText === '' ? stopText : pendingText);
    const code = pendingRun === undefined ? (isLearning ? 'END_STOP' : 'RUN_END') : 'DEAD_TIME';
    const moveAtMs = pendingRun?.atMs ?? stop?.atMs;
    const move = pendingRun === undefined ? STOP : pendingRun.direction === 'up' ? OPEN : CLOSE;
    /**
     * When a part of the target is reached: at the end of the present run if no other run has to follow for
     * it, otherwise at an unknown time (0).
     */
    const reach = (part: keyof ShutterTarget): PendingChange | undefined => {
      const goal = this.#target[part];
      if (goal === undefined || moveAtMs === undefined) return undefined;
      const isLast = pendingRun === undefined && stop?.remaining[part] === undefined;
      return { value: Math.round(goal * 100), atMs: isLast ? moveAtMs : 0, code };
    };
    this.#host.reportPending(
      'MOVE',
      moveAtMs === undefined ? undefined : { value: move, atMs: moveAtMs, code },
    );
    this.#host.reportPending('POSITION', reach('position'));
    if (this.#times.slatMs > 0) this.#host.reportPending('SLAT', reach('slat'));
  }

  #reportValue(ident: string, value: Value, isCertain = true): void {
    // A value is reported again if only its certainty has changed.
    if (this.#reported.get(ident) === value && this.#uncertain.has(ident) !== isCertain) return;
    this.#reported.set(ident, value);
    if (isCertain) this.#uncertain.delete(ident);
    else this.#uncertain.add(ident);
    if (isCertain) this.#host.report(ident, value);
    else this.#host.reportUncertain(ident, value, NOT_KNOWN);
  }
}

const percent = (span: Span): number => Math.round(midpoint(span) * 100);

/** The target after a command: MOVE replaces all of it, POSITION and SLAT only their part. */
function targetOf(target: ShutterTarget, ident: string, value: Value): ShutterTarget {
  if (ident !== 'POSITION' && ident !== 'SLAT' && ident !== 'MOVE') throw fault('READ_ONLY', ident);
  if (ident === 'MOVE') {
    if (value === STOP) return {};
    if (value === OPEN || value === CLOSE) return { position: value / CLOSE };
    throw fault(
      'CANNOT_CONVERT',
      'Value',
      coded`SHUTTER_COMMANDS: it must be 0 (open), 2 (stop) or 4 (close)`,
    );
  }
  if (typeof value !== 'number' || !(value >= 0 && value <= 100))
    throw fault('CANNOT_CONVERT', 'Value', coded`MUST_BE_PERCENT: it must be a number from 0 to 100`);
  return ident === 'POSITION' ? { ...target, position: value / 100 } : { ...target, slat: value / 100 };
}
