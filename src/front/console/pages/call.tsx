import { useSignal } from '@preact/signals';
import { useId } from 'preact/hooks';
import type { FunctionRecord } from '../../../client/generated/records.js';
import { type ConsoleApp, errorText, useApp } from '../app.js';
import type { TextEvent } from '../forms/use-draft.js';
import { words } from '../i18n/console-texts.js';
import { useLoaded } from '../load.js';
import { LoadedView } from '../parts/loaded-view.js';

type Parameter = FunctionRecord['Parameters'][number];
/** What was entered, by the names of the parameters. */
type Entered = Readonly<Record<string, string>>;

/** `Type_` of a parameter: as types of variables, and 4 for JSON. */
const BOOLEAN = 0;
const TEXT = 3;

/** A function with its parameters; it can be called here, like `stellwerk call`. */
export function CallPage({ id }: { readonly id: string }) {
  // Not the form of the function that was shown before, while this one is loading.
  return <FunctionPage key={id} id={id} />;
}

function FunctionPage({ id }: { readonly id: string }) {
  const app = useApp();
  const { state } = useLoaded(() => app.call('SVC_GetFunction', id), []);
  return (
    <main>
      <h1>
        <code>{id}</code>
      </h1>
      <LoadedView state={state}>{(record) => <CallForm record={record} />}</LoadedView>
    </main>
  );
}

function CallForm({ record }: { readonly record: FunctionRecord }) {
  const app = useApp();
  const id = useId();
  // What was typed must survive the end of the session, but no passwords. After the call it stays in the fields.
  const kept = app.form<Entered>(`call/${record.FunctionName}`);
  const entered = useSignal<Entered>(kept.peek() ?? {});
  const textOf = (parameter: Parameter) => entered.value[parameter.Description] ?? initialOf(parameter);
  const bind = (parameter: Parameter) => ({
    value: textOf(parameter),
    onInput: ({ currentTarget: { value } }: TextEvent) => {
      const change = { [parameter.Description]: value };
      entered.value = { ...entered.peek(), ...change };
      if (!isSecret(parameter)) kept.value = { ...kept.peek(), ...change };
    },
  });
  const result = useSignal<{ readonly text: string; readonly isError: boolean } | undefined>(undefined);
  const { call } = words();
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    try {
      const { FunctionName: name, Parameters: all } = record;
      const texts = all.map(textOf);
      // An empty text may be required.
      const required = texts[texts.length - 1] === '' ? await countRequired(app, name) : texts.length;
      const isGiven = (at: number) => at < required || texts.slice(at).some((text) => text !== '');
      const parameters: unknown[] = [];
      for (const parameter of all.filter((_one, at) => isGiven(at))) {
        const parsed = valueOf(parameter, textOf(parameter));
        if (parsed === undefined) {
          result.value = { text: call.invalid(parameter.Description, parameter.Type_ < TEXT), isError: true };
          return;
        }
        parameters.push(parsed);
      }
      const value = await app.callByName(name, parameters);
      kept.value = undefined;
      result.value = { text: JSON.stringify(value, null, 2), isError: false };
    } catch (thrown) {
      result.value = { text: errorText(thrown), isError: true };
    }
  };
  return (
    <form class="form" onSubmit={(event) => void submit(event)}>
      {record.Parameters.length === 0 && <p class="soft">{call.noParameters}</p>}
      {record.Parameters.map((parameter, index) => (
        <div key={parameter.Description} class="field">
          <label for={`${id}-${index}`}>{parameter.Description}</label>
          {parameter.Enumeration.length > 0 ? (
            <select id={`${id}-${index}`} {...bind(parameter)}>
              {parameter.Enumeration.map((word, value) => (
                <option key={word} value={value}>
                  {word}
                </option>
              ))}
            </select>
          ) : parameter.Type_ === BOOLEAN ? (
            <select id={`${id}-${index}`} {...bind(parameter)}>
              <option>false</option>
              <option>true</option>
            </select>
          ) : (
            <input
              id={`${id}-${index}`}
              {...(isSecret(parameter) && { type: 'password' as const, autocomplete: 'new-password' })}
              placeholder={parameter.Type_ > TEXT ? call.json : ''}
              spellcheck={false}
              {...bind(parameter)}
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

/**
 * What was entered, as the parameter's type; a JSON value where the type has no field of its own. Undefined if it is
 * none.
 */
function valueOf({ Type_ }: Parameter, text: string): unknown {
  if (Type_ === TEXT) return text;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** What an OpenRPC document says about a function. */
interface Method {
  readonly name: string;
  readonly params: readonly { readonly required?: boolean }[];
}

/** How many parameters a function requires; the others follow them. */
async function countRequired(app: ConsoleApp, name: string): Promise<number> {
  const { methods } = (await app.call('rpc.discover')) as { readonly methods: readonly Method[] };
  const params = methods.find((one) => one.name === name)?.params ?? [];
  return params.filter(({ required }) => required === true).length;
}

const isSecret = ({ Description }: Parameter): boolean => Description === 'Password';

/** What a parameter has before anything is entered. */
const initialOf = ({ Enumeration, Type_ }: Parameter): string =>
  Enumeration.length > 0 ? '0' : Type_ === BOOLEAN ? 'false' : '';
