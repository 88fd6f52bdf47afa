import type { Clock } from '../base/clock.js';
import type { Instance } from '../kernel/instances.js';
import type { Kernel } from '../kernel/kernel.js';
import { objectType } from '../kernel/object.js';
import { quality, type QualityProblem } from '../kernel/quality.js';
import { hasValue, type Variable } from '../kernel/variables.js';
import { Deadline, type Deadlines } from '../base/deadlines.js';
import { LatencyStatistics } from './latency-statistics.js';
import { NO_VALUE, reportedVariables } from './instance-variables.js';
import type { Value, VariableDeclaration } from './module.js';

/** The value is older than the connection: from before a restart, or from before the device was offline. */
const NOT_REPORTED: QualityProblem = {
  state: quality.stale,
  reason: 'NOT_REPORTED',
  text: 'the device has not told it since it was connected',
};

/** How far a device's clock may be ahead of ours: neither is exact, and some are set by hand. */
const AHEAD_MS = 60_000;

const FUTURE: QualityProblem = {
  state: quality.stale,
  reason: 'FUTURE',
  text: 'the device says that it was measured in the future; check its clock',
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
  readonly #with: QualityTrackerOptions;
  /** The latency of processing reports. */
  readonly reportLatency: LatencyStatistics;
  readonly #promises = new Map<string, Deadline>();
  /** Why the device is unavailable although the instance is online. */
  #away: QualityProblem | undefined;
  /**
   * The offset of the wall clock from the monotonic clock, and the wall time at which it was measured, ms.
   */
  #aheadMs = 0;
  #comparedMs = NaN;

  constructor(parts: QualityTrackerOptions) {
    this.#with = parts;
    this.reportLatency = new LatencyStatistics(parts.clock);
  }

  /**
   * Marks restored values that have not been reported in this run as stale. Emits no message: no client has
   * seen them yet.
   */
  restore(): void {
    const { kernel, instance } = this.#with;
    for (const variable of reportedVariables(instance)) {
      kernel.tree.touch(variable);
      variable.data.qualityProblem ??= hasValue(variable) ? NOT_REPORTED : NO_VALUE;
    }
  }

  /** Sets the deadlines of these variables, which start with their next values; removes all others. */
  setDeadlines(declared: readonly VariableDeclaration[]): void {
    this.#release();
    for (const { ident, staleAfterS } of declared)
      if (staleAfterS !== undefined)
        this.#promises.set(ident, new Deadline(staleAfterS * 1000, () => this.#overdue(ident, staleAfterS)));
  }

  /** Implements `Host.report`. Throws `VARIABLE_TYPE`. */
  report(variable: Variable, value: Value, at: bigint | number | undefined): void {
    const { kernel, clock } = this.#with;
    const fromNs = clock.monotonicNs();
    const nowMs = clock.nowMs();
    const sourceMs = typeof at === 'bigint' ? this.#wallMs(at, nowMs) : at;
    const isGood = this.#isGood(variable, sourceMs, nowMs);
    kernel.variables.update(variable, value, nowMs);
    note(variable, sourceMs, nowMs);
    // Only after the update: the old value must not be good for a moment.
    if (isGood && variable.data.qualityProblem !== undefined)
      kernel.variables.setQualityProblem(variable, undefined);
    this.reportLatency.recordSince(fromNs);
  }

  /** Implements `Host.reportUncertain`. Throws `VARIABLE_TYPE`. */
  reportUncertain(variable: Variable, value: Value, doubt: QualityProblem): void {
    const { kernel, clock } = this.#with;
    const nowMs = clock.nowMs();
    this.markUncertain(variable, doubt);
    kernel.variables.update(variable, value, nowMs);
    note(variable, undefined, nowMs);
  }

  /** Implements `Host.markUncertain`. */
  markUncertain(variable: Variable, doubt: QualityProblem): void {
    this.#with.kernel.variables.setQualityProblem(variable, this.#away ?? doubt);
    const promised = this.#promises.get(variable.ident);
    if (promised !== undefined) this.#with.deadlines.cancel(promised);
  }

  /** The instance is online: values that were not reported while it opened are stale. */
  setOnline(): void {
    const { kernel, instance } = this.#with;
    if (this.#away !== undefined) return;
    for (const variable of reportedVariables(instance))
      if (absences.has(variable.data.qualityProblem?.reason ?? ''))
        kernel.variables.setQualityProblem(variable, hasValue(variable) ? NOT_REPORTED : NO_VALUE);
  }

  /** The instance is not online: all its values are bad. */
  setOffline(reason: OfflineCode, text: string): void {
    this.#away = undefined;
    this.#lose({ state: quality.bad, reason, text });
  }

  /** Implements `Host.setUnavailable`. */
  setUnavailable(text: string | undefined): void {
    const wasAway = this.#away !== undefined;
    this.#away = text === undefined ? undefined : { state: quality.bad, reason: 'UNAVAILABLE', text };
    if (this.#away !== undefined) this.#lose(this.#away);
    else if (wasAway) this.setOnline();
  }

  #lose(doubt: QualityProblem): void {
    const { kernel, instance, deadlines } = this.#with;
    for (const promised of this.#promises.values()) deadlines.cancel(promised);
    for (const variable of reportedVariables(instance)) kernel.variables.setQualityProblem(variable, doubt);
  }

  #release(): void {
    for (const promised of this.#promises.values()) this.#with.deadlines.cancel(promised);
    this.#promises.clear();
  }

  /**
   * Converts an edge's monotonic time to wall time. Edges come in bursts: the clocks are compared at most
   * once per millisecond.
   */
  #wallMs(atNs: bigint, nowMs: number): number {
    if (nowMs !== this.#comparedMs) {
      this.#aheadMs = nowMs - Number(this.#with.clock.monotonicNs()) / 1e6;
      this.#comparedMs = nowMs;
    }
    return Math.min(nowMs, Number(atNs) / 1e6 + this.#aheadMs);
  }

  /** Whether a value reported now is good. One that is too old is marked before it is stored. */
  #isGood(variable: Variable, sourceMs: number | undefined, nowMs: number): boolean {
    if (this.#away !== undefined) return false;
    const { kernel, clock, deadlines } = this.#with;
    const promised = this.#promises.size === 0 ? undefined : this.#promises.get(variable.ident);
    if (promised === undefined || deadlines.restart(promised, this.#ageMs(sourceMs, nowMs))) {
      const isAhead = sourceMs !== undefined && sourceMs > nowMs + AHEAD_MS && clock.isTrusted();
      if (isAhead) kernel.variables.setQualityProblem(variable, FUTURE);
      return !isAhead;
    }
    promised.onOverdue();
    return false;
  }

  /**
   * The age of a value by its own timestamp. A device's timestamp is ignored while the clock of this machine
   * is not set.
   */
  #ageMs(sourceMs: number | undefined, nowMs: number): number {
    if (sourceMs === undefined) return 0;
    if (sourceMs === 0) return Infinity;
    return this.#with.clock.isTrusted() ? Math.max(0, nowMs - sourceMs) : 0;
  }

  #overdue(ident: string, staleAfterS: number): void {
    const { kernel, instance } = this.#with;
    const variable = instance.children?.byIdent(ident);
    const text = `nothing was told that is newer than ${staleAfterS} s`;
    if (variable?.is(objectType.variable))
      kernel.variables.setQualityProblem(variable, { state: quality.stale, reason: 'OVERDUE', text });
  }
}

/** Stores the time of the value, if it was given. */
function note({ data }: Variable, sourceMs: number | undefined, receivedMs: number): void {
  if (sourceMs === undefined) data.reportTimes &&= undefined;
  else if (data.reportTimes === undefined) data.reportTimes = { sourceMs, receivedMs };
  else {
    data.reportTimes.sourceMs = sourceMs;
    data.reportTimes.receivedMs = receivedMs;
  }
}
