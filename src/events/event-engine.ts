import type { EventOutcome, EventState } from '../base/codes/stable-codes.js';
import { ClockStepDetector, type Cancel, type Clock } from '../base/clock.js';
import type { Log } from '../base/log.js';
import { yieldToEventLoop } from '../base/event-loop.js';
import type { Caller } from '../device/declare.js';
import type { Change } from '../kernel/changes.js';
import { unmetCondition } from '../kernel/events/conditions.js';
import type { EventData, ScheduleAction } from '../kernel/events/event-data.js';
import { isTimed, type Event } from '../kernel/events/events.js';
import type { Kernel } from '../kernel/kernel.js';
import { message } from '../kernel/messages.js';
import { objectType } from '../kernel/object.js';
import type { Value } from '../kernel/value.js';
import type { ScriptRunRequest } from '../script/script-engine.js';
import { pointAt } from './schedule/week-schedule.js';
import { DueQueue } from './due-queue.js';
import { boundedValue, DecisionLog, type Cause, type Decision, type Verdict } from './decision-log.js';
import type { ActionRun, EventRun } from './event-run.js';
import { EventRunner } from './event-runner.js';
import { nextRunOf } from './next-run.js';
import { reasonNotTriggered, Triggers, type VariableUpdate } from './triggers.js';

/**
 * Longest interval between checks of the clock while a timed event is queued; a change of the clock is
 * detected within it.
 */
const CHECK_INTERVAL_MS = 60_000;
/** The same, before the clock is synchronised. */
const UNTRUSTED_CHECK_MS = 10_000;
/** Maximum number of events handled per iteration of the event loop: about a millisecond. */
const SLICE = 100;

interface EventEngineOptions {
  readonly kernel: Kernel;
  readonly clock: Clock;
  readonly log: Log;
  /** Runs a script; resolves with its output. */
  readonly runScript: (run: ScriptRunRequest) => Promise<string>;
  /** Performs an action; resolves with its output. */
  readonly performAction: (actionId: string, run: ActionRun) => Promise<string>;
}

/**
 * Runs the events of a tree. Looks triggers up by the variable's id; timed events share one timer, so that an
 * idle event costs nothing. Follows the tree through its change messages.
 */
export class EventEngine implements Disposable {
  readonly #options: EventEngineOptions;
  readonly #triggers = new Triggers();
  readonly #queue = new DueQueue();
  readonly #runs: EventRunner;
  readonly #clockSteps: ClockStepDetector;
  readonly #stopListening: Cancel;
  /** Events whose next run must be computed again. */
  readonly #outdated = new Set<number>();
  /** Events whose variable was deleted. */
  readonly #orphans = new Set<Event>();
  readonly #decisions = new DecisionLog();
  /** Events that became inactive with their last permitted run. */
  readonly #exhausted = new WeakSet<Event>();
  #isUpdateScheduled = false;
  /**
   * Whether the last check found the clock synchronised. Only a check changes it, because it computes the next
   * runs of the events that wait for the clock.
   */
  #wasTrusted: boolean;
  #cancel: Cancel = () => undefined;
  #isClosed = false;

  constructor(options: EventEngineOptions) {
    this.#options = options;
    const { kernel, clock, log } = options;
    this.#clockSteps = new ClockStepDetector(clock);
    this.#wasTrusted = clock.isTrusted();
    this.#runs = new EventRunner({
      clock,
      log,
      begin: (run) => this.#recordRun(run),
      perform: (run) => this.#perform(run),
      onVerdict: ({ event, decision }, verdict) => this.#decisions.change(event, decision, verdict),
    });
    for (const event of kernel.tree.objectsOfType(objectType.event)) this.#onEventChange(event);
    this.#stopListening = kernel.changes.listen((change) => this.#onChange(change));
  }

  /** Stops the engine; active runs continue. */
  [Symbol.dispose](): void {
    this.#isClosed = true;
    this.#stopListening();
    this.#cancel();
    this.#runs.close();
  }

  /** Computes the next runs of all events again. */
  replan(): void {
    for (const event of this.#options.kernel.tree.objectsOfType(objectType.event))
      if (isTimed(event)) this.#markOutdated(event.id);
  }

  /** The last decisions about an event, oldest first. */
  decisionsOf(event: Event): readonly Decision[] {
    return this.#decisions.of(event);
  }

  /** Whether an event can run when it is triggered or due, conditions aside. */
  stateOf(event: Event): EventState {
    const { data } = event;
    if (!data.active) return this.#exhausted.has(event) ? 'LIMIT_REACHED' : 'INACTIVE';
    const actions = data.schedule?.actions ?? [undefined];
    if (!actions.some((action) => hasTarget(event, action))) return 'NOTHING_TO_RUN';
    if (data.trigger !== undefined) return data.trigger.variableId === 0 ? 'NO_VARIABLE' : 'READY';
    const nowMs = this.#options.clock.nowMs();
    if (nextRunOf(event, { nowMs, isTrusted: this.#isTrusted() }) !== undefined) return 'READY';
    return nextRunOf(event, { nowMs, isTrusted: true }) === undefined ? 'NO_NEXT_RUN' : 'CLOCK_NOT_SET';
  }

  /** Must not emit changes: it is called for each of them. */
  #onChange({ SenderID, Message, Data }: Change): void {
    if (Message === message.VM_UPDATE) {
      const events = this.#triggers.of(SenderID);
      if (events !== undefined) this.#onUpdate(events, SenderID, Data);
    } else if (Message >= message.EM_CREATE && Message <= message.EM_CHANGESCHEDULEGROUPPOINT) {
      const event = Message === message.EM_UPDATE ? undefined : this.#options.kernel.tree.find(SenderID);
      if (event?.is(objectType.event)) this.#onEventChange(event);
    } else if (Message === message.OM_UNREGISTER) this.#onDeleted(SenderID);
  }

  /** Handles a new or changed event. */
  #onEventChange(event: Event): void {
    this.#triggers.put(event);
    if (event.data.active) this.#exhausted.delete(event);
    if (isTimed(event)) this.#markOutdated(event.id);
  }

  #onDeleted(id: number): void {
    this.#queue.set(id, undefined);
    this.#triggers.remove(id);
    for (const event of this.#triggers.of(id)?.values() ?? []) {
      // Immediately, because the id may be reused for another variable.
      this.#triggers.remove(event.id);
      this.#orphans.add(event);
      this.#scheduleUpdate();
    }
  }

  #onUpdate(events: ReadonlyMap<number, Event>, variableId: number, data: Change['Data']): void {
    const nowMs = this.#options.clock.nowMs();
    const [value, isChange, old] = data as readonly [Value, boolean, Value];
    const update: VariableUpdate = { value, isChange, old };
    const cause: Cause = { trigger: 'VARIABLE', variableId, value, oldValue: old };
    for (const event of events.values()) {
      const { trigger } = event.data;
      if (trigger === undefined) continue;
      const outcome = this.#reasonInactive(event) ?? reasonNotTriggered(trigger, update);
      const verdict = outcome === undefined ? this.#unmetCondition(event, nowMs) : { outcome };
      const decision = this.#decide(event, { atMs: nowMs, cause, ...(verdict && { verdict }) });
      if (verdict !== undefined) continue;
      const values = { VARIABLE: variableId, VALUE: value, OLDVALUE: old };
      this.#runs.start({ event, sender: 'Variable', values, decision });
    }
  }

  /** Records a decision; without a verdict, the event is about to run. */
  #decide(event: Event, decision: { atMs: number; cause: Cause; verdict?: Verdict }): Decision {
    return this.#decisions.add(event, { verdict: { outcome: 'RUNNING' }, ...decision });
  }

  #reasonInactive(event: Event): EventOutcome | undefined {
    if (event.data.active) return undefined;
    return this.#exhausted.has(event) ? 'LIMIT_REACHED' : 'INACTIVE';
  }

  #unmetCondition({ data: { conditions } }: Event, nowMs: number): Verdict | undefined {
    const unmet = unmetCondition(conditions, this.#options.kernel.tree, nowMs);
    if (unmet === undefined) return undefined;
    const { condition, rule } = unmet;
    if (rule === undefined) return { outcome: 'CONDITION', conditionId: condition.id };
    const { kind, id, current } = rule;
    const compared = current === undefined ? {} : { current: boundedValue(current) };
    return { outcome: 'CONDITION', conditionId: condition.id, rule: { kind, id, ...compared } };
  }

  #markOutdated(id: number): void {
    this.#outdated.add(id);
    this.#scheduleUpdate();
  }

  #scheduleUpdate(): void {
    if (this.#isUpdateScheduled) return;
    this.#isUpdateScheduled = true;
    queueMicrotask(() => void this.#updateNextRuns());
  }

  /** Computes next runs, {@link SLICE} per iteration of the event loop. */
  async #updateNextRuns(): Promise<void> {
    const { kernel, log } = this.#options;
    for (const event of this.#orphans) {
      log.warn({ event: event.id }, 'the variable that triggers this event was deleted');
      if (kernel.tree.find(event.id) === event) kernel.events.clearTriggerVariable(event);
    }
    this.#orphans.clear();
    let remaining = SLICE;
    for (const id of this.#outdated) {
      this.#outdated.delete(id);
      this.#scheduleNextRun(id);
      if (--remaining > 0) continue;
      await yieldToEventLoop();
      if (this.#isClosed) return;
      remaining = SLICE;
    }
    this.#isUpdateScheduled = false;
    if (this.#orphans.size > 0) this.#scheduleUpdate();
    this.#setTimer();
  }

  #scheduleNextRun(id: number): void {
    const { kernel } = this.#options;
    const event = kernel.tree.find(id);
    if (event?.is(objectType.event)) kernel.events.setNextRun(event, this.#nextRun(event));
  }

  /** Schedules the next run of an event; returns it in unix seconds, 0 for none. */
  #nextRun(event: Event): number {
    const moment = { nowMs: this.#options.clock.nowMs(), isTrusted: this.#isTrusted() };
    const atMs = nextRunOf(event, moment);
    this.#queue.set(event.id, atMs);
    return Math.floor((atMs ?? 0) / 1000);
  }

  #isTrusted(): boolean {
    return this.#wasTrusted || this.#options.clock.isTrusted();
  }

  #setTimer(): void {
    this.#cancel();
    this.#cancel = () => undefined;
    if (this.#isClosed) return;
    const { clock } = this.#options;
    const { firstMs } = this.#queue;
    const checkMs = this.#wasTrusted ? CHECK_INTERVAL_MS : UNTRUSTED_CHECK_MS;
    if (firstMs === undefined && (this.#wasTrusted || !this.#hasTimed())) return;
    const waitMs = Math.min(checkMs, Math.max(0, (firstMs ?? Infinity) - clock.nowMs()));
    this.#cancel = clock.after(waitMs, () => this.#checkClock());
  }

  /**
   * Called only before the clock is synchronised, when events with a time of day are not queued.
   */
  #hasTimed(): boolean {
    for (const event of this.#options.kernel.tree.objectsOfType(objectType.event))
      if (isTimed(event) && event.data.active) return true;
    return false;
  }

  #checkClock(): void {
    const { kernel, clock } = this.#options;
    const wasTrusted = this.#wasTrusted;
    this.#wasTrusted = this.#isTrusted();
    const isSetBack = this.#clockSteps.takeStepMs() < 0;
    if (isSetBack || this.#wasTrusted !== wasTrusted)
      for (const event of kernel.tree.objectsOfType(objectType.event))
        if (isTimed(event)) this.#markOutdated(event.id);
    const nowMs = clock.nowMs();
    for (let n = 0; n < SLICE; n++) {
      const id = this.#queue.take(nowMs);
      if (id === undefined) break;
      this.#onDue(id, nowMs);
    }
    // Otherwise `#updateNextRuns` sets the timer.
    if (!this.#isUpdateScheduled) this.#setTimer();
  }

  #onDue(id: number, nowMs: number): void {
    const { kernel } = this.#options;
    const event = kernel.tree.find(id);
    if (!event?.is(objectType.event)) return;
    const run = this.#runOf(event, nowMs);
    // A run that starts computes the next one, so that both are reported together.
    if (run === undefined || !this.#runs.start(run)) this.#markOutdated(id);
  }

  /** The run of a timed event that is due. */
  #runOf(event: Event, nowMs: number): EventRun | undefined {
    const { schedule } = event.data;
    // If the clock was set forward past several points, the last one applies.
    const actionId = schedule && pointAt(schedule, nowMs)?.actionId;
    const action = schedule?.actions.find((one) => one.id === actionId);
    const outcome =
      this.#reasonInactive(event) ??
      (schedule !== undefined && action === undefined ? 'NOTHING_TO_RUN' : undefined);
    const verdict = outcome === undefined ? this.#unmetCondition(event, nowMs) : { outcome };
    const cause: Cause =
      schedule === undefined
        ? { trigger: 'TIME' }
        : { trigger: 'SCHEDULE', ...(actionId !== undefined && { actionId }) };
    const decision = this.#decide(event, { atMs: nowMs, cause, ...(verdict && { verdict }) });
    if (verdict !== undefined) return undefined;
    if (action === undefined) return { event, sender: 'TimerEvent', values: {}, decision };
    return { event, sender: 'Schedule', values: { ACTION: action.id }, action, decision };
  }

  #recordRun({ event, action }: EventRun): Verdict | undefined {
    const { kernel, clock } = this.#options;
    const outcome = kernel.tree.find(event.id) === event ? this.#reasonInactive(event) : 'INACTIVE';
    if (outcome !== undefined) return { outcome };
    if (event.data.limit === 1) this.#exhausted.add(event);
    if (isTimed(event)) {
      const nextRun = () => this.#nextRun(event);
      kernel.events.recordRun(event, clock.nowMs(), { nextRun, ...(action && { actionId: action.id }) });
      this.#scheduleUpdate();
    } else kernel.events.recordRun(event, clock.nowMs());
    return undefined;
  }

  async #perform({ event, sender, values, action }: EventRun): Promise<string | undefined> {
    const { runScript, performAction } = this.#options;
    const { id, data, parent, parentId } = event;
    const caller: Caller = { role: 'owner', user: `event ${id}`, remote: 'local' };
    const globals = { EVENT: id, TARGET: parentId, ...values };
    const { actionId, actionParameters, script: text } = action === undefined ? data : targetOf(action, data);
    if (actionId !== '')
      return performAction(actionId, {
        parameters: { TARGET: parentId, ...actionParameters },
        values: globals,
        sender,
        caller,
      });
    if (text !== '') return runScript({ text, parameters: globals, sender, caller });
    if (parent?.is(objectType.script))
      return runScript({ id: parent.id, parameters: globals, sender, caller });
    return undefined;
  }
}

/** Whether an event, or an action of its schedule, has a script or an action to run. */
function hasTarget({ data, parent }: Event, action: ScheduleAction | undefined): boolean {
  const { actionId, script } = action === undefined ? data : targetOf(action, data);
  return actionId !== '' || script !== '' || parent?.is(objectType.script) === true;
}

/** The script or action of a schedule's action; the event's if it has neither. */
function targetOf({ scriptText: script, actionId, actionParameters }: ScheduleAction, data: EventData) {
  return script === '' && actionId === '' ? data : { script, actionId, actionParameters };
}
