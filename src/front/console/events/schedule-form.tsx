import type { EventRecord } from '../../../client/generated/records.js';
import type { TreeNode } from '../../web/model.js';
import { Icon } from '../../web/parts/icon.js';
import { useId } from 'preact/hooks';
import { eventTexts } from '../i18n/events.js';
import { CheckField } from '../parts/check-field.js';
import { ActionForm } from './action-form.js';
import { DaysField, TimeField } from './fields.js';
import { nextId } from './save-event.js';
import { daysOfWeek, timeText } from './sentences.js';
import type { EventFormProps } from './times-form.js';

type Action = EventRecord['ScheduleActions'][number];
type Group = EventRecord['ScheduleGroups'][number];
type Point = Group['Points'][number];

const WEEK = 127;
const NO_COLOUR = -1;

interface ScheduleFormProps extends EventFormProps {
  readonly parent: TreeNode | undefined;
}

/** A weekly plan: its actions, and the times of some days at which they begin. */
export function ScheduleForm({ event, parent, onChange }: ScheduleFormProps) {
  const { edit } = eventTexts();
  const { ScheduleActions: actions, ScheduleGroups: groups } = event;
  const setAction = (action: Action) =>
    onChange({ ScheduleActions: actions.map((one) => (one.ID === action.ID ? action : one)) });
  const setGroup = (group: Group) =>
    onChange({ ScheduleGroups: groups.map((one) => (one.ID === group.ID ? group : one)) });
  const addAction = () => {
    const ID = nextId(actions);
    const empty = { ScriptText: '', ActionID: '', ActionParameters: {} };
    onChange({
      ScheduleActions: [...actions, { ID, Name: edit.planAction(ID), Color: NO_COLOUR, ...empty }],
    });
  };
  const removeAction = (id: number) =>
    onChange({
      ScheduleActions: actions.filter(({ ID }) => ID !== id),
      ScheduleGroups: groups.map((group) => ({
        ...group,
        Points: group.Points.filter(({ ActionID }) => ActionID !== id),
      })),
    });
  const left = groups.reduce((days, { Days }) => days & ~Days, WEEK);
  const addGroup = () => {
    if (left !== 0) onChange({ ScheduleGroups: [...groups, { ID: nextId(groups), Days: left, Points: [] }] });
  };
  return (
    <>
      <fieldset class="parts">
        <legend>{edit.planActions}</legend>
        {actions.map((action) => (
          <PlanAction
            key={action.ID}
            action={action}
            parent={parent}
            onChange={setAction}
            onRemove={() => removeAction(action.ID)}
          />
        ))}
        <button class="plain" type="button" onClick={addAction}>
          {edit.addAction}
        </button>
      </fieldset>
      <fieldset class="parts">
        <legend>{edit.groups}</legend>
        {groups.map((group) => (
          <GroupForm
            key={group.ID}
            group={group}
            actions={actions}
            onChange={setGroup}
            onRemove={() => onChange({ ScheduleGroups: groups.filter(({ ID }) => ID !== group.ID) })}
          />
        ))}
        <button class="plain" type="button" aria-disabled={left === 0} onClick={addGroup}>
          {edit.addGroup}
        </button>
      </fieldset>
    </>
  );
}

interface PlanActionProps {
  readonly action: Action;
  readonly parent: TreeNode | undefined;
  readonly onChange: (action: Action) => void;
  readonly onRemove: () => void;
}

function PlanAction({ action, parent, onChange, onRemove }: PlanActionProps) {
  const id = useId();
  const { edit } = eventTexts();
  const { Name, Color } = action;
  return (
    <fieldset class="part fields">
      <legend class="unseen">{Name}</legend>
      <div class="field">
        <label for={id}>{eventTexts().name}</label>
        <input
          id={id}
          required
          value={Name}
          onInput={({ currentTarget }) => onChange({ ...action, Name: currentTarget.value })}
        />
      </div>
      <div class="field">
        <CheckField
          label={edit.hasColour}
          checked={Color >= 0}
          onChange={(checked) => onChange({ ...action, Color: checked ? 0xffa000 : NO_COLOUR })}
        />
        {Color >= 0 && (
          <input
            type="color"
            aria-label={`${edit.colour} ${Name}`}
            value={`#${Color.toString(16).padStart(6, '0')}`}
            onInput={({ currentTarget }) =>
              onChange({ ...action, Color: Number.parseInt(currentTarget.value.slice(1), 16) })
            }
          />
        )}
      </div>
      <ActionForm
        executed={action}
        parent={parent}
        onChange={(executed) =>
          onChange({ ...action, ...executed, ActionParameters: { ...executed.ActionParameters } })
        }
      />
      <button class="plain" type="button" onClick={onRemove}>
        {edit.removeAction(Name)}
      </button>
    </fieldset>
  );
}

interface GroupFormProps {
  readonly group: Group;
  readonly actions: readonly Action[];
  readonly onChange: (group: Group) => void;
  readonly onRemove: () => void;
}

function GroupForm({ group, actions, onChange, onRemove }: GroupFormProps) {
  const id = useId();
  const { edit } = eventTexts();
  const { Days, Points } = group;
  const setPoint = (point: Point) =>
    onChange({ ...group, Points: Points.map((one) => (one.ID === point.ID ? point : one)) });
  const addPoint = () => {
    const Start = { Hour: 6, Minute: 0, Second: 0 };
    const ActionID = actions[0]?.ID ?? 0;
    onChange({ ...group, Points: [...Points, { ID: nextId(Points), Start, ActionID }] });
  };
  return (
    <fieldset class="part">
      <legend class="unseen">{edit.group(daysOfWeek(Days))}</legend>
      <DaysField label={edit.weekdays} mask={Days} onChange={(mask) => onChange({ ...group, Days: mask })} />
      {Points.map((point) => (
        <div key={point.ID} class="rule">
          <TimeField
            label={edit.pointTime}
            value={point.Start}
            onChange={(Start) => setPoint({ ...point, Start })}
          />
          <div class="field">
            <label for={`${id}-${point.ID}`}>{edit.pointAction}</label>
            <select
              id={`${id}-${point.ID}`}
              value={point.ActionID}
              onChange={({ currentTarget }) => setPoint({ ...point, ActionID: Number(currentTarget.value) })}
            >
              {actions.map(({ ID, Name }) => (
                <option key={ID} value={ID}>
                  {Name}
                </option>
              ))}
            </select>
          </div>
          <button
            class="control"
            type="button"
            aria-label={edit.removePoint(timeText(point.Start))}
            onClick={() => onChange({ ...group, Points: Points.filter(({ ID }) => ID !== point.ID) })}
          >
            <Icon name="close" />
          </button>
        </div>
      ))}
      <div class="row-head">
        <button class="plain" type="button" disabled={actions.length === 0} onClick={addPoint}>
          {edit.addPoint}
        </button>
        <button class="plain" type="button" onClick={onRemove}>
          {edit.removeGroup}
        </button>
      </div>
    </fieldset>
  );
}
