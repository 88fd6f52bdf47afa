import { useEffect } from 'preact/hooks';
import { SignInForm } from '../web/parts/sign-in-form.js';
import { useApp } from './app.js';
import { words } from './i18n/console-texts.js';
import { Dialog } from './parts/dialog.js';

/** Asks for the owner's password before a call that requires it again. */
export function PasswordDialog() {
  const { confirmation } = useApp();
  const { confirm, signIn, tree } = words();
  // Signed out meanwhile: the calls must not wait indefinitely.
  useEffect(() => () => confirmation.finish(false), []);
  const cancel = () => confirmation.finish(false);
  return (
    <Dialog title={confirm.title} onClose={cancel}>
      <p>{confirm.why}</p>
      <SignInForm
        path="/console/confirm"
        fields={['password']}
        texts={{ ...signIn, submit: confirm.submit, wrong: confirm.wrong }}
        hasEnded={false}
        onSignedIn={() => confirmation.finish(true)}
        note={
          <button class="plain" type="button" onClick={cancel}>
            {tree.cancel}
          </button>
        }
      >
        <div class="field">
          <label for="confirm-password">{signIn.password}</label>
          <input
            id="confirm-password"
            name="password"
            type="password"
            autocomplete="current-password"
            required
            autofocus
          />
        </div>
      </SignInForm>
    </Dialog>
  );
}
