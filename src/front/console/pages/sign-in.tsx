import { useSignal } from '@preact/signals';
import { signIn, type SignInResult } from '../../web/session.js';
import { SESSION_PATH, useApp } from '../app.js';
import { words } from '../i18n/console-texts.js';

/** Asks for the owner's credentials. They go to the gateway and are kept nowhere. */
export function SignInPage() {
  const app = useApp();
  const isBusy = useSignal(false);
  const result = useSignal<SignInResult | undefined>(undefined);
  const { signIn: text } = words();
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget as HTMLFormElement);
    const field = (name: string) => {
      const value = form.get(name);
      return typeof value === 'string' ? value : '';
    };
    isBusy.value = true;
    const credentials = { username: field('username'), password: field('password') };
    const outcome = await signIn(SESSION_PATH, credentials);
    isBusy.value = false;
    result.value = outcome;
    if (outcome.kind === 'signed-in') app.enter();
  };
  return (
    <main class="sign-in">
      <h1>{text.title}</h1>
      <form onSubmit={(event) => void submit(event)}>
        <Problem result={result.value} />
        <label>
          {text.username}
          <input name="username" autocomplete="username" required autofocus />
        </label>
        <label>
          {text.password}
          <input name="password" type="password" autocomplete="current-password" required />
        </label>
        <button class="primary" disabled={isBusy.value}>
          {text.submit}
        </button>
      </form>
    </main>
  );
}

function Problem({ result }: { readonly result: SignInResult | undefined }) {
  const { signIn: text } = words();
  const hasEnded = useApp().signedOut.value === 'ended';
  const problem =
    result === undefined
      ? hasEnded && text.ended
      : result.kind === 'wrong'
        ? text.wrong
        : result.kind === 'wait'
          ? text.wait(result.seconds)
          : result.kind === 'failed' && text.failed;
  return problem === false ? null : (
    <p class="problem" role="alert">
      {problem}
    </p>
  );
}
