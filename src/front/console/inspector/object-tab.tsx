import { useSignal } from '@preact/signals';
import { useId, useRef } from 'preact/hooks';
import { publishRules } from '../../../base/codes/stable-codes.js';
import { builtInIcons } from '../../../media/built-in-icons.js';
import type { TreeNode } from '../../web/model.js';
import { objectType } from '../../web/objects.js';
import { Icon } from '../../web/parts/icon.js';
import { errorText, useApp } from '../app.js';
import { rowsOf } from '../forms/rows-of.js';
import type { TextEvent } from '../forms/use-draft.js';
import { words } from '../i18n/console-texts.js';
import { ObjectChoice } from '../parts/object-choice.js';
import { Problem } from '../parts/problem.js';

/** What every object has: ident, position, icon, notes, and whether fronts show it. */
export function ObjectTab({ node }: { readonly node: TreeNode }) {
  const app = useApp();
  const { ident, position, info, hidden, disabled } = node.entry.value;
  const { object } = words();
  if (node.id === 0) return <p class="soft">{object.root}</p>;
  return (
    <div class="form">
      <Attribute
        node={node}
        label={object.ident}
        hint={object.identHint}
        value={ident}
        onSave={(text) => app.call('SVC_SetIdent', node.id, text)}
      />
      <Attribute
        node={node}
        label={object.position}
        hint={object.positionHint}
        isNumber
        value={String(position)}
        onSave={(text) => app.call('SVC_SetPosition', node.id, Number(text))}
      />
      <Attribute
        node={node}
        label={object.info}
        hasLines
        value={info}
        onSave={(text) => app.call('SVC_SetInfo', node.id, text)}
      />
      {node.type === objectType.link && <LinkTarget node={node} />}
      {node.type === objectType.variable && <VariableAttributes node={node} />}
      <Check
        label={object.hidden}
        isOn={hidden}
        onChange={(isOn) => void app.act(() => app.call('SVC_SetHidden', node.id, isOn))}
      />
      <Check
        label={object.disabled}
        isOn={disabled}
        onChange={(isOn) => void app.act(() => app.call('SVC_SetDisabled', node.id, isOn))}
      />
      <PublishChoice node={node} />
      <IconChoice node={node} />
    </div>
  );
}

interface AttributeProps {
  readonly node: TreeNode;
  readonly label: string;
  readonly hint?: string;
  readonly isNumber?: boolean;
  /** Enter begins a line; with Ctrl, it saves. */
  readonly hasLines?: boolean;
  readonly value: string;
  readonly onSave: (text: string) => Promise<unknown>;
}

/**
 * A text that is saved when the field is left or Enter is pressed, and discarded by Escape. A rejected one stays,
 * with the reason. An empty number is discarded, too.
 */
function Attribute({ node, label, hint, isNumber = false, hasLines = false, value, onSave }: AttributeProps) {
  const app = useApp();
  const id = useId();
  const problem = useSignal('');
  // What was typed must survive the end of the session.
  const entered = app.form<string>(`attribute/${node.id}/${label}`);
  /** What is being saved: leaving the field after Enter does not save it again. */
  const saving = useRef<string | undefined>(undefined);
  const discard = () => {
    entered.value = undefined;
    problem.value = '';
  };
  const save = async () => {
    const text = entered.peek();
    if (text === undefined || text === saving.current) return;
    if (isNumber && text === '') return discard();
    saving.current = text;
    try {
      await onSave(text);
      // What was typed meanwhile is kept.
      if (entered.peek() === text) entered.value = undefined;
      problem.value = '';
      // An offer to undo something stays.
      if (app.notice.peek()?.undo === undefined) app.notice.value = undefined;
    } catch (thrown) {
      problem.value = errorText(thrown);
    }
    if (saving.current === text) saving.current = undefined;
  };
  const text = entered.value ?? value;
  const field = {
    id,
    'aria-invalid': problem.value !== '',
    'aria-describedby': `${id}-hint`,
    value: text,
    onInput: ({ currentTarget }: TextEvent) =>
      (entered.value = currentTarget.value === value ? undefined : currentTarget.value),
    onBlur: () => void save(),
    onKeyDown: ({ key, ctrlKey, metaKey }: KeyboardEvent) => {
      if (key === 'Enter' && (!hasLines || ctrlKey || metaKey)) void save();
      if (key === 'Escape') discard();
    },
  };
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {hasLines ? (
        <textarea {...field} rows={rowsOf(text)} />
      ) : (
        <input {...field} {...(isNumber ? { type: 'number' as const } : { type: 'text' as const })} />
      )}
      <div id={`${id}-hint`}>
        <Problem text={problem.value} />
        {hint !== undefined && <small>{hint}</small>}
      </div>
    </div>
  );
}

interface CheckProps {
  readonly label: string;
  readonly isOn: boolean;
  readonly onChange: (isOn: boolean) => void;
}

function Check({ label, isOn, onChange }: CheckProps) {
  return (
    <label class="check">
      <input
        type="checkbox"
        checked={isOn}
        onChange={({ currentTarget }) => {
          const requested = currentTarget.checked;
          currentTarget.checked = isOn;
          onChange(requested);
        }}
      />
      {label}
    </label>
  );
}

function LinkTarget({ node }: { readonly node: TreeNode }) {
  const app = useApp();
  const { object, create } = words();
  return (
    <div class="field">
      <span>{create.target}</span>
      <ObjectChoice
        label={create.target}
        id={node.entry.value.data.targetID ?? 0}
        none={object.none}
        accepts={(one) => one.id !== 0 && one !== node}
        onChange={(id) => void app.act(() => app.call('SVC_SetLinkTargetID', node.id, id))}
      />
    </div>
  );
}

/** `customAction` of a variable whose action is switched off. */
const NO_ACTION = 1;

function VariableAttributes({ node }: { readonly node: TreeNode }) {
  const app = useApp();
  const id = useId();
  const { type, profile = '', customProfile = '', customAction = 0 } = node.entry.value.data;
  const { object } = words();
  const profiles = Object.entries(app.gateway.model.profiles.value)
    .filter(([, one]) => one.type === type)
    .map(([name]) => name)
    .sort();
  const setAction = (script: number) =>
    void app.act(() => app.call('SVC_SetVariableCustomAction', node.id, script));
  return (
    <>
      <div class="field">
        <label for={`${id}-profile`}>{object.profile}</label>
        <select
          id={`${id}-profile`}
          value={customProfile}
          onChange={({ currentTarget }) => {
            const name = currentTarget.value;
            // The list shows what was reported, not what is requested.
            currentTarget.value = customProfile;
            void app.act(() => app.call('SVC_SetVariableCustomProfile', node.id, name));
          }}
        >
          <option value="">{profile === '' ? object.noProfile : object.ownProfile(profile)}</option>
          {profiles.map((name) => (
            <option key={name} value={name}>
              {name}
            </option>
          ))}
        </select>
      </div>
      <div class="field">
        <span>{object.action}</span>
        <div class="row-head">
          <ObjectChoice
            label={object.action}
            id={customAction > NO_ACTION ? customAction : 0}
            none={customAction === NO_ACTION ? object.noAction : object.ownAction}
            accepts={(one) => one.type === objectType.script || one.type === objectType.instance}
            onChange={setAction}
          />
          {customAction !== 0 && (
            <button class="plain" type="button" onClick={() => setAction(0)}>
              {object.restoreAction}
            </button>
          )}
          {customAction !== NO_ACTION && (
            <button class="plain" type="button" onClick={() => setAction(NO_ACTION)}>
              {object.removeAction}
            </button>
          )}
        </div>
      </div>
    </>
  );
}

/** Whether the object and everything below it appears in Home Assistant. */
function PublishChoice({ node }: { readonly node: TreeNode }) {
  const app = useApp();
  const id = useId();
  const { object } = words();
  return (
    <div class="field">
      <label for={id}>{object.publish}</label>
      <select
        id={id}
        value={node.entry.value.publish ?? ''}
        onChange={({ currentTarget }) => {
          const rule = currentTarget.value;
          // The list shows what was reported, not what is requested.
          currentTarget.value = node.entry.peek().publish ?? '';
          void app.act(() => app.call('GW_SetPublishRule', node.id, rule));
        }}
      >
        {publishRules.map((rule, at) => (
          <option key={rule} value={rule}>
            {object.publishRules[at]}
          </option>
        ))}
      </select>
    </div>
  );
}

/** The gateway's icons; another name is an icon of the owner's. */
function IconChoice({ node }: { readonly node: TreeNode }) {
  const app = useApp();
  const { icon } = node.entry.value;
  const { object } = words();
  const choose = (name: string) => app.act(() => app.call('SVC_SetIcon', node.id, name));
  return (
    <fieldset class="icons">
      <legend>{object.icon}</legend>
      <button class="plain" type="button" aria-pressed={icon === ''} onClick={() => void choose('')}>
        {object.none}
      </button>
      {Object.keys(builtInIcons).map((name) => (
        <button
          key={name}
          class="control"
          type="button"
          lang="en"
          title={name}
          aria-label={name}
          aria-pressed={icon === name}
          onClick={() => void choose(name)}
        >
          <Icon name={name} />
        </button>
      ))}
      <Attribute
        node={node}
        label={object.iconName}
        value={icon}
        onSave={(text) => app.call('SVC_SetIcon', node.id, text)}
      />
    </fieldset>
  );
}
