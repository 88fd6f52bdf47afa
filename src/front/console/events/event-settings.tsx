import { useId } from 'preact/hooks';
import type { EventRecord } from '../../../client/generated/records.js';
import type { TreeNode } from '../../web/model.js';
import { objectType } from '../../web/objects.js';
import { useApp } from '../app.js';
import { eventTexts } from '../i18n/events.js';
import { ObjectChoice } from '../parts/object-choice.js';
import { ActionForm } from './action-form.js';
import { ConditionsForm, lacksVariable } from './conditions-form.js';
import { NumberField, Section } from './fields.js';
import { differ, saveEvent } from './save-event.js';
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
  const enter = (part: Entered) => (entered.value = { ...entered.peek(), ...part });
  const change = (part: Partial<EventRecord>) => enter({ event: { ...entered.peek()?.event, ...part } });
  const isChanged = differ(event, edited) || newName !== name || newParent !== parentID;
  const reset = () => (entered.value = undefined);
  const submit = async (submitted: SubmitEvent) => {
    submitted.preventDefault();
    if (edited.EventConditions.some(lacksVariable)) {
      app.notice.value = { text: edit.ruleWithoutVariable, isError: true };
      return;
    }
    // A rejected save leaves it inactive; the next one activates it again.
    if (edited.EventActive) change({ EventActive: true });
    const isSaved = await app.act(async () => {
      if (newName !== name) await app.call('SVC_SetName', node.id, newName);
      if (newParent !== parentID) await app.call('SVC_SetParent', node.id, newParent);
      if (differ(event, edited)) await saveEvent(app, await app.call('SVC_GetEvent', node.id), edited);
    }, saved);
    if (isSaved) reset();
  };
  return (
    <form class="form properties event-form" onSubmit={(submitted) => void submit(submitted)}>
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
      <div class="row-head sticky">
        <button class="primary" disabled={!isChanged}>
          {save}
        </button>
        <button class="plain" type="button" disabled={!isChanged} onClick={reset}>
          {discard}
        </button>
        {isChanged && <small>{changed}</small>}
      </div>
    </form>
  );
}
