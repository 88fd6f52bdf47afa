import { useSignal } from '@preact/signals';
import type { Found } from '../../../client/generated/records.js';
import { words } from '../i18n/console-texts.js';
import { moduleCaption } from '../i18n/gateway-texts.js';
import type { Hardware } from './use-hardware.js';

interface MakeButtonsProps {
  readonly found: Found;
  readonly hardware: Hardware;
  readonly parent: number;
}

/** A button for the first module that fits, and a list of the others. */
export function MakeButtons({ found, hardware, parent }: MakeButtonsProps) {
  const isBusy = useSignal(false);
  const { hardware: text } = words();
  const [first, ...others] = found.Create;
  if (first === undefined) return null;
  const make = async (module: string) => {
    isBusy.value = true;
    await hardware.create(found, module, parent);
    isBusy.value = false;
  };
  return (
    <div class="row-head">
      <button class="plain" type="button" disabled={isBusy.value} onClick={() => void make(first.ModuleID)}>
        {text.make(moduleCaption(first.ModuleName))}
        <span class="unseen"> {found.Name}</span>
      </button>
      {others.length > 0 && (
        <select
          class="others"
          aria-label={text.otherFor(found.Name)}
          disabled={isBusy.value}
          value=""
          onChange={({ currentTarget }) => {
            const module = currentTarget.value;
            currentTarget.value = '';
            void make(module);
          }}
        >
          <option value="" disabled>
            {text.others}
          </option>
          {others.map(({ ModuleID, ModuleName }) => (
            <option key={ModuleID} value={ModuleID}>
              {moduleCaption(ModuleName)}
            </option>
          ))}
        </select>
      )}
    </div>
  );
}
