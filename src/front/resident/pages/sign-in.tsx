import { useSignal } from '@preact/signals';
import { texts } from '../../web/i18n/i18n.js';
import { signIn, type SignInResult } from '../../web/session.js';
import { useApp } from '../app.js';

/** Asks for the area's password. It goes to the gateway and is kept nowhere. */
export function SignInPage() {
  const app = useApp();
  const isBusy = useSignal(false);
  const result = useSignal<SignInResult | undefined>(undefined);
  const { signIn: words } = texts();
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget as HTMLFormElement);
    const field = (name: string) => {
      const value = form.get(name);
      return typeof value === 'string' ? value : '';
    };
    const device = field('device');
    isBusy.value = true;
    const outcome = await signIn(app.sessionPath, { password: field('password'), device });
    isBusy.value = false;
    result.value = outcome;
    if (outcome.kind !== 'signed-in') return;
    app.preferences.change({ device });
    app.enter();
  };
  return (
    <main class="sign-in">
      <h1>{app.facts.title}</h1>
      <form onSubmit={(event) => void submit(event)}>
        <Problem result={result.value} />
        <label>
          {words.password}
          <input name="password" type="password" autocomplete="current-password" required autofocus />
        </label>
        <label>
          {words.device}
          <input name="device" value={app.preferences.value.device} maxLength={64} autocomplete="off" />
          <small>{words.deviceHint}</small>
        </label>
        <button class="primary" disabled={isBusy.value}>
          {words.submit}
        </button>
        {location.protocol === 'http:' && !isLoopback() && <p class="note">{words.unencrypted}</p>}
      </form>
    </main>
  );
}

function Problem({ result }: { readonly result: SignInResult | undefined }) {
  const app = useApp();
  const { signIn: words } = texts();
  const text =
    result === undefined
      ? app.signedOut.value === 'ended'
        ? words.ended
        : ''
      : result.kind === 'wrong'
        ? words.wrong
        : result.kind === 'wait'
          ? words.wait(result.seconds)
          : result.kind === 'failed'
            ? words.failed
            : '';
  return text === '' ? null : (
    <p class="problem" role="alert">
      {text}
    </p>
  );
}

function isLoopback(): boolean {
  return /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(location.hostname);
}
