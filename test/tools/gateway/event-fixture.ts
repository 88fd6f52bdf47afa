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

/** An event engine over a tree, with scripts that end when the test says so. */
export class EventFixture implements Disposable {
  readonly clock: ManualClock;
  readonly kernel: Kernel;
  readonly runs: ScriptRunRequest[] = [];
  readonly acted: [string, ActionRun][] = [];
  readonly errors: string[] = [];
  readonly warnings: string[] = [];
  readonly ends: PromiseWithResolvers<string>[] = [];
  /** If true, scripts end immediately. */
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

  /** An active event with a script. */
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

  /** Sets a variable to several values, each after the consequences of the previous one. */
  async set(variableId: number, ...values: Value[]): Promise<void> {
    for (const value of values) {
      this.kernel.variables.update(this.kernel.variables.get(variableId), value, this.clock.nowMs());
      await eventsSettled();
    }
  }

  /** Advances the clock in steps, with the consequences of each. */
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

/**
 * Enough iterations of the event loop for a decision, its start in the next iteration and its end in the one
 * after.
 */
export async function eventsSettled(): Promise<void> {
  for (let n = 0; n < 6; n++) await yieldToEventLoop();
}
