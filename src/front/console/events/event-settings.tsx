import { useSignal } from '@preact/signals';
import { useId } from 'preact/hooks';
import type { EventRecord } from '../../../client/generated/records.js';
import type { TreeNode } from '../../web/model.js';
import { objectType } from '../../web/objects.js';
import { keepFocus } from '../../web/parts/take-focus.js';
import { type ConsoleApp, useApp } from '../app.js';
import { eventTexts } from '../i18n/events.js';
import { ObjectChoice } from '../parts/object-choice.js';
import { ActionForm } from './action-form.js';
import { ConditionsForm, lacksVariable } from './conditions-form.js';
import { NumberField, Section } from './fields.js';
import { differ, saveEvent, sharesDays } from './save-event.js';
import { ScheduleForm } from './schedule-form.js';
import { CyclicForm, TriggerForm } from './times-form.js';

const RUNS_LIMIT = 1_000_000;

interface EventSettingsProps {
  readonly node: TreeNode;
  readonly event: EventRecord;
}

/** What was entered and not saved. */
interface Entered {
  readonly event?: Partial<EventRecord>;
  readonly name?: string;
  readonly parent?: number;
}

/** Forgets that the next save activates an event that a rejected one has left inactive. */
export function forgetActivation(app: ConsoleApp, id: number): void {
  const entered = app.form<Entered>(`event/${id}`);
  const { event: { EventActive, ...event } = {}, ...others } = entered.peek() ?? {};
  if (EventActive === undefined) return;
  const isEmpty = Object.keys({ ...event, ...others }).length === 0;
  entered.value = isEmpty ? undefined : { ...others, event };
}

/** Everything that can be changed at an event. It is saved together. */
export function EventSettings({ node, event }: EventSettingsProps) {
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
  const change = (part: Partial<EventRecord>) => enter({ event: { ...entered.peek()?.event, ...part } });
  const isChanged = isOther(entered.value ?? {});
  const reset = () => (entered.value = undefined);
  const revision = useSignal(0);
  const discardAll = () => {
    reset();
    revision.value += 1;
  };
  const submit = async (submitted: SubmitEvent) => {
    submitted.preventDefault();
    const problem = edited.EventConditions.some(lacksVariable)
      ? edit.ruleWithoutVariable
      : sharesDays(edited.ScheduleGroups)
        ? edit.sharedDays
        : undefined;
    if (problem !== undefined) {
      app.notice.value = { text: problem, isError: true };
      return;
    }
    const isSaved = await app.act(async () => {
      if (newName !== name) await app.call('SVC_SetName', node.id, newName);
      if (newParent !== parentID) await app.call('SVC_SetParent', node.id, newParent);
      if (!differ(event, edited)) return;
      const before = await app.call('SVC_GetEvent', node.id);
      // A rejected save leaves it inactive; the next one activates it again.
      if (before.EventActive) change({ EventActive: true });
      // It may have been switched since it was shown.
      const { EventActive = before.EventActive } = entered.peek()?.event ?? {};
      await saveEvent(app, before, { ...edited, EventActive });
    }, saved);
    if (isSaved) reset();
  };
  return (
    <form ref={keepFocus} class="form properties event-form" onSubmit={(submitted) => void submit(submitted)}>
      {event.EventType === 0 && <TriggerForm event={edited} onChange={change} />}
      {event.EventType === 1 && <CyclicForm event={edited} onChange={change} />}
      {event.EventType === 2 && (
        <ScheduleForm event={edited} parent={parent} revision={revision.value} onChange={change} />
      )}
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
            revision={revision.value}
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
