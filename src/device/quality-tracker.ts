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

/** The value is from before: a restart of the gateway, a time when the device was away. */
const NOT_REPORTED: QualityProblem = {
  state: quality.stale,
  reason: 'NOT_REPORTED',
  text: 'the device has not told it since it was connected',
};

/** A device's clock may be ahead of ours by so much: neither is exact, and some are set by hand. */
const AHEAD_MS = 60_000;

const FUTURE: QualityProblem = {
  state: quality.stale,
  reason: 'FUTURE',
  text: 'the device says that it was measured in the future; check its clock',
};

/** Why an instance's values are bad whatever was told: the codes of its troubles. */
export type OfflineCode = 'CLOSED' | 'UNREACHABLE' | 'MODULE_MISSING' | 'UNAVAILABLE';
/** Why the values of an instance are bad while its link stands so. */
export const offlineCodeOf = (link: string): OfflineCode => (link === 'closed' ? 'CLOSED' : 'UNREACHABLE');
const absences: ReadonlySet<string> = new Set<OfflineCode>([
  'CLOSED',
  'UNREACHABLE',
  'MODULE_MISSING',
  'UNAVAILABLE',
]);

/** What a standing works with. */
export interface QualityTrackerOptions {
  readonly kernel: Kernel;
  readonly clock: Clock;
  readonly instance: Instance;
  readonly deadlines: Deadlines;
}

/**
 * The quality of one instance's values. A report makes a value good; one that came later than promised is stale; while the
 * instance is not online all are bad; and what was not reported since it came online is as old as that.
 */
export class QualityTracker {
  readonly #with: QualityTrackerOptions;
  /** How long it took to take in what was reported. */
  readonly reportLatency: LatencyStatistics;
  readonly #promises = new Map<string, Deadline>();
  /** Why the device is away although the instance is online. */
  #away: QualityProblem | undefined;
  /** How far the wall clock is ahead of the monotonic one, and when that was found by the former, ms. */
  #aheadMs = 0;
  #comparedMs = NaN;

  constructor(parts: QualityTrackerOptions) {
    this.#with = parts;
    this.reportLatency = new LatencyStatistics(parts.clock);
  }

  /** For values that were restored: what nobody has reported in this run is not good. Tells nobody: none has seen it yet. */
  restore(): void {
    const { kernel, instance } = this.#with;
    for (const variable of reportedVariables(instance)) {
      kernel.tree.touch(variable);
      variable.data.qualityProblem ??= hasValue(variable) ? NOT_REPORTED : NO_VALUE;
    }
  }

  /** The promises of these variables are kept an eye on from their next values on; all others are given up. */
  setDeadlines(declared: readonly VariableDeclaration[]): void {
    this.#release();
    for (const { ident, staleAfterS } of declared)
      if (staleAfterS !== undefined)
        this.#promises.set(ident, new Deadline(staleAfterS * 1000, () => this.#overdue(ident, staleAfterS)));
  }

  /** The value was reported; see `Host.report`. Throws `VARIABLE_TYPE`. */
  report(variable: Variable, value: Value, at: bigint | number | undefined): void {
    const { kernel, clock } = this.#with;
    const fromNs = clock.monotonicNs();
    const nowMs = clock.nowMs();
    const sourceMs = typeof at === 'bigint' ? this.#wallMs(at, nowMs) : at;
    const isGood = this.#isGood(variable, sourceMs, nowMs);
    kernel.variables.update(variable, value, nowMs);
    note(variable, sourceMs, nowMs);
    // Only now: the value of before must not look good for a moment.
    if (isGood && variable.data.qualityProblem !== undefined)
      kernel.variables.setQualityProblem(variable, undefined);
    this.reportLatency.recordSince(fromNs);
  }

  /** The value was reported as a guess; see `Host.guess`. Throws `VARIABLE_TYPE`. */
  reportUncertain(variable: Variable, value: Value, doubt: QualityProblem): void {
    const { kernel, clock } = this.#with;
    const nowMs = clock.nowMs();
    this.markUncertain(variable, doubt);
    kernel.variables.update(variable, value, nowMs);
    note(variable, undefined, nowMs);
  }

  /** The variable's value can't be relied on until its next report. */
  markUncertain(variable: Variable, doubt: QualityProblem): void {
    this.#with.kernel.variables.setQualityProblem(variable, this.#away ?? doubt);
    const promised = this.#promises.get(variable.ident);
    if (promised !== undefined) this.#with.deadlines.cancel(promised);
  }

  /** It is online: what was not reported while it was opened is known from before only. */
  setOnline(): void {
    const { kernel, instance } = this.#with;
    if (this.#away !== undefined) return;
    for (const variable of reportedVariables(instance))
      if (absences.has(variable.data.qualityProblem?.reason ?? ''))
        kernel.variables.setQualityProblem(variable, hasValue(variable) ? NOT_REPORTED : NO_VALUE);
  }

  /** It is not online: nothing is known of its values. */
  setOffline(reason: OfflineCode, text: string): void {
    this.#away = undefined;
    this.#lose({ state: quality.bad, reason, text });
  }

  /** Its device is away although the instance is online, and why; with undefined it is there again. */
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

  /** The wall clock's time of an edge. Edges come in bursts: within one millisecond the two clocks are compared once. */
  #wallMs(atNs: bigint, nowMs: number): number {
    if (nowMs !== this.#comparedMs) {
      this.#aheadMs = nowMs - Number(this.#with.clock.monotonicNs()) / 1e6;
      this.#comparedMs = nowMs;
    }
    return Math.min(nowMs, Number(atNs) / 1e6 + this.#aheadMs);
  }

  /** Whether a value that comes now is good; one that is too old is doubted already when it is told. */
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

  /** How old a value is by its own time. A time of the device's says nothing while the clock here is not set. */
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

/** Keeps when the value was so, where that was told. */
function note({ data }: Variable, sourceMs: number | undefined, receivedMs: number): void {
  if (sourceMs === undefined) data.reportTimes &&= undefined;
  else if (data.reportTimes === undefined) data.reportTimes = { sourceMs, receivedMs };
  else {
    data.reportTimes.sourceMs = sourceMs;
    data.reportTimes.receivedMs = receivedMs;
  }
}
