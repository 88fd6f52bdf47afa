import type { TreeNode } from '../../web/model.js';
import { type Value, objectType, variableType } from '../../web/objects.js';
import { useApp } from '../app.js';
import { rowsOf } from '../forms/rows-of.js';
import type { TextEvent } from '../forms/use-draft.js';
import { words } from '../i18n/console-texts.js';
import { isGatewayItself, nameOf } from '../search.js';

/** More choices than these become a list. */
const SEGMENTS = 4;
/** `customAction` of a variable whose action is switched off. */
const NO_ACTION = 1;

/** How the owner changes the value of a variable: the action of its module or script, otherwise directly. */
type Access = 'action' | 'value' | 'none';

function accessOf(variable: TreeNode, parent: TreeNode | undefined): Access {
  const { action = 0, customAction = 0, role } = variable.entry.value.data;
  if (customAction > NO_ACTION || (action > 0 && customAction !== NO_ACTION)) return 'action';
  if (parent?.type === objectType.instance) return 'none';
  const isOfGateway = role === 'diagnostic' && parent !== undefined && isGatewayItself(parent);
  return isOfGateway ? 'none' : 'value';
}

/** The control of a variable, as its profile and type require; nothing where a module alone reports values. */
export function ValueControl({ variable }: { readonly variable: TreeNode }) {
  const app = useApp();
  const { model } = app.gateway;
  const access = accessOf(variable, model.find(variable.entry.value.parentID));
  if (access === 'none') return null;
  const send = (value: Value) =>
    app.act(() =>
      access === 'action'
        ? app.call('RequestAction', variable.id, value)
        : app.call('SetValue', variable.id, value),
    );
  const { type = variableType.string } = variable.entry.value.data;
  const associations = model.profileOf(variable)?.associations ?? [];
  const choices: readonly Value[] =
    type === variableType.boolean ? [false, true] : associations.map(({ value }) => value);
  if (choices.length > SEGMENTS)
    return <ChoiceList variable={variable} choices={choices} onChoose={(value) => void send(value)} />;
  if (choices.length > 0)
    return <Segments variable={variable} choices={choices} onChoose={(value) => void send(value)} />;
  return <ValueForm variable={variable} type={type} onSubmit={send} />;
}

interface ChoicesProps {
  readonly variable: TreeNode;
  readonly choices: readonly Value[];
  readonly onChoose: (value: Value) => void;
}

function Segments({ variable, choices, onChoose }: ChoicesProps) {
  const app = useApp();
  return (
    <div class="segments" role="group" aria-label={nameOf(app.gateway.model, variable)}>
      {choices.map((choice) => (
        <button
          key={String(choice)}
          type="button"
          aria-pressed={variable.value.value === choice}
          onClick={() => onChoose(choice)}
        >
          {app.format(variable, choice)}
        </button>
      ))}
    </div>
  );
}

function ChoiceList({ variable, choices, onChoose }: ChoicesProps) {
  const app = useApp();
  return (
    <select
      aria-label={nameOf(app.gateway.model, variable)}
      value={choices.indexOf(variable.value.value)}
      onChange={({ currentTarget }) => {
        const choice = choices[Number(currentTarget.value)];
        // The list shows what was reported, not what is requested.
        currentTarget.value = String(choices.indexOf(variable.value.peek()));
        if (choice !== undefined) onChoose(choice);
      }}
    >
      {choices.map((choice, index) => (
        <option key={index} value={index}>
          {app.format(variable, choice)}
        </option>
      ))}
    </select>
  );
}

interface ValueFormProps {
  readonly variable: TreeNode;
  readonly type: number;
  /** Whether the gateway accepted the value. */
  readonly onSubmit: (value: Value) => Promise<boolean>;
}

/** A text or a number, sent when it is submitted. What was rejected stays in the field. */
function ValueForm({ variable, type, onSubmit }: ValueFormProps) {
  const app = useApp();
  const { model } = app.gateway;
  // What was typed must survive the end of the session.
  const draft = app.form<string>(`value/${variable.id}`);
  const { minValue = 0, maxValue = 0, stepSize = 0 } = model.profileOf(variable) ?? {};
  const isText = type === variableType.string;
  const limits = minValue < maxValue ? { min: minValue, max: maxValue } : {};
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    const text = draft.peek() ?? String(variable.value.peek());
    if ((await onSubmit(isText ? text : Number(text))) && draft.peek() === text) draft.value = undefined;
  };
  const reported = String(variable.value.value);
  const text = draft.value ?? reported;
  const field = {
    'aria-label': nameOf(model, variable),
    value: text,
    onInput: ({ currentTarget: { value } }: TextEvent) => (draft.value = value),
    onKeyDown: ({ key }: KeyboardEvent) => {
      if (key === 'Escape') draft.value = undefined;
    },
    onBlur: () => {
      const typed = draft.peek();
      if (typed === String(variable.value.peek()) || (!isText && typed === '')) draft.value = undefined;
    },
  };
  return (
    <form class="value-form" onSubmit={(event) => void submit(event)}>
      {!isText ? (
        <input
          {...field}
          type="number"
          {...limits}
          step={type === variableType.integer ? Math.max(1, stepSize) : stepSize || 'any'}
          required
        />
      ) : `${reported}${text}`.includes('\n') ? (
        <textarea {...field} rows={rowsOf(text)} />
      ) : (
        <input {...field} type="text" />
      )}
      {/* The field keeps the focus: what it has is sent, or shown to be no number. */}
      <button class="plain" onMouseDown={(event) => event.preventDefault()}>
        {words().tree.set}
      </button>
    </form>
  );
}
