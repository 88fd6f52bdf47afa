import type { Clock } from '../base/clock.js';
import type { Instance } from '../kernel/instances.js';
import type { Kernel } from '../kernel/kernel.js';
import { objectType } from '../kernel/object.js';
import { quality, type QualityProblem } from '../kernel/quality.js';
import { hasValue, type Variable } from '../kernel/variables.js';
import { Deadline, type Deadlines } from '../base/deadlines.js';
import { discardImages } from './images/declare-images.js';
import { LatencyStatistics } from './instance-statistics.js';
import { NO_VALUE, reportedVariables } from './instance-variables.js';
import type { Value, VariableDeclaration } from './module.js';

/** The value is older than the connection: from before a restart, or from before the device was offline. */
const NOT_REPORTED: QualityProblem = {
  state: quality.stale,
  reason: 'NOT_REPORTED',
  text: 'the device has not reported a value since it was connected',
};

/** The quality of a variable that its device has not reported since it was connected. */
export const qualityBeforeReport = (variable: Variable): QualityProblem =>
  hasValue(variable) ? NOT_REPORTED : NO_VALUE;

/** How far a device's clock may be ahead of ours: neither is exact, and some are set by hand. */
const AHEAD_MS = 60_000;

const FUTURE: QualityProblem = {
  state: quality.stale,
  reason: 'FUTURE',
  text: "the time of the value is in the future; check the device's clock",
};

/** Why all values of an instance are bad; these are also codes of its problems. */
export type OfflineCode = 'CLOSED' | 'UNREACHABLE' | 'MODULE_MISSING' | 'UNAVAILABLE';
/** The reason that follows from a link state other than online. */
export const offlineCodeOf = (link: string): OfflineCode => (link === 'closed' ? 'CLOSED' : 'UNREACHABLE');
const absences: ReadonlySet<string> = new Set<OfflineCode>([
  'CLOSED',
  'UNREACHABLE',
  'MODULE_MISSING',
  'UNAVAILABLE',
]);

export interface QualityTrackerOptions {
  readonly kernel: Kernel;
  readonly clock: Clock;
  readonly instance: Instance;
  readonly deadlines: Deadlines;
}

/**
 * Tracks the quality of one instance's values. A report makes a value good. A value without a report for
 * longer than its variable allows is stale. While the instance is not online all values are bad; when it
 * comes online, values are stale until they are reported.
 */
export class QualityTracker {
  readonly #options: QualityTrackerOptions;
  /** The latency of processing reports. */
  readonly reportLatency: LatencyStatistics;
  readonly #deadlines = new Map<string, Deadline>();
  /** Why the device is unavailable although the instance is online. */
  #unavailable: QualityProblem | undefined;
  /**
   * The offset of the wall clock from the monotonic clock, and the wall time at which it was measured, ms.
   */
  #aheadMs = 0;
  #comparedMs = NaN;

  constructor(options: QualityTrackerOptions) {
    this.#options = options;
    this.reportLatency = new LatencyStatistics(options.clock);
  }

  /**
   * Marks restored values that have not been reported in this run as stale. Emits no message: no client has
   * seen them yet.
   */
  restore(): void {
    const { kernel, instance } = this.#options;
    for (const variable of reportedVariables(instance)) {
      kernel.tree.touch(variable);
      variable.data.qualityProblem ??= qualityBeforeReport(variable);
    }
    discardImages(kernel, instance);
  }

  /** Sets the deadlines of these variables, which start with their next values; removes all others. */
  setDeadlines(declared: readonly VariableDeclaration[]): void {
    this.#clearDeadlines();
    for (const { ident, staleAfterS } of declared)
      if (staleAfterS !== undefined)
        this.#deadlines.set(
          ident,
          new Deadline(staleAfterS * 1000, () => this.#onOverdue(ident, staleAfterS)),
        );
  }

  /** Implements `Host.report`. Throws `VARIABLE_TYPE`. */
  report(variable: Variable, value: Value, at: bigint | number | undefined): void {
    const { kernel, clock } = this.#options;
    const fromNs = clock.monotonicNs();
    const nowMs = clock.nowMs();
    const sourceMs = typeof at === 'bigint' ? this.#wallMs(at, nowMs) : at;
    const isGood = this.#isGood(variable, sourceMs, nowMs);
    if (typeof at === 'bigint') kernel.changes.edgeNs ??= at;
    kernel.variables.update(variable, value, nowMs);
    noteTimes(variable, sourceMs, nowMs);
    // Only after the update: the old value must not be good for a moment.
    if (isGood && variable.data.qualityProblem !== undefined)
      kernel.variables.setQualityProblem(variable, undefined);
    this.reportLatency.recordSince(fromNs);
  }

  /** Implements `Host.reportUncertain`. Throws `VARIABLE_TYPE`. */
  reportUncertain(variable: Variable, value: Value, problem: QualityProblem): void {
    const { kernel, clock } = this.#options;
    const nowMs = clock.nowMs();
    this.markUncertain(variable, problem);
    kernel.variables.update(variable, value, nowMs);
    noteTimes(variable, undefined, nowMs);
  }

  /** Implements `Host.markUncertain`. */
  markUncertain(variable: Variable, problem: QualityProblem): void {
    this.#options.kernel.variables.setQualityProblem(variable, this.#unavailable ?? problem);
    const deadline = this.#deadlines.get(variable.ident);
    if (deadline !== undefined) this.#options.deadlines.cancel(deadline);
  }

  /** Implements `Host.markGood`. */
  markGood(variable: Variable): void {
    this.#options.kernel.variables.setQualityProblem(variable, this.#unavailable);
  }

  /** The instance is online: values that were not reported while it opened are stale. */
  setOnline(): void {
    const { kernel, instance } = this.#options;
    if (this.#unavailable !== undefined) return;
    for (const variable of reportedVariables(instance))
      if (absences.has(variable.data.qualityProblem?.reason ?? ''))
        kernel.variables.setQualityProblem(variable, qualityBeforeReport(variable));
  }

  /** The instance is not online: all its values are bad. */
  setOffline(reason: OfflineCode, text: string): void {
    this.#unavailable = undefined;
    this.#setAllBad({ state: quality.bad, reason, text });
  }

  /** Whether the device is unavailable although the instance is online. */
  get isUnavailable(): boolean {
    return this.#unavailable !== undefined;
  }

  /** Implements `Host.setUnavailable`. */
  setUnavailable(text: string | undefined): void {
    const wasUnavailable = this.#unavailable !== undefined;
    this.#unavailable = text === undefined ? undefined : { state: quality.bad, reason: 'UNAVAILABLE', text };
    if (this.#unavailable !== undefined) this.#setAllBad(this.#unavailable);
    else if (wasUnavailable) this.setOnline();
  }

  #setAllBad(problem: QualityProblem): void {
    const { kernel, instance, deadlines } = this.#options;
    for (const deadline of this.#deadlines.values()) deadlines.cancel(deadline);
    for (const variable of reportedVariables(instance)) kernel.variables.setQualityProblem(variable, problem);
    discardImages(kernel, instance);
  }

  #clearDeadlines(): void {
    for (const deadline of this.#deadlines.values()) this.#options.deadlines.cancel(deadline);
    this.#deadlines.clear();
  }

  /**
   * Converts an edge's monotonic time to wall time. Edges come in bursts: the clocks are compared at most
   * once per millisecond.
   */
  #wallMs(atNs: bigint, nowMs: number): number {
    if (nowMs !== this.#comparedMs) {
      this.#aheadMs = nowMs - Number(this.#options.clock.monotonicNs()) / 1e6;
      this.#comparedMs = nowMs;
    }
    return Math.min(nowMs, Number(atNs) / 1e6 + this.#aheadMs);
  }

  /** Whether a value reported now is good. One that is too old is marked before it is stored. */
  #isGood(variable: Variable, sourceMs: number | undefined, nowMs: number): boolean {
    if (this.#unavailable !== undefined) return false;
    const { kernel, clock, deadlines } = this.#options;
    const deadline = this.#deadlines.size === 0 ? undefined : this.#deadlines.get(variable.ident);
    if (deadline === undefined || deadlines.restart(deadline, this.#ageMs(sourceMs, nowMs))) {
      const isAhead = sourceMs !== undefined && sourceMs > nowMs + AHEAD_MS && clock.isTrusted();
      if (isAhead) kernel.variables.setQualityProblem(variable, FUTURE);
      return !isAhead;
    }
    deadline.onOverdue();
    return false;
  }

  /**
   * The age of a value by its own timestamp. A device's timestamp is ignored while the clock of this machine
   * is not set.
   */
  #ageMs(sourceMs: number | undefined, nowMs: number): number {
    if (sourceMs === undefined) return 0;
    if (sourceMs === 0) return Infinity;
    return this.#options.clock.isTrusted() ? Math.max(0, nowMs - sourceMs) : 0;
  }

  #onOverdue(ident: string, staleAfterS: number): void {
    const { kernel, instance } = this.#options;
    const variable = instance.children?.byIdent(ident);
    const text = `no value was reported for more than ${staleAfterS} s`;
    if (variable?.is(objectType.variable))
      kernel.variables.setQualityProblem(variable, { state: quality.stale, reason: 'OVERDUE', text });
  }
}

/** Stores the time of the value, if it was given. */
function noteTimes({ data }: Variable, sourceMs: number | undefined, receivedMs: number): void {
  if (sourceMs === undefined) data.reportTimes &&= undefined;
  else if (data.reportTimes === undefined) data.reportTimes = { sourceMs, receivedMs };
  else {
    data.reportTimes.sourceMs = sourceMs;
    data.reportTimes.receivedMs = receivedMs;
  }
}
