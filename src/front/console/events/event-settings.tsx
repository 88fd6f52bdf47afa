import { useSignal } from '@preact/signals';
import { useId } from 'preact/hooks';
import type { EventRecord } from '../../../client/generated/records.js';
import type { TreeNode } from '../../web/model.js';
import { objectType } from '../../web/objects.js';
import { lazy } from '../../web/parts/lazy.js';
import { keepFocus } from '../../web/parts/take-focus.js';
import { useApp } from '../app.js';
import { eventTexts } from '../i18n/events.js';
import { ObjectChoice } from '../parts/object-choice.js';
import { ActionForm } from './action-form.js';
import { ConditionsForm, lacksVariable } from './conditions-form.js';
import { basedOn, type Entered, enteredSince, isOverwriting, withPart } from './entered-event.js';
import { NumberField, Section } from './fields.js';
import { differ, saveEvent, sharesDays } from './save-event.js';
import { ScheduleForm } from './schedule-form.js';
import { CyclicForm, TriggerForm } from './times-form.js';

const Conflict = lazy(async () => (await import('../parts/conflict.js')).Conflict);

const RUNS_LIMIT = 1_000_000;

interface EventSettingsProps {
  readonly node: TreeNode;
  readonly event: EventRecord;
  /** It was read after a save. */
  readonly onRead: (event: EventRecord) => void;
}

/** Everything that can be changed at an event. It is saved together. */
export function EventSettings({ node, event, onRead }: EventSettingsProps) {
  const app = useApp();
  const id = useId();
  const { ownName: name } = node;
  const { parentID } = node.entry.value;
  const entered = app.form<Entered>(`event/${node.id}`);
  const { edit, save, saved, discard, changed, name: nameLabel, place, placeHint, root } = eventTexts();
  const edited: EventRecord = { ...event, ...entered.value?.event };
  const { name: newName = name, parent: newParent = parentID } = entered.value ?? {};
  const parent = app.gateway.model.find(newParent);
  const isOther = ({ event: part, name: other = name, parent: under = parentID }: Entered) =>
    differ(event, { ...event, ...part }) || other !== name || under !== parentID;
  const enter = (part: Entered) => {
    const next = { ...entered.peek(), ...part };
    entered.value = isOther(next) ? next : undefined;
  };
  const change = (part: Partial<EventRecord>) => enter(withPart(entered.peek(), event, part));
  const isChanged = isOther(entered.value ?? {});
  const reset = () => (entered.value = undefined);
  /** What somebody else has saved since it was entered here; undefined: nothing. */
  const conflict = useSignal<EventRecord | undefined>(undefined);
  const isBusy = useSignal(false);
  const discardAll = () => {
    reset();
    conflict.value = undefined;
  };
  const store = async (sent: Entered, before: EventRecord) => {
    if (newName !== name) await app.call('SVC_SetName', node.id, newName);
    if (newParent !== parentID) await app.call('SVC_SetParent', node.id, newParent);
    if (!differ(before, { ...before, ...sent.event })) return;
    // A rejected save leaves it inactive; the next one activates it again.
    if (before.EventActive) change({ EventActive: true });
    // It may have been switched since it was shown.
    const { EventActive = before.EventActive } = entered.peek()?.event ?? {};
    try {
      await saveEvent(app, before, { ...before, ...sent.event, EventActive });
    } catch (thrown) {
      // What was saved before the rejection is not somebody else's change. Without a connection, nothing is known.
      const now = await app.call('SVC_GetEvent', node.id).catch(() => before);
      entered.value = basedOn(entered.peek() ?? {}, now, sent.event);
      throw thrown;
    }
  };
  const saveAll = async () => {
    const sent = entered.peek() ?? {};
    let before = event;
    if (!(await app.act(async () => (before = await app.call('SVC_GetEvent', node.id))))) return;
    conflict.value = isOverwriting(sent, before) ? before : undefined;
    if (conflict.peek() !== undefined) return;
    if (!(await app.act(() => store(sent, before), saved))) return;
    // What was typed meanwhile stays. It is compared with what was saved.
    const now = await app.call('SVC_GetEvent', node.id).catch(() => ({ ...before, ...sent.event }));
    // Otherwise the event is shown as it was until it is read again, and what is entered then is a conflict.
    onRead(now);
    entered.value = enteredSince(entered.peek(), { sent, place: { name, parent: parentID } }, now);
  };
  const submit = async () => {
    const problem = edited.EventConditions.some(lacksVariable)
      ? edit.ruleWithoutVariable
      : sharesDays(edited.ScheduleGroups)
        ? edit.sharedDays
        : undefined;
    if (problem !== undefined) {
      app.notice.value = { text: problem, isError: true };
      return;
    }
    // A second save would take the first one's changes for somebody else's.
    if (isBusy.peek()) return;
    isBusy.value = true;
    await saveAll();
    isBusy.value = false;
  };
  const resolve = (theirs: EventRecord, keepsMine: boolean) => {
    if (!keepsMine) return discardAll();
    entered.value = basedOn(entered.peek() ?? {}, theirs);
    void submit();
  };
  return (
    <form
      ref={keepFocus}
      class="form properties event-form"
      onSubmit={(submitted) => {
        submitted.preventDefault();
        void submit();
      }}
    >
      {event.EventType === 0 && <TriggerForm event={edited} onChange={change} />}
      {event.EventType === 1 && <CyclicForm event={edited} onChange={change} />}
      {event.EventType === 2 && <ScheduleForm event={edited} parent={parent} onChange={change} />}
      <ConditionsForm
        conditions={edited.EventConditions}
        onChange={(EventConditions) => change({ EventConditions })}
      />
      {event.EventType !== 2 && (
        <Section title={edit.action}>
          <ActionForm
            executed={{
              ScriptText: edited.EventScript,
              ActionID: edited.EventActionID,
              ActionParameters: edited.EventActionParameters,
            }}
            parent={parent}
            onChange={({ ScriptText, ActionID, ActionParameters }) =>
              change({
                EventScript: ScriptText,
                EventActionID: ActionID,
                EventActionParameters: { ...ActionParameters },
              })
            }
          />
        </Section>
      )}
      <Section title={edit.placeAndName}>
        <div class="field">
          <label for={id}>{nameLabel}</label>
          <input
            id={id}
            value={newName}
            required
            onInput={({ currentTarget }) => enter({ name: currentTarget.value })}
          />
        </div>
        <div class="field">
          <span>{place}</span>
          <ObjectChoice
            label={place}
            id={newParent}
            none={root}
            accepts={({ type }) => type !== objectType.link && type !== objectType.event}
            onChange={(chosen) => enter({ parent: chosen })}
          />
          <small>{placeHint}</small>
        </div>
        <NumberField
          label={edit.limit}
          value={edited.EventLimit}
          limits={[0, RUNS_LIMIT]}
          onChange={(EventLimit) => change({ EventLimit })}
        />
      </Section>
      {conflict.value !== undefined && (
        <Conflict onChoose={(keepsMine) => conflict.value && resolve(conflict.value, keepsMine)} />
      )}
      <div class="row-head sticky">
        <button class="primary" disabled={!isChanged}>
          {save}
        </button>
        <button class="plain" type="button" disabled={!isChanged} onClick={discardAll}>
          {discard}
        </button>
        {isChanged && <small>{changed}</small>}
      </div>
    </form>
  );
}
