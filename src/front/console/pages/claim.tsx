import { takeFocus } from '../../web/parts/take-focus.js';
import { SignInForm } from '../../web/parts/sign-in-form.js';
import { browserName, isUnencrypted, signIn } from '../../web/session.js';
import { SESSION_PATH, useApp } from '../app.js';
import { words } from '../i18n/console-texts.js';
import { NewPassword } from '../parts/new-password.js';
import { RestoreForm } from './restore-form.js';

/** Sets the first password of the owner with the code that the machine shows, and signs in with it. */
export function ClaimPage() {
  const app = useApp();
  const { claim: text, signIn: signInText } = words();
  const enter = async ({ username = '', password = '' }: Readonly<Record<string, string>>) => {
    const { kind } = await signIn(SESSION_PATH, { username, password, device: browserName() });
    app.isUnclaimed.value = false;
    if (kind === 'signed-in') app.gateway.enter();
    else app.gateway.signedOut.value = 'never';
  };
  return (
    <main class="sign-in">
      <h1>{text.title}</h1>
      <p>{text.why}</p>
      <SignInForm
        path="/console/claim"
        fields={['code', 'username', 'password']}
        texts={{ ...signInText, submit: text.submit, wrong: text.wrong, failed: text.failed }}
        hasEnded={false}
        onSignedIn={(values) => void enter(values)}
        note={isUnencrypted() && <p class="stale">{signInText.unencrypted}</p>}
      >
        <div class="field">
          <label for="claim-code">{text.code}</label>
          <input
            id="claim-code"
            name="code"
            autocomplete="off"
            autocapitalize="characters"
            spellcheck={false}
            required
            ref={takeFocus}
            aria-describedby="claim-hint"
          />
          <small id="claim-hint">
            {text.codeHint} <code>sudo stellwerk setup --claim</code>
          </small>
        </div>
        <div class="field">
          <label for="claim-username">{signInText.username}</label>
          <input
            id="claim-username"
            name="username"
            defaultValue="owner"
            autocomplete="username"
            spellcheck={false}
            required
            maxLength={64}
            pattern="[^:]+"
          />
        </div>
        <NewPassword />
      </SignInForm>
      <RestoreForm code={() => document.querySelector<HTMLInputElement>('#claim-code')?.value ?? ''} />
    </main>
  );
}
