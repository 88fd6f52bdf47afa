import { useId } from 'preact/hooks';
import { takeFocus } from '../../web/parts/take-focus.js';
import { objectType } from '../../web/objects.js';
import { useApp } from '../app.js';
import { eventTexts } from '../i18n/events.js';
import { Dialog } from '../parts/dialog.js';
import { FormButtons } from '../parts/form-buttons.js';
import { ObjectChoice } from '../parts/object-choice.js';
import { SelectField } from './fields.js';

interface EventDraft {
  readonly name: string;
  readonly kind: number;
  /** The parent's ID. */
  readonly place: number;
}

const NEW_DRAFT: EventDraft = { name: '', kind: 0, place: 0 };

interface CreateEventProps {
  readonly onCreated: () => void;
}

/** A button, and a dialog that creates an inactive event and opens it. */
export function CreateEvent({ onCreated }: CreateEventProps) {
  // What was typed must survive the end of the session.
  const draft = useApp().form<EventDraft>('create-event');
  return (
    <>
      <button class="primary" type="button" onClick={() => (draft.value = NEW_DRAFT)}>
        {eventTexts().create}
      </button>
      {draft.value !== undefined && (
        <CreateDialog draft={draft.value} onCreated={onCreated} onChange={(next) => (draft.value = next)} />
      )}
    </>
  );
}

interface CreateDialogProps extends CreateEventProps {
  readonly draft: EventDraft;
  /** Undefined: the dialog is closed. */
  readonly onChange: (draft: EventDraft | undefined) => void;
}

function CreateDialog({ draft, onCreated, onChange }: CreateDialogProps) {
  const app = useApp();
  const id = useId();
  const { name, kind, place } = draft;
  const onClose = () => onChange(undefined);
  const text = eventTexts();
  const submit = async (submitted: SubmitEvent) => {
    submitted.preventDefault();
    let made = 0;
    const isMade = await app.act(async () => {
      made = await app.call('SVC_CreateEvent', kind as 0 | 1 | 2);
      await app.call('SVC_SetName', made, name);
      if (place !== 0) await app.call('SVC_SetParent', made, place);
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
            value={name}
            required
            ref={takeFocus}
            onInput={({ currentTarget }) => onChange({ ...draft, name: currentTarget.value })}
          />
        </div>
        <SelectField
          label={text.kind}
          options={text.kinds}
          value={kind}
          onChange={(chosen) => onChange({ ...draft, kind: chosen })}
        />
        <div class="field">
          <span>{text.place}</span>
          <ObjectChoice
            label={text.place}
            id={place}
            none={text.root}
            accepts={({ type }) => type !== objectType.link && type !== objectType.event}
            onChange={(chosen) => onChange({ ...draft, place: chosen })}
          />
          <small>{text.placeHint}</small>
        </div>
        <FormButtons submit={text.submit} onClose={onClose} />
      </form>
    </Dialog>
  );
}
