import { useSignal } from '@preact/signals';
import { useId } from 'preact/hooks';
import { takeFocus } from '../../web/parts/take-focus.js';
import { objectType } from '../../web/objects.js';
import { useApp } from '../app.js';
import { eventTexts } from '../i18n/events.js';
import { Dialog } from '../parts/dialog.js';
import { useDraft } from '../forms/use-draft.js';
import { FormButtons } from '../parts/form-buttons.js';
import { ObjectChoice } from '../parts/object-choice.js';
import { SelectField } from './fields.js';

interface EventDraft {
  readonly name: string;
  readonly kind: number;
  /** The parent's ID. */
  readonly place: number;
}

const FORM = 'create-event';
const NEW_DRAFT: EventDraft = { name: '', kind: 0, place: 0 };

interface CreateEventProps {
  readonly onCreated: () => void;
}

/** A button, and a dialog that creates an inactive event and opens it. */
export function CreateEvent({ onCreated }: CreateEventProps) {
  // What was typed must survive the end of the session.
  const form = useApp().form<EventDraft>(FORM);
  return (
    <>
      <button class="primary" type="button" onClick={() => (form.value = NEW_DRAFT)}>
        {eventTexts().create}
      </button>
      {form.value !== undefined && <CreateDialog onCreated={onCreated} />}
    </>
  );
}

function CreateDialog({ onCreated }: CreateEventProps) {
  const app = useApp();
  const id = useId();
  const { draft, set, clear, bind } = useDraft(FORM, NEW_DRAFT);
  const { name, kind, place } = draft;
  const text = eventTexts();
  const isBusy = useSignal(false);
  const submit = async (submitted: SubmitEvent) => {
    submitted.preventDefault();
    let made = 0;
    isBusy.value = true;
    const isMade = await app.act(async () => {
      made = await app.setUp(await app.call('SVC_CreateEvent', kind as 0 | 1 | 2), async (created) => {
        await app.call('SVC_SetName', created, name);
        if (place !== 0) await app.call('SVC_SetParent', created, place);
      });
    });
    isBusy.value = false;
    if (!isMade) return;
    clear();
    onCreated();
    app.router.go('events', made);
  };
  return (
    <Dialog title={text.createTitle} onClose={clear}>
      <form class="form" onSubmit={(submitted) => void submit(submitted)}>
        <div class="field">
          <label for={id}>{text.name}</label>
          <input id={id} required ref={takeFocus} {...bind('name')} />
        </div>
        <SelectField
          label={text.kind}
          options={text.kinds}
          value={kind}
          onChange={(chosen) => set({ kind: chosen })}
        />
        <div class="field">
          <span>{text.place}</span>
          <ObjectChoice
            label={text.place}
            id={place}
            none={text.root}
            accepts={({ type }) => type !== objectType.link && type !== objectType.event}
            onChange={(chosen) => set({ place: chosen })}
          />
          <small>{text.placeHint}</small>
        </div>
        <FormButtons submit={text.submit} isDisabled={isBusy.value} onClose={clear} />
      </form>
    </Dialog>
  );
}
