import { takeFocus } from '../../web/parts/take-focus.js';
import { SignInForm } from '../../web/parts/sign-in-form.js';
import { browserName, isUnencrypted } from '../../web/sign-in.js';
import { SESSION_PATH, useApp } from '../app.js';
import { words } from '../i18n/console-texts.js';

/** Asks for the owner's credentials. */
export function SignInPage() {
  const { gateway } = useApp();
  const { signIn: text } = words();
  return (
    <main class="sign-in">
      <h1>{text.title}</h1>
      <SignInForm
        path={SESSION_PATH}
        fields={['username', 'password', 'device']}
        texts={text}
        hasEnded={gateway.signedOut.value === 'ended'}
        onSignedIn={() => gateway.enter()}
        note={
          isUnencrypted() && (
            <p class="stale">
              {text.unencrypted} <a href="/tls">{text.trust}</a>
            </p>
          )
        }
      >
        <label>
          {text.username}
          <input name="username" autocomplete="username" required ref={takeFocus} />
        </label>
        <label>
          {text.password}
          <input name="password" type="password" autocomplete="current-password" required />
        </label>
        <input name="device" type="hidden" value={browserName()} />
      </SignInForm>
    </main>
  );
}
