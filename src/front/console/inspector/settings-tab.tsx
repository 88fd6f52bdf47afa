import { type Signal, useSignal } from '@preact/signals';
import { RpcError } from '../../../client/errors.js';
import type { TreeNode } from '../../web/model.js';
import { errorText, useApp } from '../app.js';
import { type Choices, loadChoices } from '../forms/choices.js';
import { Field } from '../forms/field.js';
import { type FormElement, groupsOf, isOutside } from '../forms/form-element.js';
import { words } from '../i18n/console-texts.js';
import { useLoaded } from '../load.js';
import { LoadedView } from '../parts/loaded-view.js';
import { ConnectionField } from './connection-field.js';

type Properties = Readonly<Record<string, unknown>>;

interface Form {
  readonly elements: readonly FormElement[];
  readonly properties: Properties;
  readonly choices: Choices;
}

/** The properties of an instance as a form. */
export function SettingsTab({ node }: { readonly node: TreeNode }) {
  const app = useApp();
  const { state, reload } = useLoaded(async (): Promise<Form> => {
    const [form, configuration, choices] = await Promise.all([
      app.call('SVC_GetConfigurationForm', node.id),
      app.call('SVC_GetConfiguration', node.id),
      loadChoices(app),
    ]);
    const { elements } = JSON.parse(form) as { readonly elements: readonly FormElement[] };
    return { elements, properties: JSON.parse(configuration) as Properties, choices };
  }, [node.id]);
  return (
    <>
      <ConnectionField node={node} />
      <LoadedView state={state}>
        {(form) => (
          <PropertyForm key={JSON.stringify(form.properties)} form={form} node={node} onApplied={reload} />
        )}
      </LoadedView>
    </>
  );
}

interface PropertyFormProps {
  readonly form: Form;
  readonly node: TreeNode;
  readonly onApplied: () => void;
}

interface PropertyError {
  readonly property: string;
  readonly text: string;
}

function PropertyForm({ form: { elements, properties, choices }, node, onApplied }: PropertyFormProps) {
  const app = useApp();
  const values: Signal<Properties> = useSignal(properties);
  const error = useSignal<PropertyError | undefined>(undefined);
  const { settings } = words();
  if (elements.length === 0) return <p class="soft">{settings.none}</p>;
  const isChanged = JSON.stringify(values.value) !== JSON.stringify(properties);
  const isWrong = elements.some((element) => isOutside(element, values.value[element.name]));
  const apply = async (event: SubmitEvent) => {
    event.preventDefault();
    const form = event.currentTarget as HTMLFormElement;
    error.value = undefined;
    try {
      await app.call('SVC_SetConfiguration', node.id, changesOf(properties, values.peek()));
      await app.call('SVC_ApplyChanges', node.id);
      app.notice.value = { text: settings.applied, isError: false };
      onApplied();
    } catch (thrown) {
      error.value = propertyError(thrown, elements);
      if (error.value === undefined) app.notice.value = { text: errorText(thrown), isError: true };
      else requestAnimationFrame(() => form.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus());
    }
  };
  return (
    <form class="form properties" noValidate onSubmit={(event) => void apply(event)}>
      {groupsOf(elements).map(([group, members]) => (
        <fieldset key={group} class="fields">
          {group !== '' && <legend>{group}</legend>}
          {members.map((element) => (
            <Field
              key={element.name}
              element={element}
              value={values.value[element.name]}
              choices={choices}
              error={error.value?.property === element.name ? error.value.text : undefined}
              onChange={(value) => {
                values.value = { ...values.peek(), [element.name]: value };
                if (error.peek()?.property === element.name) error.value = undefined;
              }}
            />
          ))}
        </fieldset>
      ))}
      <div class="row-head sticky">
        <button class="primary" disabled={!isChanged || isWrong}>
          {settings.apply}
        </button>
        <button class="plain" type="button" disabled={!isChanged} onClick={() => (values.value = properties)}>
          {settings.reset}
        </button>
        {isChanged && <small>{settings.changed}</small>}
      </div>
    </form>
  );
}

/** Only what was changed: masked secrets stay as they are. */
function changesOf(before: Properties, now: Properties): string {
  const changed = Object.entries(now).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(before[name]),
  );
  return JSON.stringify(Object.fromEntries(changed));
}

/** The property that the gateway rejected: `Property MinOnS: …`, or `Property Points.2.Address: …`. */
function propertyError(thrown: unknown, elements: readonly FormElement[]): PropertyError | undefined {
  if (!(thrown instanceof RpcError)) return undefined;
  const [, property, path, text] = /^(?:Property )?(\w+)((?:\.\w+)*): (.*)$/s.exec(thrown.message) ?? [];
  if (property === undefined || !elements.some(({ name }) => name === property)) return undefined;
  return { property, text: path === '' ? (text ?? '') : `${path?.slice(1)}: ${text}` };
}
