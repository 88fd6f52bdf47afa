import { logKind } from '../base/codes/log-kinds.js';
import { codedTextOf } from '../base/codes/coded-text.js';
import type { Clock } from '../base/clock.js';
import { codedMessageOf, messageOf } from '../base/fault.js';
import type { Log } from '../base/log.js';
import { yieldToEventLoop } from '../base/event-loop.js';
import type { Event } from '../kernel/events/events.js';
import type { Verdict } from './decision-log.js';
import type { EventRun } from './event-run.js';

/**
 * Maximum number of events that run at the same time; the others wait. Their scripts may wait for a process,
 * too.
 */
export const CONCURRENT_RUNS = 16;
/**
 * Maximum number of runs of a triggered event per minute. More indicates a loop: the event's script or action
 * updates the variable, directly or through another event.
 */
export const RUNS_PER_MINUTE_LIMIT = 1000;
const MINUTE_MS = 60_000;
/** Maximum number of characters of a run's output that are logged. */
const LOGGED_OUTPUT = 2000;

interface EventRunnerOptions {
  readonly clock: Clock;
  readonly log: Log;
  /** Called when a run starts, to record it; returns why it may not start. */
  readonly begin: (run: EventRun) => Verdict | undefined;
  /** Performs a run; resolves with its output, undefined if there was nothing to run. */
  readonly perform: (run: EventRun) => Promise<string | undefined>;
  /** Called when a run waits, is ready, ends or is dropped. */
  readonly onVerdict: (run: EventRun, verdict: Verdict) => void;
}

/** The runs of an event within a minute. */
interface RateWindow {
  sinceMs: number;
  count: number;
}

/**
 * Runs events. An event never runs concurrently with itself; of the triggers that arrive while it runs or waits,
 * only the newest is kept. A failed run is logged and does not affect others. Each run starts in its own iteration
 * of the event loop.
 */
export class EventRunner {
  readonly #options: EventRunnerOptions;
  readonly #ready: EventRun[] = [];
  /** Ids of events that are running or ready → the next run. */
  readonly #busy = new Map<number, EventRun | undefined>();
  readonly #windows = new WeakMap<Event, RateWindow>();
  #running = 0;
  #isNextScheduled = false;
  #isClosed = false;

  constructor(options: EventRunnerOptions) {
    this.#options = options;
  }

  /**
   * Starts a run as soon as possible. Returns false if the event is already running or ready; then this run
   * starts afterwards.
   */
  start(run: EventRun): boolean {
    const { id } = run.event;
    const { onVerdict } = this.#options;
    if (this.#busy.has(id)) {
      const replaced = this.#busy.get(id);
      if (replaced !== undefined) onVerdict(replaced, { outcome: 'SUPERSEDED' });
      this.#busy.set(id, run);
      onVerdict(run, { outcome: 'WAITING' });
      return false;
    }
    onVerdict(run, { outcome: 'RUNNING' });
    this.#busy.set(id, undefined);
    this.#ready.push(run);
    this.#scheduleNext();
    return true;
  }

  /** Starts no further runs; does not wait for active ones. */
  close(): void {
    this.#isClosed = true;
    this.#ready.length = 0;
  }

  #scheduleNext(): void {
    if (this.#isNextScheduled) return;
    this.#isNextScheduled = true;
    void yieldToEventLoop().then(() => {
      this.#isNextScheduled = false;
      this.#startReady();
    });
  }

  #startReady(): void {
    while (this.#running < CONCURRENT_RUNS && !this.#isClosed) {
      const run = this.#ready.shift();
      if (run === undefined) return;
      const verdict = this.#isTooOften(run) ? ({ outcome: 'TOO_OFTEN' } as const) : this.#options.begin(run);
      if (verdict === undefined) void this.#run(run);
      else {
        this.#options.onVerdict(run, verdict);
        this.#onEnd(run);
      }
    }
  }

  async #run(run: EventRun): Promise<void> {
    const { clock, log, perform, onVerdict } = this.#options;
    const { id } = run.event;
    const startNs = clock.monotonicNs();
    const durationMs = () => Number((clock.monotonicNs() - startNs) / 1_000_000n);
    this.#running++;
    try {
      const output = await perform(run);
      if (output !== undefined && output !== '') log.info({ event: id }, output.slice(0, LOGGED_OUTPUT));
      const outcome = output === undefined ? 'NOTHING_TO_RUN' : 'RAN';
      onVerdict(run, { outcome, durationMs: durationMs() });
    } catch (thrown) {
      const about = { kind: logKind.eventFailed, event: id };
      if (!this.#isClosed) log.error(about, `${nameOf(run.event)}: ${messageOf(thrown)}`);
      onVerdict(run, {
        outcome: 'FAILED',
        text: codedTextOf(codedMessageOf(thrown)),
        durationMs: durationMs(),
      });
    }
    this.#running--;
    this.#onEnd(run);
    if (this.#ready.length > 0) this.#scheduleNext();
  }

  #onEnd({ event }: EventRun): void {
    const next = this.#busy.get(event.id);
    this.#busy.delete(event.id);
    if (next !== undefined && !this.#isClosed) this.start(next);
  }

  /** Timed events can't be triggered in a loop. */
  #isTooOften({ event, sender }: EventRun): boolean {
    if (sender !== 'Variable') return false;
    const { clock, log } = this.#options;
    const nowMs = Number(clock.monotonicNs() / 1_000_000n);
    let window = this.#windows.get(event);
    if (window === undefined || nowMs - window.sinceMs >= MINUTE_MS) {
      window = { sinceMs: nowMs, count: 0 };
      this.#windows.set(event, window);
    }
    if (++window.count <= RUNS_PER_MINUTE_LIMIT) return false;
    if (window.count === RUNS_PER_MINUTE_LIMIT + 1)
      log.error(
        { event: event.id },
        `${nameOf(event)} ran ${RUNS_PER_MINUTE_LIMIT} times within a minute and is paused until the minute is over; ` +
          `check whether its script or action updates variable #${event.data.trigger?.variableId ?? 0}, which triggers it`,
      );
    return true;
  }
}

function nameOf({ id, displayName }: Event): string {
  return `event #${id} (${displayName})`;
}
