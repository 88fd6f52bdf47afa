import { useId } from 'preact/hooks';
import type { OptionRecord } from '../../../client/generated/records.js';
import { useApp } from '../app.js';
import { optionDescription } from '../i18n/gateway-texts.js';
import { systemTexts } from '../i18n/system.js';
import { useLoaded } from '../load.js';
import { LoadedView } from '../parts/loaded-view.js';

/** The gateway's options, each with a field. */
export function OptionList() {
  const app = useApp();
  const { state, reload } = useLoaded(async () => {
    const names = await app.call('SVC_GetOptionList');
    return Promise.all(names.map((name) => app.call('SVC_GetOptionEx', name)));
  }, []);
  return (
    <LoadedView state={state}>
      {(options) => (
        <div class="form">
          {options.map((option) => (
            <OptionField key={option.Name} option={option} onChange={reload} />
          ))}
        </div>
      )}
    </LoadedView>
  );
}

interface OptionFieldProps {
  readonly option: OptionRecord;
  readonly onChange: () => void;
}

function OptionField({ option, onChange }: OptionFieldProps) {
  const app = useApp();
  const id = useId();
  // What was typed must survive the end of the session.
  const entered = app.form<number>(`option/${option.Name}`);
  const value = entered.value ?? option.Value;
  const { options: text } = systemTexts();
  const set = async (event: SubmitEvent) => {
    event.preventDefault();
    if (await app.act(() => app.call('SVC_SetOption', option.Name, value))) entered.value = undefined;
    onChange();
  };
  return (
    <form class="field" onSubmit={(event) => void set(event)}>
      <label for={id}>
        {option.Name} <small>{optionDescription(option.Name, option.Description)}</small>
      </label>
      <span class="with-unit">
        <input
          id={id}
          type="number"
          required
          min={option.Minimum}
          max={option.Maximum}
          value={value}
          aria-describedby={`${id}-range`}
          onInput={({ currentTarget: { valueAsNumber } }) =>
            (entered.value = valueAsNumber === option.Value ? undefined : valueAsNumber)
          }
        />
        <button class="plain" disabled={value === option.Value}>
          {text.set}
        </button>
      </span>
      <small id={`${id}-range`}>{text.range(option.Minimum, option.Maximum, option.Default)}</small>
    </form>
  );
}
