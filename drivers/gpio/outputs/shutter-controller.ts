import { fault, isAbort, messageOf } from '../../../src/base/fault.js';
import {
  type QualityProblem,
  type Host,
  quality,
  type OpenInstance,
  type Value,
} from '../../../src/device/module.js';
import type { Interlocks } from '../../../src/device/switch/interlocks.js';
import { timeAfter } from '../../../src/device/switch/ruled-switch.js';
import { ShutterMemory } from './shutter-memory.js';
import { ShutterMotor, type MotorOptions } from './shutter-motor.js';
import type { ShutterProperties } from './shutter.js';
import {
  type ShutterTarget,
  isPositionKnown,
  isSlatKnown,
  midpoint,
  nextRun,
  type MotorRun,
  type Span,
  type TravelTimes,
} from './shutter-travel.js';
import { findOutput } from './request-output.js';
import type { GpioBoard, Backends } from '../backends/backends.js';

/** How often a moving shutter shows where it is. */
const SHOW_EVERY_MS = 1000;

const NOT_KNOWN: QualityProblem = {
  state: quality.bad,
  reason: 'NOT_KNOWN',
  text: 'nobody knows where it stands; a run into an end stop tells',
};

/** What the shutters of one gateway work with. */
interface ShutterContext {
  readonly board: GpioBoard;
  readonly ways: Backends;
  readonly motors: Interlocks;
}

/** Takes both lines, inactive: an active one can only be what is left of a run whose end nobody saw to. */
export async function openShutter(
  host: Host<ShutterProperties>,
  { board, ways, motors }: ShutterContext,
): Promise<OpenInstance> {
  const find = (line: string) => findOutput(onLine(host, line), board, ways);
  const up = await find(host.properties.Up);
  const down = await find(host.properties.Down);
  const upLine = await up.request('inactive');
  try {
    const downLine = await down.request('inactive');
    for (const line of [up, down]) line.markBooted();
    const marks = { up: up.lineKey, down: down.lineKey };
    return new ShutterController(host, { lines: { up: upLine, down: downLine }, marks, interlocks: motors });
  } catch (thrown) {
    await upLine.close();
    throw thrown;
  }
}

/** The host as one of the two lines needs it. */
const onLine = (host: Host<ShutterProperties>, Line: string) => ({
  ...host,
  properties: { ...host.properties, Line },
  siblings: () => [],
});

/** What the values of MOVE mean (`~ShutterMoveStop`). */
const OPEN = 0;
const STOP = 2;
const CLOSE = 4;

/** An opened shutter: commands, the runs that follow from them, and how it stands in the tree. */
class ShutterController implements OpenInstance {
  readonly #host: Host<ShutterProperties>;
  readonly #times: TravelTimes;
  readonly #memory: ShutterMemory;
  readonly #motor: ShutterMotor;
  /** What it is on the way to; every command makes another one. */
  #aim: ShutterTarget = {};
  /** The end of the run that is under way. */
  #end: { readonly cancel: () => void; readonly text: string } | undefined;
  #shows: (() => void) | undefined;
  readonly #shown = new Map<string, Value>();
  /** Of them, what is no fact. */
  readonly #guesses = new Set<string>();

  constructor(host: Host<ShutterProperties>, on: Pick<MotorOptions, 'lines' | 'marks' | 'interlocks'>) {
    const { RunUpS, RunDownS, SlatS, ReserveS } = host.properties;
    this.#host = host;
    this.#times = {
      runMs: { up: RunUpS * 1000, down: RunDownS * 1000 },
      slatMs: SlatS * 1000,
      reserveMs: ReserveS * 1000,
    };
    this.#memory = new ShutterMemory(host, [on.marks.up, on.marks.down]);
    this.#motor = new ShutterMotor({
      ...on,
      host,
      times: this.#times,
      memory: this.#memory,
      onChange: () => this.#show(),
      onGuardStop: () => this.#cut(),
    });
    this.#show();
  }

  /** A command takes the place of what is under way. Resolves when the motor was told. */
  async write(ident: string, value: Value): Promise<void> {
    const aim = targetOf(this.#aim, ident, value);
    try {
      await this.#pursue(aim);
    } catch (thrown) {
      if (this.#aim === aim) this.#aim = {};
      throw thrown;
    }
    this.#host.setProblem('RUN', undefined);
  }

  async refresh(): Promise<void> {
    await this.#motor.probe();
    this.#shown.clear();
    this.#show();
  }

  probe(): Promise<void> {
    return this.#motor.probe();
  }

  flush(): void {
    this.#memory.flush(this.#motor.worstCase);
  }

  async close(): Promise<void> {
    this.#aim = {};
    this.#endNot();
    await this.#motor.close();
    this.#shows?.();
  }

  /** Sees to it that the motor runs, or rests, as the aim needs it; until the end of the run, or another command. */
  async #pursue(aim: ShutterTarget): Promise<void> {
    const motor = this.#motor;
    this.#aim = aim;
    this.#endNot();
    while (this.#aim === aim) {
      const run = nextRun(this.#times, { at: motor.restState, moving: motor.direction }, aim);
      if (run === undefined && motor.isResting) break;
      if (run !== undefined && (motor.isResting || motor.direction === run.direction)) {
        await motor.run(run.direction);
        const leftMs = run.ms - motor.ranMs;
        if (this.#aim !== aim) break;
        if (leftMs > 0) return this.#endIn(leftMs, run);
      }
      await motor.stop();
    }
    this.#show();
  }

  #endIn(ms: number, { left }: MotorRun): void {
    const { clock } = this.#host;
    const cancel = clock.after(ms, () => this.#ended(left));
    const isLearning = left.position !== undefined;
    const text = `stops at ${timeAfter(clock, ms)}${isLearning ? ' (end stop, to learn the position)' : ''}`;
    this.#end = { cancel, text };
    this.#show();
  }

  #endNot(): void {
    this.#end?.cancel();
    this.#end = undefined;
  }

  #ended(left: ShutterTarget): void {
    const aim = this.#aim;
    this.#endNot();
    const going = async () => {
      await this.#motor.stop();
      if (this.#aim === aim) await this.#pursue(left);
    };
    going().catch((thrown: unknown) => {
      if (this.#aim === aim || this.#aim === left) this.#aim = {};
      if (!isAbort(thrown))
        this.#host.setProblem('RUN', `It did not get to where it was told to: ${messageOf(thrown)}`);
    });
  }

  /** The guard ended a run. */
  #cut(): void {
    this.#aim = {};
    this.#endNot();
    this.#host.setProblem('RUN', 'The motor ran for as long as it may, and was stopped');
  }

  #show(): void {
    const motor = this.#motor as ShutterMotor | undefined;
    // The motor tells of itself while it is being made.
    if (motor === undefined) return;
    const { state: standing, moving, pendingText: waiting, rule } = motor;
    const known = isPositionKnown(standing);
    // A guess stays the same one until it has come to rest.
    if (known || moving === undefined || !this.#guesses.has('POSITION'))
      this.#tell('POSITION', percent(standing.position), known);
    if (this.#times.slatMs > 0) this.#tell('SLAT', percent(standing.slat), isSlatKnown(standing));
    this.#tell('MOVE', moving === undefined ? STOP : moving === 'up' ? OPEN : CLOSE);
    this.#tell('KNOWN', known);
    this.#tell('PENDING', waiting === '' ? (this.#end?.text ?? '') : waiting);
    this.#tell('RULE', rule);
    if (moving !== undefined) this.#shows ??= this.#host.clock.every(SHOW_EVERY_MS, () => this.#show());
    else {
      this.#shows?.();
      this.#shows = undefined;
    }
  }

  #tell(ident: string, value: Value, isFact = true): void {
    // What was a guess is told anew when it is a fact, be it the same.
    if (this.#shown.get(ident) === value && this.#guesses.has(ident) !== isFact) return;
    this.#shown.set(ident, value);
    if (isFact) this.#guesses.delete(ident);
    else this.#guesses.add(ident);
    if (isFact) this.#host.report(ident, value);
    else this.#host.reportUncertain(ident, value, NOT_KNOWN);
  }
}

const percent = (span: Span): number => Math.round(midpoint(span) * 100);

/** What a command makes of the present aim. MOVE is for the whole of it; position and slats stand beside each other. */
function targetOf(aim: ShutterTarget, ident: string, value: Value): ShutterTarget {
  if (ident !== 'POSITION' && ident !== 'SLAT' && ident !== 'MOVE') throw fault('READ_ONLY', ident);
  if (ident === 'MOVE') {
    if (value === STOP) return {};
    if (value === OPEN || value === CLOSE) return { position: value / CLOSE };
    throw fault('CANNOT_CONVERT', 'Value', 'it must be 0 (open), 2 (stop) or 4 (close)');
  }
  if (typeof value !== 'number' || !(value >= 0 && value <= 100))
    throw fault('CANNOT_CONVERT', 'Value', 'it must be a number from 0 to 100');
  return ident === 'POSITION' ? { ...aim, position: value / 100 } : { ...aim, slat: value / 100 };
}
