import { useSignal } from '@preact/signals';
import { useId } from 'preact/hooks';
import { takeFocus } from '../../web/parts/take-focus.js';
import { objectType } from '../../web/objects.js';
import { useApp } from '../app.js';
import { eventTexts } from '../i18n/events.js';
import { words } from '../i18n/console-texts.js';
import { Dialog } from '../parts/dialog.js';
import { ObjectChoice } from '../parts/object-choice.js';
import { SelectField } from './fields.js';

interface CreateEventProps {
  readonly onCreated: () => void;
}

/** A button, and a dialog that creates an inactive event and opens it. */
export function CreateEvent({ onCreated }: CreateEventProps) {
  const isOpen = useSignal(false);
  return (
    <>
      <button class="primary" type="button" onClick={() => (isOpen.value = true)}>
        {eventTexts().create}
      </button>
      {isOpen.value && <CreateDialog onCreated={onCreated} onClose={() => (isOpen.value = false)} />}
    </>
  );
}

interface CreateDialogProps extends CreateEventProps {
  readonly onClose: () => void;
}

function CreateDialog({ onCreated, onClose }: CreateDialogProps) {
  const app = useApp();
  const id = useId();
  const name = useSignal('');
  const kind = useSignal(0);
  const place = useSignal(0);
  const text = eventTexts();
  const submit = async (submitted: SubmitEvent) => {
    submitted.preventDefault();
    let made = 0;
    const isMade = await app.act(async () => {
      made = await app.call('SVC_CreateEvent', kind.peek() as 0 | 1 | 2);
      await app.call('SVC_SetName', made, name.peek());
      if (place.peek() !== 0) await app.call('SVC_SetParent', made, place.peek());
    });
    if (!isMade) return;
    onClose();
    onCreated();
    app.router.go('events', made);
  };
  return (
    <Dialog title={text.createTitle} onClose={onClose}>
      <form class="form" onSubmit={(submitted) => void submit(submitted)}>
        <div class="field">
          <label for={id}>{text.name}</label>
          <input
            id={id}
            value={name.value}
            required
            ref={takeFocus}
            onInput={({ currentTarget }) => (name.value = currentTarget.value)}
          />
        </div>
        <SelectField
          label={text.kind}
          options={text.kinds}
          value={kind.value}
          onChange={(chosen) => (kind.value = chosen)}
        />
        <div class="field">
          <span>{text.place}</span>
          <ObjectChoice
            label={text.place}
            id={place.value}
            none={text.root}
            accepts={({ type }) => type !== objectType.link && type !== objectType.event}
            onChange={(chosen) => (place.value = chosen)}
          />
          <small>{text.placeHint}</small>
        </div>
        <div class="row-head">
          <button class="primary">{text.submit}</button>
          <button class="plain" type="button" onClick={onClose}>
            {words().tree.cancel}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
