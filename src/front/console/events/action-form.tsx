import { useId, useRef } from 'preact/hooks';
import type { TreeNode } from '../../web/model.js';
import { objectType, type Value, variableType } from '../../web/objects.js';
import { lazy } from '../../web/parts/lazy.js';
import { useApp } from '../app.js';
import { eventTexts } from '../i18n/events.js';
import { useLoaded } from '../load.js';
import { ObjectChoice } from '../parts/object-choice.js';
import { ValueField, valueFor } from './fields.js';
import { actionKey } from './sentences.js';

const CodeEditor = lazy(async () => (await import('../editor/code-editor.js')).CodeEditor);

/** What an event, or an action of its schedule, carries out: an action, a text as a script, or neither. */
interface Executed {
  readonly ScriptText: string;
  readonly ActionID: string;
  readonly ActionParameters: Readonly<Record<string, unknown>>;
}

/** A parameter of an action (`SVC_GetActions`). */
interface ActionRecord {
  readonly actionID: string;
  readonly caption: string;
  readonly parameters: readonly { readonly name: string }[];
}

interface ActionFormProps {
  readonly executed: Executed;
  /** The object that the event is below: the default of the action's object. */
  readonly parent: TreeNode | undefined;
  readonly onChange: (executed: Executed) => void;
}

/** The value of the select for a script's text; actions have their ID, nothing is ''. */
const SCRIPT = 'script';

/** The choice of an action with its parameters. */
export function ActionForm({ executed, parent, onChange }: ActionFormProps) {
  const app = useApp();
  const id = useId();
  const { edit, actionNames } = eventTexts();
  const { state } = useLoaded(
    async () => JSON.parse(await app.call('SVC_GetActions')) as readonly ActionRecord[],
    [],
  );
  const actions = state.value !== undefined && 'value' in state.value ? state.value.value : [];
  const { ActionID, ActionParameters, ScriptText } = executed;
  const known = actions.find(({ actionID }) => actionID === ActionID.toUpperCase());
  const target = app.gateway.model.find(Number(ActionParameters['TARGET'] ?? parent?.id ?? 0));
  const chosen = known?.actionID ?? (ActionID !== '' ? ActionID : ScriptText !== '' ? SCRIPT : '');
  const choose = (next: string) => {
    if (next === '' || next === SCRIPT)
      return onChange({ ScriptText: next === '' ? '' : '// ', ActionID: '', ActionParameters: {} });
    const { TARGET: kept } = ActionParameters;
    const parameters = actions.find(({ actionID }) => actionID === next)?.parameters ?? [];
    onChange({
      ScriptText: '',
      ActionID: next,
      ActionParameters: {
        ...(kept !== undefined && { TARGET: kept }),
        ...(parameters.some(({ name }) => name === 'VALUE') && { VALUE: valueFor(target, true) }),
        ...(parameters.some(({ name }) => name === SCRIPT.toUpperCase()) && { SCRIPT: '' }),
      },
    });
  };
  const set = (name: string, value: unknown) =>
    onChange({ ...executed, ActionParameters: { ...ActionParameters, [name]: value } });
  const has = (name: string) => known?.parameters.some((one) => one.name === name) === true;
  // A text is a kind of its own: it needs no action.
  const offered = actions.filter(({ actionID }) => actionKey(actionID) !== 'text' || actionID === chosen);
  return (
    <>
      <div class="field">
        <label for={id}>{edit.actionKind}</label>
        <select id={id} value={chosen} onChange={({ currentTarget }) => choose(currentTarget.value)}>
          <option value="">
            {parent?.type === objectType.script ? edit.ownScript(parent.name) : edit.noAction}
          </option>
          <option value={SCRIPT}>{eventTexts().action.text}</option>
          {offered.map(({ actionID, caption }) => (
            <option key={actionID} value={actionID}>
              {actionNames[actionID] ?? caption}
            </option>
          ))}
        </select>
      </div>
      {chosen === SCRIPT && (
        <ScriptField value={ScriptText} onChange={(text) => onChange({ ...executed, ScriptText: text })} />
      )}
      {has('SCRIPT') && (
        <ScriptField value={String(ActionParameters['SCRIPT'])} onChange={(text) => set('SCRIPT', text)} />
      )}
      {has('TARGET') && !has('SCRIPT') && (
        <div class="field">
          <span>{edit.target}</span>
          <ObjectChoice
            label={edit.target}
            id={Number(ActionParameters['TARGET'] ?? 0)}
            none={parent === undefined ? edit.itsPlace : parent.name}
            accepts={acceptsFor(ActionID)}
            onChange={(next) => {
              const value = ActionParameters['VALUE'] as Value | undefined;
              const variable = app.gateway.model.find(next);
              onChange({
                ...executed,
                ActionParameters: {
                  ...ActionParameters,
                  TARGET: next,
                  ...(value !== undefined && { VALUE: valueFor(variable, value) }),
                },
              });
            }}
          />
        </div>
      )}
      {has('VALUE') && (
        <ValueField
          label={edit.value}
          variable={target?.type === objectType.variable ? target : undefined}
          value={ActionParameters['VALUE'] as Value}
          onChange={(value) => set('VALUE', value)}
        />
      )}
    </>
  );
}

/** The objects that an action can be carried out on. */
function acceptsFor(actionId: string): (node: TreeNode) => boolean {
  const key = actionKey(actionId);
  if (key === 'script') return ({ type }) => type === objectType.script;
  if (key === 'toggle')
    return ({ type, entry }) =>
      type === objectType.variable && entry.peek().data.type === variableType.boolean;
  return ({ type }) => type === objectType.variable;
}

interface ScriptFieldProps {
  readonly value: string;
  readonly onChange: (value: string) => void;
}

function ScriptField({ value, onChange }: ScriptFieldProps) {
  const app = useApp();
  /** What the editor has: another text was not typed in it, but discarded, or saved by somebody else. */
  const shown = useRef({ text: value, revision: 0 });
  if (shown.current.text !== value) shown.current = { text: value, revision: shown.current.revision + 1 };
  const { edit } = eventTexts();
  const { state } = useLoaded(() => app.call('rpc.discover'), []);
  return (
    <div class="field wide">
      <span>{edit.script}</span>
      <CodeEditor
        language="javascript"
        label={edit.script}
        value={value}
        revision={shown.current.revision}
        problems={[]}
        reference={state.value !== undefined && 'value' in state.value ? state.value.value : undefined}
        onChange={(text) => {
          shown.current.text = text;
          onChange(text);
        }}
        onSave={() => undefined}
      />
    </div>
  );
}
