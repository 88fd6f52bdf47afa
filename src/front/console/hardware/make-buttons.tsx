import { useSignal } from '@preact/signals';
import type { Found } from '../../../client/generated/records.js';
import { words } from '../i18n/console-texts.js';
import { moduleCaption } from '../i18n/gateway-texts.js';
import { Dialog } from '../parts/dialog.js';
import type { Hardware } from './use-hardware.js';

interface MakeButtonsProps {
  readonly found: Found;
  readonly hardware: Hardware;
  readonly parent: number;
}

/** A button for the first module that fits, and a dialog with the others. */
export function MakeButtons({ found, hardware, parent }: MakeButtonsProps) {
  const isBusy = useSignal(false);
  const isOpen = useSignal(false);
  const { hardware: text } = words();
  const [first, ...others] = found.Create;
  if (first === undefined) return null;
  const make = async (module: string, button: HTMLElement) => {
    const row = button.closest<HTMLElement>('li, article');
    isOpen.value = false;
    isBusy.value = true;
    await hardware.create(found, module, parent);
    isBusy.value = false;
    focusRow(row);
  };
  return (
    <div class="row-head">
      <button
        class="plain"
        type="button"
        disabled={isBusy.value}
        onClick={({ currentTarget }) => void make(first.ModuleID, currentTarget)}
      >
        {text.make(moduleCaption(first.ModuleName))}
        <span class="unseen"> {found.Name}</span>
      </button>
      {others.length > 0 && (
        <button class="plain" type="button" disabled={isBusy.value} onClick={() => (isOpen.value = true)}>
          {text.others}
          <span class="unseen"> {found.Name}</span>
        </button>
      )}
      {isOpen.value && (
        <Dialog title={text.otherFor(found.Name)} onClose={() => (isOpen.value = false)}>
          {others.map(({ ModuleID, ModuleName }, index) => (
            <button
              key={ModuleID}
              class="plain"
              type="button"
              autofocus={index === 0}
              onClick={({ currentTarget }) => void make(ModuleID, currentTarget)}
            >
              {moduleCaption(ModuleName)}
            </button>
          ))}
        </Dialog>
      )}
    </div>
  );
}

/** Focuses the first button of a row whose buttons were replaced, or its link: the keyboard continues there. */
export function focusRow(row: HTMLElement | null): void {
  requestAnimationFrame(() => (row?.querySelector('button') ?? row?.querySelector('a'))?.focus());
}
