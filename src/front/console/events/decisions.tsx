import { useEffect } from 'preact/hooks';
import type { EventDecisions, EventRecord } from '../../../client/generated/records.js';
import { formatTime } from '../../web/format.js';
import { useApp } from '../app.js';
import { eventTexts } from '../i18n/events.js';
import { sentence } from '../i18n/gateway-texts.js';
import { useActivity, useLoaded } from '../load.js';
import { LoadedView } from '../parts/loaded-view.js';
import { Sentences, type RuleKind } from './sentences.js';

type Decision = EventDecisions['Decisions'][number];

/** Decisions have no messages and are read again at most this often, ms. */
const RELOAD_MS = 1000;

interface DecisionsProps {
  readonly event: EventRecord;
}

/** Why an event can or cannot run, its conditions now, and the last times it ran or did not run. */
export function Decisions({ event }: DecisionsProps) {
  const app = useApp();
  const { state, refresh } = useLoaded(
    () => app.call('GW_GetEventDecisions', event.EventID),
    [event.EventID],
  );
  useEffect(refresh, [event]);
  useActivity(RELOAD_MS, refresh);
  return (
    <LoadedView state={state}>
      {(facts) => (
        <>
          {facts.State !== 'READY' && <p class="stale">{eventTexts().states[facts.State]}</p>}
          <ConditionStates event={event} facts={facts} />
          {facts.Decisions.length === 0 ? (
            <p class="soft">{eventTexts().noDecisions}</p>
          ) : (
            <ol class="decisions">
              {facts.Decisions.map((decision) => (
                <DecisionRow
                  key={`${decision.TimeMs} ${decision.Outcome}`}
                  event={event}
                  decision={decision}
                />
              ))}
            </ol>
          )}
        </>
      )}
    </LoadedView>
  );
}

interface ConditionStatesProps extends DecisionsProps {
  readonly facts: EventDecisions;
}

function ConditionStates({ event, facts }: ConditionStatesProps) {
  const app = useApp();
  const { EventConditions } = event;
  const { conditionsMet, conditionsUnmet, met, unmet, now } = eventTexts();
  const sentences = new Sentences(app);
  const rules = facts.Conditions.flatMap((condition) =>
    condition.Rules.map((rule) => ({
      rule,
      condition: EventConditions.find(({ ID }) => ID === condition.ID),
    })),
  );
  if (rules.length === 0) return null;
  return (
    <>
      <p class={facts.AreConditionsMet ? '' : 'stale'}>
        {facts.AreConditionsMet ? conditionsMet : conditionsUnmet}
      </p>
      <ul class="rules-now">
        {rules.map(({ rule: { Kind, ID, IsMet, Current }, condition }) => (
          <li key={`${condition?.ID} ${Kind} ${ID}`}>
            {condition && sentences.rule(condition, Kind, ID)}
            <small>
              {IsMet ? met : unmet}
              {condition !== undefined && Current !== undefined && (
                <> · {now(sentences.current(condition, [Kind, ID], Current))}</>
              )}
            </small>
          </li>
        ))}
      </ul>
    </>
  );
}

const BAD: ReadonlySet<Decision['Outcome']> = new Set(['FAILED', 'TOO_OFTEN', 'NOTHING_TO_RUN']);
const RUNS: ReadonlySet<Decision['Outcome']> = new Set(['RAN', 'RUNNING', 'WAITING']);

interface DecisionRowProps extends DecisionsProps {
  readonly decision: Decision;
}

function DecisionRow({ event, decision }: DecisionRowProps) {
  const app = useApp();
  const { outcomes, codes, duration, times } = eventTexts();
  const { TimeMs, Count, Outcome, DurationMs, CodedText } = decision;
  const { timezone } = app.gateway.model;
  const kind = BAD.has(Outcome) ? 'bad' : RUNS.has(Outcome) ? 'ran' : 'skipped';
  const reason =
    Outcome === 'CONDITION'
      ? unmetRule(new Sentences(app), event, decision)
      : CodedText && sentence(CodedText);
  return (
    <li class={kind}>
      <time dateTime={new Date(TimeMs).toISOString()}>
        {decisionTime(app.moment(TimeMs), formatTime(TimeMs, timezone, true))}
      </time>
      <span>
        <strong>{triggerText(new Sentences(app), event, decision)}</strong>{' '}
        <span class={BAD.has(Outcome) ? 'bad' : ''}>
          {outcomes[Outcome]}
          {reason !== undefined && `: ${reason}`}
        </span>
        <small>
          {Count > 1 && `${times(Count)} · `}
          {DurationMs !== undefined && DurationMs > 0 && `${duration(DurationMs)} · `}
          <span class="unseen">{codes}: </span>
          {Outcome}
        </small>
      </span>
    </li>
  );
}

/** A time of today with its seconds, another one with its day. */
function decisionTime(moment: string, withSeconds: string): string {
  return withSeconds.startsWith(moment) ? withSeconds : moment;
}

function triggerText(sentences: Sentences, event: EventRecord, decision: Decision): string {
  const { due, point } = eventTexts();
  const { Trigger, VariableID = 0, Value, ActionID } = decision;
  if (Trigger === 'TIME') return due;
  if (Trigger === 'SCHEDULE')
    return point(event.ScheduleActions.find(({ ID }) => ID === ActionID)?.Name ?? String(ActionID ?? ''));
  return `${sentences.name(VariableID)}: ${sentences.valueOf(VariableID, Value ?? '')}`;
}

/** The rule that was not met with what it compared; the condition if there were several. */
function unmetRule(sentences: Sentences, event: EventRecord, decision: Decision): string | undefined {
  const { ConditionID, RuleKind, RuleID = 0, Current } = decision;
  const { EventConditions } = event;
  const condition = EventConditions.find(({ ID }) => ID === ConditionID);
  if (condition === undefined) return undefined;
  const kind: RuleKind | undefined = RuleKind;
  const rule = kind === undefined ? undefined : sentences.rule(condition, kind, RuleID);
  if (kind === undefined || rule === undefined) return sentences.condition(condition, EventConditions);
  return Current === undefined
    ? rule
    : `${rule} (${eventTexts().was(sentences.current(condition, [kind, RuleID], Current))})`;
}
