import { ManualClock } from '../../../src/base/clock.js';
import { silentLog, type Log } from '../../../src/base/log.js';
import { yieldToEventLoop } from '../../../src/base/event-loop.js';
import { eventType, type Cyclic } from '../../../src/kernel/events/event-data.js';
import type { Event } from '../../../src/kernel/events/events.js';
import { Kernel } from '../../../src/kernel/kernel.js';
import type { Value } from '../../../src/kernel/value.js';
import type { ScriptRunRequest } from '../../../src/script/script-engine.js';
import { EventEngine } from '../../../src/events/event-engine.js';
import type { ActionRun } from '../../../src/events/event-run.js';

/** Noon of 15 November 2023, by the local clock. */
export const NOON = new Date(2023, 10, 15, 12).getTime();

/** An engine over a tree, with scripts that end when they are told to. */
export class EventFixture implements Disposable {
  readonly clock: ManualClock;
  readonly kernel: Kernel;
  readonly runs: ScriptRunRequest[] = [];
  readonly acted: [string, ActionRun][] = [];
  readonly errors: string[] = [];
  readonly warnings: string[] = [];
  readonly ends: PromiseWithResolvers<string>[] = [];
  /** While true, scripts end at once. */
  isQuick = true;
  #engine: EventEngine | undefined;

  constructor(nowMs = NOON) {
    this.clock = new ManualClock(nowMs);
    this.kernel = new Kernel({ counter: 0, random: Math.random });
  }

  get engine(): EventEngine {
    const log: Log = {
      ...silentLog,
      error: (_details, text) => void this.errors.push(text),
      warn: (_details, text) => void this.warnings.push(text),
    };
    this.#engine ??= new EventEngine({
      kernel: this.kernel,
      clock: this.clock,
      log,
      runScript: (run) => {
        this.runs.push(run);
        const end = Promise.withResolvers<string>();
        this.ends.push(end);
        if (this.isQuick) end.resolve('');
        return end.promise;
      },
      performAction: async (id, run) => {
        this.acted.push([id, run]);
        return '';
      },
    });
    return this.#engine;
  }

  /** An event with a script, at work. */
  event(type: number): Event {
    void this.engine;
    const event = this.kernel.events.create(type, this.clock.nowMs());
    this.kernel.events.set(event, { script: 'x', active: true });
    return event;
  }

  trigger(variableId: number, type: number, more: { value?: Value; subsequent?: boolean } = {}): Event {
    const event = this.event(eventType.trigger);
    this.kernel.events.setTrigger(event.id, { variableId, type, ...more });
    return event;
  }

  cyclic(cyclic: Partial<Cyclic>): Event {
    const event = this.event(eventType.cyclic);
    this.kernel.events.setCyclic(event.id, cyclic);
    return event;
  }

  /** Sets a variable to values, one after the other, each when all that followed from the last has run. */
  async set(variableId: number, ...values: Value[]): Promise<void> {
    for (const value of values) {
      this.kernel.variables.update(this.kernel.variables.get(variableId), value, this.clock.nowMs());
      await eventsSettled();
    }
  }

  /** Turns the clock on in steps, with all that follows from each. */
  async pass(ms: number, stepMs = ms): Promise<void> {
    for (let at = 0; at < ms; at += stepMs) {
      this.clock.advance(Math.min(stepMs, ms - at));
      await eventsSettled();
    }
  }

  [Symbol.dispose](): void {
    this.#engine?.[Symbol.dispose]();
  }
}

/** Enough turns for what is decided at once, begun in the next turn and ended in the one after it. */
export async function eventsSettled(): Promise<void> {
  for (let n = 0; n < 6; n++) await yieldToEventLoop();
}
