import { type Signal, useSignal } from '@preact/signals';
import type { TreeNode } from '../../web/model.js';
import { useApp } from '../app.js';
import { Field, type FormElement } from '../forms/field.js';
import { words } from '../i18n/console-texts.js';
import { useLoaded } from '../load.js';
import { LoadedView } from '../loaded-view.js';

type Properties = Readonly<Record<string, unknown>>;

interface Form {
  readonly elements: readonly FormElement[];
  readonly properties: Properties;
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
    return { elements, properties: JSON.parse(configuration) as Properties };
  }, [node.id]);
  return (
    <LoadedView state={state}>
      {(form) => (
        <PropertyForm key={JSON.stringify(form.properties)} form={form} id={node.id} onApplied={reload} />
      )}
    </LoadedView>
  );
}

interface PropertyFormProps {
  readonly form: Form;
  readonly id: number;
  readonly onApplied: () => void;
}

function PropertyForm({ form: { elements, properties }, id, onApplied }: PropertyFormProps) {
  const app = useApp();
  const values: Signal<Properties> = useSignal(properties);
  const { settings } = words();
  if (elements.length === 0) return <p class="soft">{settings.none}</p>;
  const isChanged = JSON.stringify(values.value) !== JSON.stringify(properties);
  const apply = async (event: SubmitEvent) => {
    event.preventDefault();
    const isApplied = await app.act(async () => {
      await app.call('SVC_SetConfiguration', id, JSON.stringify(values.peek()));
      await app.call('SVC_ApplyChanges', id);
    }, settings.applied);
    if (isApplied) onApplied();
  };
  return (
    <form class="form" onSubmit={(event) => void apply(event)}>
      {elements.map((element) => (
        <Field
          key={element.name}
          element={element}
          value={values.value[element.name]}
          onChange={(value) => (values.value = { ...values.peek(), [element.name]: value })}
        />
      ))}
      <div class="row-head">
        <button class="primary" disabled={!isChanged}>
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
