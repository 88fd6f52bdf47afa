import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import type { PropertyProblem } from '../../../client/generated/records.js';
import { RpcError } from '../../../client/errors.js';
import type { TreeNode } from '../../web/model.js';
import { type ConsoleApp, errorText, useApp } from '../app.js';
import { rpcErrorText } from '../i18n/gateway-texts.js';
import { type Choices, loadChoices } from '../forms/choices.js';
import { type FormElement, isOutside, type Properties, withoutSecrets } from '../forms/form-element.js';
import { PropertyFields } from '../forms/property-fields.js';
import { useKeptInput } from '../forms/use-kept-input.js';
import { changesOf, usePropertyCheck } from '../forms/use-property-check.js';
import { words } from '../i18n/console-texts.js';
import { useLoaded } from '../load.js';
import { LoadedView } from '../parts/loaded-view.js';
import { lazy } from '../../web/parts/lazy.js';
import { ConnectionField } from './connection-field.js';

const Conflict = lazy(async () => (await import('../parts/conflict.js')).Conflict);

interface Form {
  readonly elements: readonly FormElement[];
  readonly properties: Properties;
  readonly choices: Choices;
}

/** The properties that were entered and not applied, and what they were before. */
interface Entered {
  readonly changes: Properties;
  readonly base: Properties;
}

const readProperties = async (app: ConsoleApp, id: number) =>
  JSON.parse(await app.call('SVC_GetConfiguration', id)) as Properties;

/** The properties of an instance as a form. */
export function SettingsTab({ node }: { readonly node: TreeNode }) {
  const app = useApp();
  const { state, reload } = useLoaded(async (): Promise<Form> => {
    const [form, properties] = await Promise.all([
      app.call('SVC_GetConfigurationForm', node.id),
      readProperties(app, node.id),
    ]);
    const { elements } = JSON.parse(form) as { readonly elements: readonly FormElement[] };
    const choices = await loadChoices(app, elements);
    return { elements, properties, choices };
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
  const entered = useKeptInput<Entered>(`settings/${node.id}`, ({ changes: all, base }) => {
    const kept = withoutSecrets(elements, all);
    return Object.keys(kept).length === 0 ? undefined : { changes: kept, base };
  });
  const enter = (changed: Properties, base: Properties) =>
    entered.set(Object.keys(changed).length === 0 ? undefined : { changes: changed, base });
  /** What somebody else has applied since a list was entered; undefined: nothing. */
  const conflict = useSignal<Properties | undefined>(undefined);
  const values = { ...properties, ...entered.value?.changes };
  const rejected = useSignal<readonly PropertyProblem[]>([]);
  const isBusy = useSignal(false);
  const changes = changesOf(properties, values);
  const { moduleID = '', moduleName = '' } = node.entry.value.data;
  const found = usePropertyCheck({ module: moduleID, instance: node.id, changes });
  const { settings } = words();
  if (elements.length === 0) return <p class="soft">{settings.none}</p>;
  const isChanged = Object.keys(changes).length > 0;
  const isWrong = elements.some((element) => isOutside(element, values[element.name]));
  /** Lists are sent with all of their rows. */
  const isOverwriting = (now: Properties) =>
    elements.some(({ name, type }) => {
      const known = [entered.peek()?.base[name] ?? properties[name], changes[name]];
      const isOther = !known.some((value) => JSON.stringify(value) === JSON.stringify(now[name]));
      return type === 'List' && name in changes && isOther;
    });
  const apply = async () => {
    if (isBusy.peek()) return;
    isBusy.value = true;
    rejected.value = [];
    try {
      const now = await readProperties(app, node.id);
      conflict.value = isOverwriting(now) ? now : undefined;
      if (conflict.peek() !== undefined) {
        isBusy.value = false;
        return;
      }
      await app.call('SVC_SetConfiguration', node.id, JSON.stringify(changes));
      await app.call('SVC_ApplyChanges', node.id);
      // What was typed meanwhile is kept.
      const typed = changesOf({ ...properties, ...changes }, { ...properties, ...entered.peek()?.changes });
      enter(typed, { ...entered.peek()?.base, ...changes });
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
  const resolve = (theirs: Properties, keepsMine: boolean) => {
    conflict.value = undefined;
    if (keepsMine) {
      enter(entered.peek()?.changes ?? {}, theirs);
      return void apply();
    }
    entered.set(undefined);
    onApplied();
  };
  return (
    <form
      ref={form}
      class="form properties"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        void apply();
      }}
    >
      <PropertyFields
        module={moduleName}
        elements={elements}
        values={values}
        choices={choices}
        problems={[...rejected.value, ...found]}
        onChange={(next) => {
          const changed = changesOf(properties, next);
          const { base = {} } = entered.peek() ?? {};
          enter(
            changed,
            Object.fromEntries(Object.keys(changed).map((name) => [name, base[name] ?? properties[name]])),
          );
          rejected.value = [];
        }}
      />
      {conflict.value !== undefined && (
        <Conflict onChoose={(keepsMine) => resolve(conflict.value ?? {}, keepsMine)} />
      )}
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
