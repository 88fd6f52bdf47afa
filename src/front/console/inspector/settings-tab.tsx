import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import type { PropertyProblem } from '../../../client/generated/records.js';
import { RpcError } from '../../../client/errors.js';
import type { TreeNode } from '../../web/model.js';
import { errorText, useApp } from '../app.js';
import { rpcErrorText } from '../i18n/gateway-texts.js';
import { type Choices, loadChoices } from '../forms/choices.js';
import { type FormElement, isOutside, type Properties, withoutSecrets } from '../forms/form-element.js';
import { PropertyFields } from '../forms/property-fields.js';
import { useKeptInput } from '../forms/use-kept-input.js';
import { changesOf, usePropertyCheck } from '../forms/use-property-check.js';
import { words } from '../i18n/console-texts.js';
import { useLoaded } from '../load.js';
import { LoadedView } from '../parts/loaded-view.js';
import { ConnectionField } from './connection-field.js';

interface Form {
  readonly elements: readonly FormElement[];
  readonly properties: Properties;
  readonly choices: Choices;
}

/** The properties of an instance as a form. */
export function SettingsTab({ node }: { readonly node: TreeNode }) {
  const app = useApp();
  const { state, reload } = useLoaded(async (): Promise<Form> => {
    const [form, configuration] = await Promise.all([
      app.call('SVC_GetConfigurationForm', node.id),
      app.call('SVC_GetConfiguration', node.id),
    ]);
    const { elements } = JSON.parse(form) as { readonly elements: readonly FormElement[] };
    const choices = await loadChoices(app, elements);
    return { elements, properties: JSON.parse(configuration) as Properties, choices };
  }, [node.id]);
  return (
    <>
      <ConnectionField node={node} />
      <LoadedView state={state}>
        {(form) => <PropertyForm key={node.id} form={form} node={node} onApplied={reload} />}
      </LoadedView>
    </>
  );
}

interface PropertyFormProps {
  readonly form: Form;
  readonly node: TreeNode;
  readonly onApplied: () => void;
}

function PropertyForm({ form: { elements, properties, choices }, node, onApplied }: PropertyFormProps) {
  const app = useApp();
  const form = useRef<HTMLFormElement>(null);
  const entered = useKeptInput<Properties>(`settings/${node.id}`, (changed) => {
    const kept = withoutSecrets(elements, changed);
    return Object.keys(kept).length === 0 ? undefined : kept;
  });
  const values = { ...properties, ...entered.value };
  const rejected = useSignal<readonly PropertyProblem[]>([]);
  const isBusy = useSignal(false);
  const changes = changesOf(properties, values);
  const { moduleID = '', moduleName = '' } = node.entry.value.data;
  const found = usePropertyCheck({ module: moduleID, instance: node.id, changes });
  const { settings } = words();
  if (elements.length === 0) return <p class="soft">{settings.none}</p>;
  const isChanged = Object.keys(changes).length > 0;
  const isWrong = elements.some((element) => isOutside(element, values[element.name]));
  const apply = async (event: SubmitEvent) => {
    event.preventDefault();
    if (isBusy.peek()) return;
    isBusy.value = true;
    rejected.value = [];
    try {
      await app.call('SVC_SetConfiguration', node.id, JSON.stringify(changes));
      await app.call('SVC_ApplyChanges', node.id);
      // What was typed meanwhile is kept.
      const typed = changesOf({ ...properties, ...changes }, { ...properties, ...entered.peek() });
      entered.set(Object.keys(typed).length === 0 ? undefined : typed);
      app.notice.value = { text: settings.applied, isError: false };
      onApplied();
    } catch (thrown) {
      const problem = problemIn(thrown, elements);
      if (problem === undefined) app.notice.value = { text: errorText(thrown), isError: true };
      else rejected.value = [problem];
      requestAnimationFrame(() => form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus());
    }
    isBusy.value = false;
  };
  return (
    <form ref={form} class="form properties" noValidate onSubmit={(event) => void apply(event)}>
      <PropertyFields
        module={moduleName}
        elements={elements}
        values={values}
        choices={choices}
        problems={[...rejected.value, ...found]}
        onChange={(next) => {
          const changed = changesOf(properties, next);
          entered.set(Object.keys(changed).length === 0 ? undefined : changed);
          rejected.value = [];
        }}
      />
      <div class="row-head sticky">
        <button class="primary" disabled={!isChanged || isWrong || isBusy.value}>
          {settings.apply}
        </button>
        <button class="plain" type="button" disabled={!isChanged} onClick={() => entered.set(undefined)}>
          {settings.reset}
        </button>
        {isChanged && <small>{settings.changed}</small>}
      </div>
    </form>
  );
}

/** The property that the gateway rejected: `Property MinOnS: …`, or `Property Points.2.Address: …`. */
function problemIn(thrown: unknown, elements: readonly FormElement[]): PropertyProblem | undefined {
  if (!(thrown instanceof RpcError)) return undefined;
  const [, property, path, text] = /^(?:Property )?(\w+)((?:\.\w+)*): (.*)$/s.exec(thrown.message) ?? [];
  if (property === undefined || !elements.some(({ name }) => name === property)) return undefined;
  const Text = path === '' ? (text ?? '') : `${path?.slice(1)}: ${text}`;
  // The sentence begins with the name of the property, which the field has.
  const german = rpcErrorText(thrown).replace(/^.*?: /, '');
  const isTranslated = rpcErrorText(thrown) !== thrown.message;
  const shown = isTranslated ? german : Text;
  return {
    Property: property,
    Severity: 'error',
    Text: shown,
    CodedText: { Code: '', Parameters: [], Text: shown },
  };
}
