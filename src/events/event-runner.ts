import type { Clock } from '../base/clock.js';
import { messageOf } from '../base/fault.js';
import type { Log } from '../base/log.js';
import { yieldToEventLoop } from '../base/serial-queue.js';
import type { Event } from '../kernel/events/events.js';
import type { EventRun } from './event-run.js';

/** Events that run at the same time; the others wait. Scripts wait for their processes besides. */
export const CONCURRENT_RUNS = 16;
/**
 * How often an event may run within a minute because of its variable. More is a loop: what it runs updates the variable,
 * or sets off another event that does.
 */
export const RUNS_PER_MINUTE_LIMIT = 1000;
const MINUTE_MS = 60_000;
/** What a run printed is kept to this length in the log. */
const LOGGED_OUTPUT = 2000;

/** What runs work with. */
export interface EventRunnerOptions {
  readonly clock: Clock;
  readonly log: Log;
  /** Whether it may still begin; called where it does, to note that. */
  readonly begin: (run: EventRun) => boolean;
  /** Resolves with what it printed. */
  readonly carryOut: (run: EventRun) => Promise<string>;
}

interface Minute {
  sinceMs: number;
  count: number;
}

/**
 * The runs of events. One event runs once at a time; of what sets it off meanwhile only the newest waits. One that fails
 * is logged and takes no other down. Each run begins in a turn of the event loop of its own.
 */
export class EventRunner {
  readonly #options: EventRunnerOptions;
  readonly #ready: EventRun[] = [];
  /** Ids of events that run or are ready to, and what waits for their end. */
  readonly #busy = new Map<number, EventRun | undefined>();
  readonly #minutes = new WeakMap<Event, Minute>();
  #running = 0;
  #isAwake = false;
  #isClosed = false;

  constructor(options: EventRunnerOptions) {
    this.#options = options;
  }

  /** Has an event run as soon as it can; false: it runs or is ready to already, and this comes after that. */
  start(run: EventRun): boolean {
    const { id } = run.event;
    if (this.#busy.has(id)) {
      this.#busy.set(id, run);
      return false;
    }
    this.#busy.set(id, undefined);
    this.#ready.push(run);
    this.#wake();
    return true;
  }

  /** Begins no more; what runs is not waited for. */
  close(): void {
    this.#isClosed = true;
    this.#ready.length = 0;
  }

  #wake(): void {
    if (this.#isAwake) return;
    this.#isAwake = true;
    void yieldToEventLoop().then(() => {
      this.#isAwake = false;
      this.#next();
    });
  }

  #next(): void {
    while (this.#running < CONCURRENT_RUNS && !this.#isClosed) {
      const run = this.#ready.shift();
      if (run === undefined) return;
      if (this.#isTooOften(run) || !this.#options.begin(run)) this.#ended(run);
      else void this.#run(run);
    }
  }

  async #run(run: EventRun): Promise<void> {
    const { log, carryOut } = this.#options;
    const { id } = run.event;
    this.#running++;
    try {
      const output = await carryOut(run);
      if (output !== '') log.info({ event: id }, output.slice(0, LOGGED_OUTPUT));
    } catch (thrown) {
      if (!this.#isClosed) log.error({ event: id }, `${nameOf(run.event)}: ${messageOf(thrown)}`);
    }
    this.#running--;
    this.#ended(run);
    if (this.#ready.length > 0) this.#wake();
  }

  #ended({ event }: EventRun): void {
    const waiting = this.#busy.get(event.id);
    this.#busy.delete(event.id);
    if (waiting !== undefined) this.start(waiting);
  }

  /** The clock sets nothing off in a loop. */
  #isTooOften({ event, sender }: EventRun): boolean {
    if (sender !== 'Variable') return false;
    const { clock, log } = this.#options;
    const nowMs = Number(clock.monotonicNs() / 1_000_000n);
    let minute = this.#minutes.get(event);
    if (minute === undefined || nowMs - minute.sinceMs >= MINUTE_MS) {
      minute = { sinceMs: nowMs, count: 0 };
      this.#minutes.set(event, minute);
    }
    if (++minute.count <= RUNS_PER_MINUTE_LIMIT) return false;
    if (minute.count === RUNS_PER_MINUTE_LIMIT + 1)
      log.error(
        { event: event.id },
        `${nameOf(event)} ran ${RUNS_PER_MINUTE_LIMIT} times within a minute and rests until that is over; ` +
          `does what it runs update variable #${event.data.trigger?.variableId ?? 0}, which sets it off?`,
      );
    return true;
  }
}

function nameOf({ id, displayName }: Event): string {
  return `event #${id} (${displayName})`;
}
