import { useApp } from '../app.js';
import { formText } from '../forms/form-text.js';
import { useSubmit } from '../forms/use-submit.js';
import { systemTexts } from '../i18n/system.js';
import { Dialog } from '../parts/dialog.js';
import { FormButtons } from '../parts/form-buttons.js';
import { LoadedView } from '../parts/loaded-view.js';
import { NewPassword } from '../parts/new-password.js';
import { ConfirmationDialog } from '../parts/confirmation-dialog.js';
import { AreaForm } from './area-form.js';
import { OwnerNameForm } from './owner-name-form.js';
import { type Change, settingsOf, useSettings } from './settings.js';

/** Whose password it is, as `GW_SetPassword` names it. */
interface Target {
  readonly name: string;
  readonly title: string;
  readonly state: string;
}

/** What a dialog is about. */
type Topic =
  | { readonly kind: 'password'; readonly target: Target }
  | { readonly kind: 'owner' }
  /** An area by its ident; undefined: a new one. Another owner may change the order. */
  | { readonly kind: 'area' | 'removal'; readonly ident: string | undefined };

/** The owner and the residents' areas, with their passwords: they are added, changed and removed. */
export function PasswordList() {
  // What was typed must survive the end of the session.
  const asked = useApp().form<Topic>('access');
  const { state, reload, change } = useSettings();
  const { passwords: text, areas: areaTexts } = systemTexts();
  const close = () => (asked.value = undefined);
  return (
    <div class="sections">
      <p class="soft">{text.hint}</p>
      <LoadedView state={state}>
        {(loaded) => {
          const { remoteAccess, configurators = [] } = settingsOf(loaded);
          const save = (changes: readonly Change[]) => change(loaded.Digest, changes);
          const about = asked.value;
          const ident = about !== undefined && 'ident' in about ? about.ident : undefined;
          const index =
            ident === undefined
              ? configurators.length
              : configurators.findIndex((area) => area.ident === ident);
          const chosen = configurators[index];
          return (
            <>
              <ul class="cards">
                <AccessItem
                  target={{ name: 'owner', title: text.owner, state: remoteAccess?.username ?? '' }}
                  onSet={(target) => (asked.value = { kind: 'password', target })}
                  onChange={() => (asked.value = { kind: 'owner' })}
                />
                {configurators.map((area) => (
                  <AccessItem
                    key={area.ident}
                    target={{
                      name: area.ident,
                      title: text.area(area.title),
                      state: `${area.base} · ${area.passwordRequired === false ? text.isOpen : text.isSet}`,
                    }}
                    onSet={(target) => (asked.value = { kind: 'password', target })}
                    onChange={() => (asked.value = { kind: 'area', ident: area.ident })}
                    onRemove={() => (asked.value = { kind: 'removal', ident: area.ident })}
                  />
                ))}
              </ul>
              <p>
                <button
                  class="plain"
                  type="button"
                  onClick={() => (asked.value = { kind: 'area', ident: undefined })}
                >
                  {areaTexts.add}
                </button>
              </p>
              {about?.kind === 'password' && (
                <PasswordDialog target={about.target} onDone={reload} onClose={close} />
              )}
              {about?.kind === 'owner' && (
                <OwnerNameForm name={remoteAccess?.username ?? ''} onChange={save} onClose={close} />
              )}
              {about?.kind === 'area' && index >= 0 && (
                <AreaForm area={chosen} index={index} onChange={save} onClose={close} />
              )}
              {about?.kind === 'removal' && chosen !== undefined && (
                <ConfirmationDialog
                  title={areaTexts.removeQuestion(chosen.title)}
                  action={areaTexts.remove}
                  onConfirm={() => save([[`configurators[${index}]`, null]])}
                  onClose={close}
                >
                  <p>{areaTexts.removeEffect}</p>
                </ConfirmationDialog>
              )}
            </>
          );
        }}
      </LoadedView>
    </div>
  );
}

interface AccessItemProps {
  readonly target: Target;
  readonly onSet: (target: Target) => void;
  readonly onChange: () => void;
  readonly onRemove?: () => void;
}

/** The owner or an area, with what can be done with it. */
function AccessItem({ target, onSet, onChange, onRemove }: AccessItemProps) {
  const { passwords: text, areas } = systemTexts();
  return (
    <li>
      <strong>{target.title}</strong>
      <small>{target.state}</small>
      <div class="row-head">
        <button
          class="plain"
          type="button"
          aria-label={text.setFor(target.title)}
          onClick={() => onSet(target)}
        >
          {text.set}
        </button>
        <button class="plain" type="button" aria-label={areas.change(target.title)} onClick={onChange}>
          {areas.changeAction}
        </button>
        {onRemove !== undefined && (
          <button class="plain" type="button" aria-label={areas.removeOf(target.title)} onClick={onRemove}>
            {areas.remove}
          </button>
        )}
      </div>
    </li>
  );
}

interface PasswordDialogProps {
  readonly target: Target;
  readonly onDone: () => void;
  readonly onClose: () => void;
}

function PasswordDialog({ target, onDone, onClose }: PasswordDialogProps) {
  const app = useApp();
  const { passwords: text } = systemTexts();
  const { isBusy, onSubmit } = useSubmit(
    (form) => app.act(() => app.call('GW_SetPassword', target.name, formText(form, 'password')), text.done),
    () => {
      onClose();
      onDone();
    },
  );
  return (
    <Dialog title={text.setFor(target.title)} onClose={onClose}>
      <p>{target.name === 'owner' ? text.endsOwn : text.endsOthers}</p>
      <form onSubmit={onSubmit}>
        <NewPassword />
        <FormButtons submit={text.set} isDisabled={isBusy.value} onClose={onClose} />
      </form>
    </Dialog>
  );
}
