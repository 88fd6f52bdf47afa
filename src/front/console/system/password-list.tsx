import { useSignal } from '@preact/signals';
import { useApp } from '../app.js';
import { systemTexts } from '../i18n/system.js';
import { words } from '../i18n/console-texts.js';
import { useLoaded } from '../load.js';
import { Dialog } from '../parts/dialog.js';
import { LoadedView } from '../parts/loaded-view.js';
import { NewPassword } from '../parts/new-password.js';

/** Whose password it is, as `GW_SetPassword` names it. */
interface Target {
  readonly name: string;
  readonly title: string;
  readonly state: string;
}

/** The passwords of the owner and of the residents' areas. */
export function PasswordList() {
  const app = useApp();
  const chosen = useSignal<Target | undefined>(undefined);
  const { state, reload } = useLoaded(() => app.call('WFC_GetConfigurators'), []);
  const { passwords: text } = systemTexts();
  return (
    <div class="sections">
      <p class="soft">{text.hint}</p>
      <LoadedView state={state}>
        {(configurators) => {
          const areas = configurators.map(({ ID, Title, PasswordRequired }) => ({
            name: app.gateway.model.find(ID)?.entry.value.ident ?? '',
            title: text.area(Title),
            state: PasswordRequired ? text.isSet : text.isOpen,
          }));
          const owner = { name: 'owner', title: text.owner, state: text.isSet };
          return (
            <ul class="cards">
              {[owner, ...areas].map((target) => (
                <li key={target.name}>
                  <strong>{target.title}</strong>
                  <small>{target.state}</small>
                  <div>
                    <button
                      class="plain"
                      type="button"
                      aria-label={text.setFor(target.title)}
                      onClick={() => (chosen.value = target)}
                    >
                      {text.set}
                    </button>
                  </div>
                </li>
              ))}
            </ul>
          );
        }}
      </LoadedView>
      {chosen.value !== undefined && (
        <PasswordDialog target={chosen.value} onDone={reload} onClose={() => (chosen.value = undefined)} />
      )}
    </div>
  );
}

interface PasswordDialogProps {
  readonly target: Target;
  readonly onDone: () => void;
  readonly onClose: () => void;
}

function PasswordDialog({ target, onDone, onClose }: PasswordDialogProps) {
  const app = useApp();
  const isBusy = useSignal(false);
  const { passwords: text } = systemTexts();
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    const password = new FormData(event.currentTarget as HTMLFormElement).get('password');
    if (typeof password !== 'string') return;
    isBusy.value = true;
    const isSet = await app.act(() => app.call('GW_SetPassword', target.name, password), text.done);
    isBusy.value = false;
    if (!isSet) return;
    onClose();
    onDone();
  };
  return (
    <Dialog title={text.setFor(target.title)} onClose={onClose}>
      <p>{target.name === 'owner' ? text.endsOwn : text.endsOthers}</p>
      <form onSubmit={(event) => void submit(event)}>
        <NewPassword />
        <button class="primary" disabled={isBusy.value}>
          {text.set}
        </button>
        <button class="plain" type="button" onClick={onClose}>
          {words().tree.cancel}
        </button>
      </form>
    </Dialog>
  );
}
