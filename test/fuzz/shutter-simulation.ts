import type { Test } from 'tap';
import type { OutputLine } from '../../drivers/gpio/backends/line.js';
import {
  type MotorDirection,
  longestRunMs,
  type TravelTimes,
} from '../../drivers/gpio/outputs/shutter-travel.js';
import type { Clock } from '../../src/base/clock.js';
import { fault } from '../../src/base/fault.js';
import { yieldToEventLoop } from '../../src/base/event-loop.js';
import type { Instance } from '../../src/kernel/instances.js';
import { OutputFixture } from '../tools/devices/output-fixture.js';
import type { Random } from '../tools/random.js';
import { ShutterPhysics } from '../tools/devices/shutter-physics.js';

/** The longest time that driving a relay takes, ms. */
const SLOWEST_MS = 15;
/** Interval at which the relays are checked. */
const LOOK_MS = 5;
/** Tolerance of a known position: half the range that counts as known, and rounding to a percent. */
const TOLERANCE = 0.05 + 0.005;

const lines = { up: 'RELAY1', down: 'RELAY2' } as const;
const directions = ['up', 'down'] as const;

/** A simulated shutter on the relays of a gateway that gets random commands and crashes at any time. */
export class ShutterSimulation {
  readonly violations: string[] = [];
  readonly seen = { commands: 0, refused: 0, known: 0, unknown: 0, runs: 0, deaths: 0, cuts: 0 };
  readonly #random: Random;
  readonly #cabinet: OutputFixture;
  readonly #times: TravelTimes;
  readonly #deadMs: number;
  readonly #real: ShutterPhysics;
  /** When each relay last changed. */
  readonly #since: Record<MotorDirection, number>;
  readonly #on = { up: false, down: false };
  #failing: number;
  /** Whether nothing has failed since the relay was switched on. */
  #isClean = true;
  #shutter: Instance | undefined;

  constructor(t: Test, random: Random) {
    this.#random = random;
    this.#failing = random.pick([0, 0, 0.02, 0.2]);
    this.#times = {
      runMs: { up: 3000 + random.below(3000), down: 3000 + random.below(3000) },
      slatMs: random.pick([0, 300 + random.below(700)]),
      reserveMs: random.below(500),
    };
    this.#deadMs = random.pick([0, random.below(300)]);
    this.#real = new ShutterPhysics(this.#times, random);
    this.#cabinet = new OutputFixture(t, (line, clock) => this.#rough(line, clock));
    this.#since = { up: this.#nowMs(), down: this.#nowMs() };
  }

  async begin(): Promise<void> {
    const { runMs, slatMs, reserveMs } = this.#times;
    this.#shutter = await this.#cabinet.addShutter({
      RunUpS: runMs.up / 1000,
      RunDownS: runMs.down / 1000,
      SlatS: slatMs / 1000,
      ReserveS: reserveMs / 1000,
      DeadTimeMs: this.#deadMs,
    });
  }

  /** One random event, and some time. */
  async step(): Promise<void> {
    const random = this.#random;
    const dice = random.next();
    if (dice < 0.82) this.#command();
    else if (dice < 0.86) await this.#meanwhile(this.#cabinet.devices.applyChanges(this.#shutterId));
    else if (dice < 0.92) await this.#gone();
    else await this.#restart();
    await this.#pass(random.chance(0.5) ? random.below(400) : random.below(8000));
  }

  /** Without failures, it must reach a given position. */
  async settle(): Promise<void> {
    this.#failing = 0;
    // An unplugged chip is noticed at the next probe.
    await this.#pass(15_000);
    const position = this.#random.below(101);
    for (const [ident, value] of [
      ['MOVE', this.#random.pick([0, 4])],
      ['POSITION', position],
    ] as const) {
      const write = this.#cabinet.devices.write(this.#shutterId, ident, value);
      write.catch((thrown: unknown) => this.violations.push(`the last commands: ${String(thrown)}`));
      await this.#pass(20_000);
    }
    const travelMs = Math.min(this.#times.runMs.up, this.#times.runMs.down) - this.#times.slatMs;
    const wrong = Math.abs(this.#real.position - position / 100);
    if (this.#value('PENDING') !== '') this.violations.push(`pending: ${String(this.#value('PENDING'))}`);
    if (this.#value('KNOWN') !== true) this.violations.push(`not known after going to ${position}`);
    if (wrong > TOLERANCE + 100 / travelMs)
      this.violations.push(`commanded to ${position}, at ${this.#real.toString()}`);
  }

  get #shutterId(): number {
    return this.#shutter?.id ?? 0;
  }

  #command(): void {
    const random = this.#random;
    const [ident, value] = random.pick([
      ['MOVE', random.pick([0, 2, 4])],
      ['POSITION', random.below(101)],
      ['POSITION', random.below(101)],
      [this.#times.slatMs > 0 ? 'SLAT' : 'POSITION', random.below(101)],
    ] as const);
    this.seen.commands++;
    this.#cabinet.devices.write(this.#shutterId, ident, value).catch((thrown: unknown) => {
      const code = thrown instanceof Error && 'code' in thrown ? thrown.code : '';
      this.seen.refused++;
      if (code !== 'DEVICE_REFUSED' && code !== 'DEVICE_OFFLINE' && code !== 'RULE_FORBIDS')
        this.violations.push(`${ident} ${value}: ${String(thrown)}`);
    });
  }

  async #restart(): Promise<void> {
    const how = this.#random.pick(['stop', 'boot', 'crash', 'power cut'] as const);
    if (how === 'crash' || how === 'power cut') this.seen.deaths++;
    this.#isClean = false;
    await this.#meanwhile(this.#cabinet.restart(how));
  }

  /** Unplugs the chip and plugs it in again. */
  async #gone(): Promise<void> {
    this.seen.cuts++;
    this.#isClean = false;
    this.#cabinet.simulatedBoard.unplug('simulated');
    await this.#pass(this.#random.below(500));
    this.#cabinet.simulatedBoard.plug('simulated');
  }

  async #meanwhile(done: Promise<void>): Promise<void> {
    let isDone = false;
    done.then(
      () => (isDone = true),
      (thrown: unknown) => this.violations.push(String(thrown)),
    );
    for (let turns = 0; !isDone && turns < 2000; turns++) await this.#pass(LOOK_MS);
    if (!isDone) this.violations.push('it does not come to rest');
  }

  async #pass(ms: number): Promise<void> {
    for (let left = ms; left > 0; left -= LOOK_MS) {
      this.#cabinet.clock.advance(LOOK_MS);
      await yieldToEventLoop();
      this.#look();
    }
  }

  /** An output that takes time, and may fail before or after it takes effect. */
  #rough(line: OutputLine, clock: Clock): OutputLine {
    const random = this.#random;
    const set = (active: boolean): Promise<void> => {
      const takesMs = random.below(SLOWEST_MS);
      const fails = random.chance(this.#failing);
      if (fails) this.#isClean = false;
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      let taken = Promise.resolve();
      const effect = () => {
        if (active) this.#mayGoOn(line.location.name === lines.up ? 'up' : 'down');
        taken = line.set(active);
        taken.catch(() => undefined);
      };
      if (!fails || random.chance(0.5)) clock.after(random.below(takesMs + 1), effect);
      clock.after(takesMs, () => {
        if (fails) reject(fault('DEVICE_REFUSED', 'injected'));
        else taken.then(resolve, reject);
      });
      return promise;
    };
    return {
      location: line.location,
      initial: line.initial,
      get: () => line.get(),
      set,
      close: () => line.close(),
      [Symbol.asyncDispose]: () => line.close(),
    };
  }

  #mayGoOn(direction: MotorDirection): void {
    const other = direction === 'up' ? 'down' : 'up';
    if (this.#cabinet.simulatedBoard.level(lines[other]))
      this.violations.push(`${direction} switches on while ${other} is`);
    // Checked every few milliseconds: it may have switched off that much earlier.
    else if (this.#nowMs() - this.#since[other] + LOOK_MS < this.#deadMs)
      this.violations.push(`${direction} switches on within the dead time`);
  }

  #look(): void {
    const nowMs = this.#nowMs();
    for (const direction of directions) {
      const isOn = this.#cabinet.simulatedBoard.level(lines[direction]);
      const forMs = nowMs - this.#since[direction];
      if (isOn !== this.#on[direction]) {
        if (!isOn) this.#real.run(direction, forMs);
        if (isOn) this.#isClean = true;
        else this.seen.runs++;
        this.#on[direction] = isOn;
        this.#since[direction] = nowMs;
      } else if (
        isOn &&
        this.#isClean &&
        forMs > longestRunMs(this.#times, direction) + 1000 + 4 * SLOWEST_MS
      )
        this.violations.push(`${direction} runs for ${forMs} ms`);
    }
    if (this.#on.up && this.#on.down) this.violations.push('both are on');
    this.#compare();
  }

  /** Checks that a known position is correct at rest. */
  #compare(): void {
    const rests = directions.every(
      (one) => !this.#on[one] && this.#nowMs() - this.#since[one] > 4 * SLOWEST_MS,
    );
    if (!rests || this.#value('LINK') !== 'online' || this.#value('MOVE') !== 2) return;
    if (this.#value('KNOWN') !== true) {
      this.seen.unknown++;
      return;
    }
    this.seen.known++;
    const position = Number(this.#value('POSITION')) / 100;
    if (Math.abs(position - this.#real.position) > TOLERANCE)
      this.violations.push(`shown at ${position}, it is at ${this.#real.toString()}`);
  }

  #value(ident: string) {
    return this.#shutter === undefined ? undefined : this.#cabinet.value(this.#shutter, ident);
  }

  #nowMs(): number {
    return Number(this.#cabinet.clock.monotonicNs() / 1_000_000n);
  }
}
