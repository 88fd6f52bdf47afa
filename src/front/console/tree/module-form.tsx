import { useApp } from '../app.js';
import { type Choices, loadChoices } from '../forms/choices.js';
import { type FormElement, type Properties, withoutSecrets } from '../forms/form-element.js';
import { PropertyFields } from '../forms/property-fields.js';
import { changesOf, usePropertyCheck } from '../forms/use-property-check.js';
import { moduleDescription } from '../i18n/gateway-texts.js';
import { useLoaded } from '../load.js';
import { LoadedView } from '../parts/loaded-view.js';

interface ModuleFormProps {
  readonly module: string;
  /** What differs from the module's defaults. */
  readonly changes: Properties;
  /** Passwords are not kept after the dialog. */
  readonly onChange: (changes: Properties, kept: Properties) => void;
}

interface Form {
  readonly name: string;
  readonly description: string;
  readonly elements: readonly FormElement[];
  readonly choices: Choices;
}

/** What a module is for, and the properties of a new instance. */
export function ModuleForm({ module, changes, onChange }: ModuleFormProps) {
  const app = useApp();
  const { state } = useLoaded(async (): Promise<Form> => {
    const [form, { ModuleName, Description }] = await Promise.all([
      app.call('SVC_GetModuleForm', module),
      app.call('SVC_GetModule', module),
    ]);
    const { elements } = JSON.parse(form) as { readonly elements: readonly FormElement[] };
    const choices = await loadChoices(app, elements);
    return { name: ModuleName, description: Description, elements, choices };
  }, [module]);
  const found = usePropertyCheck({ module, instance: 0, changes });
  return (
    <LoadedView state={state}>
      {({ name, description, elements, choices }) => {
        const defaults = Object.fromEntries(elements.map((element) => [element.name, element.default ?? '']));
        return (
          <>
            {description !== '' && <p class="soft">{moduleDescription(name, description)}</p>}
            <PropertyFields
              module={name}
              elements={elements}
              values={{ ...defaults, ...changes }}
              choices={choices}
              // What is still missing is no problem before it was entered.
              problems={found.filter(({ Property }) => Property === '' || Property in changes)}
              onChange={(values) => {
                const changed = changesOf(defaults, values);
                onChange(changed, withoutSecrets(elements, changed));
              }}
            />
          </>
        );
      }}
    </LoadedView>
  );
}
