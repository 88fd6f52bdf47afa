import { useSignal } from '@preact/signals';
import { useId } from 'preact/hooks';
import type { FunctionRecord } from '../../../client/generated/records.js';
import { errorText, useApp } from '../app.js';
import { words } from '../i18n/console-texts.js';
import { useLoaded } from '../load.js';
import { LoadedView } from '../parts/loaded-view.js';

/** `Type_` of a parameter: as types of variables, and 4 for JSON. */
const BOOLEAN = 0;
const TEXT = 3;

/** A function with its parameters; it can be called here, like `stellwerk call`. */
export function CallPage({ id }: { readonly id: string }) {
  const app = useApp();
  const { state } = useLoaded(() => app.call('SVC_GetFunction', id), [id]);
  return (
    <main>
      <h1>
        <code>{id}</code>
      </h1>
      <LoadedView state={state}>{(record) => <CallForm key={id} record={record} />}</LoadedView>
    </main>
  );
}

function CallForm({ record }: { readonly record: FunctionRecord }) {
  const app = useApp();
  const id = useId();
  const result = useSignal<{ readonly text: string; readonly isError: boolean } | undefined>(undefined);
  const { call } = words();
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget as HTMLFormElement);
    try {
      const parameters = record.Parameters.map((parameter, index) =>
        valueOf(parameter, form.get(String(index))),
      );
      const value = await app.callByName(record.FunctionName, parameters);
      result.value = { text: JSON.stringify(value, null, 2), isError: false };
    } catch (thrown) {
      result.value = { text: errorText(thrown), isError: true };
    }
  };
  return (
    <form class="form" onSubmit={(event) => void submit(event)}>
      {record.Parameters.length === 0 && <p class="soft">{call.noParameters}</p>}
      {record.Parameters.map(({ Description, Type_, Enumeration }, index) => (
        <div key={Description} class="field">
          <label for={`${id}-${index}`}>{Description}</label>
          {Enumeration.length > 0 ? (
            <select id={`${id}-${index}`} name={String(index)}>
              {Enumeration.map((word, value) => (
                <option key={word} value={value}>
                  {word}
                </option>
              ))}
            </select>
          ) : Type_ === BOOLEAN ? (
            <select id={`${id}-${index}`} name={String(index)}>
              <option>false</option>
              <option>true</option>
            </select>
          ) : (
            <input
              id={`${id}-${index}`}
              name={String(index)}
              placeholder={Type_ > TEXT ? call.json : ''}
              spellcheck={false}
            />
          )}
        </div>
      ))}
      <button class="primary">{call.run}</button>
      {result.value !== undefined && (
        <section aria-live="polite">
          <h2>{call.result}</h2>
          <pre class={result.value.isError ? 'card problem' : 'card'} tabIndex={0}>
            {result.value.text}
          </pre>
        </section>
      )}
    </form>
  );
}

/** What was entered, as the parameter's type; a JSON value where the type has no field of its own. */
function valueOf(
  { Type_ }: FunctionRecord['Parameters'][number],
  entered: FormDataEntryValue | null,
): unknown {
  const text = typeof entered === 'string' ? entered : '';
  return Type_ === TEXT ? text : JSON.parse(text);
}
