import { takeFocus } from '../../web/parts/take-focus.js';
import { texts } from '../../web/i18n/i18n.js';
import { SignInForm } from '../../web/parts/sign-in-form.js';
import { isUnencrypted } from '../../web/sign-in.js';
import { useApp } from '../app.js';

/** Asks for the area's password. */
export function SignInPage() {
  const { facts, gateway, preferences, sessionPath } = useApp();
  const { signIn: words } = texts();
  return (
    <main class="sign-in">
      <h1>{facts.title}</h1>
      <SignInForm
        path={sessionPath}
        fields={['password', 'device']}
        texts={words}
        hasEnded={gateway.signedOut.value === 'ended'}
        onSignedIn={({ device = '' }) => {
          preferences.change({ device });
          gateway.enter();
        }}
        note={
          isUnencrypted() && (
            <p class="note">
              {words.unencrypted} <a href="/tls">{words.trust}</a>
            </p>
          )
        }
      >
        <label>
          {words.password}
          <input name="password" type="password" autocomplete="current-password" required ref={takeFocus} />
        </label>
        <label>
          {words.device}
          <input name="device" defaultValue={preferences.value.device} maxLength={64} autocomplete="off" />
          <small>{words.deviceHint}</small>
        </label>
      </SignInForm>
    </main>
  );
}
