import { type CodedText, codedTextOf } from '../base/codes/coded-text.js';
import type { EventOutcome } from '../base/codes/stable-codes.js';
import type { Rules } from '../kernel/events/event-data.js';
import type { Event } from '../kernel/events/events.js';
import type { Value } from '../kernel/value.js';

/** Decisions that are kept per event: enough to see what happened last, for thousands of events. */
export const DECISIONS_LIMIT = 20;
/** Maximum number of characters of a value or an error that are kept. */
const TEXT_LIMIT = 300;

/** What made the gateway decide whether an event runs. */
export interface Cause {
  readonly trigger: 'VARIABLE' | 'TIME' | 'SCHEDULE';
  /** The variable, its value and the previous one. */
  readonly variableId?: number;
  readonly value?: Value;
  readonly oldValue?: Value;
  /** The action of the schedule that began. */
  readonly actionId?: number;
}

/** What was decided, and why. */
export interface Verdict {
  readonly outcome: EventOutcome;
  /**
   * For `CONDITION`: the one that was not met, and the rule with what it compared, if a single one decided.
   */
  readonly conditionId?: number;
  readonly rule?: { readonly kind: keyof Rules; readonly id: number; readonly current?: Value };
  /** For `FAILED`: the error. */
  readonly text?: CodedText;
  /** How long a run took. */
  readonly durationMs?: number;
}

/** A decision about an event. Successive equal verdicts without a run are one decision. */
export interface Decision {
  /** The time of the newest of them, unix milliseconds. */
  readonly atMs: number;
  /** The number of equal verdicts. */
  readonly count: number;
  readonly cause: Cause;
  readonly verdict: Verdict;
}

type Writable<T> = { -readonly [K in keyof T]: T[K] };

/** The last decisions about each event, in memory. */
export class DecisionLog {
  readonly #byEvent = new WeakMap<Event, Writable<Decision>[]>();

  /** The last decisions about an event, oldest first. */
  of(event: Event): readonly Decision[] {
    return this.#byEvent.get(event) ?? [];
  }

  /** Adds a decision; {@link change} can replace its verdict. */
  add(event: Event, { atMs, cause, verdict }: Omit<Decision, 'count'>): Decision {
    const known = this.#byEvent.get(event);
    const decisions = known ?? [];
    if (known === undefined) this.#byEvent.set(event, decisions);
    const decision = { atMs, count: 1, cause: bounded(cause), verdict };
    decisions.push(decision);
    merge(decisions, decision);
    if (decisions.length > DECISIONS_LIMIT) decisions.shift();
    return decision;
  }

  /** Replaces the verdict of a decision that was added. */
  change(event: Event, decision: Decision, verdict: Verdict): void {
    const { text } = verdict;
    const changed: Writable<Decision> = decision;
    changed.verdict = text === undefined ? verdict : { ...verdict, text: boundedSentence(text) };
    merge(this.#byEvent.get(event) ?? [], changed);
  }
}

/** Merges a decision without a run into the same one directly before it. */
function merge(decisions: Writable<Decision>[], decision: Writable<Decision>): void {
  const at = decisions.lastIndexOf(decision);
  const before = decisions[at - 1];
  if (before === undefined || !isSameWithoutRun(before.verdict, decision.verdict)) return;
  decision.count += before.count;
  decisions.splice(at - 1, 1);
}

/** Outcomes of runs, and of triggers that may still become one: each is a decision of its own. */
const neverMerged: ReadonlySet<EventOutcome> = new Set<EventOutcome>([
  'RUNNING',
  'RAN',
  'FAILED',
  'NOTHING_TO_RUN',
  'WAITING',
]);

function isSameWithoutRun(a: Verdict, b: Verdict): boolean {
  return (
    a.outcome === b.outcome &&
    !neverMerged.has(a.outcome) &&
    a.conditionId === b.conditionId &&
    a.rule?.kind === b.rule?.kind &&
    a.rule?.id === b.rule?.id
  );
}

function bounded(cause: Cause): Cause {
  const { value, oldValue } = cause;
  const isLong = (one: Value | undefined) => typeof one === 'string' && one.length > TEXT_LIMIT;
  if (!isLong(value) && !isLong(oldValue)) return cause;
  return {
    ...cause,
    ...(value !== undefined && { value: boundedValue(value) }),
    ...(oldValue !== undefined && { oldValue: boundedValue(oldValue) }),
  };
}

/** The beginning of a long text, so that a decision does not keep all of it. */
export function boundedValue(value: Value): Value {
  return typeof value === 'string' ? boundedText(value) : value;
}

/** A sentence that is too long loses its parameters, which may be as long. */
const boundedSentence = (text: CodedText): CodedText =>
  text.text.length <= TEXT_LIMIT ? text : codedTextOf(boundedText(text.text));

function boundedText(text: string): string {
  // In V8, a slice keeps the entire string in memory; the conversion copies.
  return text.length <= TEXT_LIMIT ? text : `${Buffer.from(text.slice(0, TEXT_LIMIT)).toString()}…`;
}
