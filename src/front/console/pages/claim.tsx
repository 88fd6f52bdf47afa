import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { takeFocus } from '../../web/parts/take-focus.js';
import { browserName, isUnencrypted, signIn } from '../../web/sign-in.js';
import { SESSION_PATH, useApp } from '../app.js';
import { words } from '../i18n/console-texts.js';
import { firstPageTexts } from '../i18n/first-page.js';
import { NewPassword } from '../parts/new-password.js';
import { Problem } from '../parts/problem.js';
import { claimProblem, postClaim } from './claim-request.js';
import { RestoreForm } from './restore-form.js';
import { SetupFields, type ClaimFacts } from './setup-fields.js';

/** Sets up a gateway without an owner, with the code that the machine shows, and signs in. */
export function ClaimPage() {
  const code = useSignal('');
  const facts = useSignal<ClaimFacts | undefined>(undefined);
  const text = firstPageTexts();
  const enter = async (given: Readonly<Record<string, string>>) => {
    facts.value = await postClaim<ClaimFacts>('/facts', given);
    code.value = given['code'] ?? '';
  };
  if (facts.value !== undefined) return <SetupPage code={code.value} facts={facts.value} />;
  return (
    <main class="sign-in">
      <h1>{text.title}</h1>
      <p>{text.why}</p>
      <ClaimForm key="code" submit={text.next} send={enter}>
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
      </ClaimForm>
    </main>
  );
}

/** What follows the code: a new gateway, or the backup of another one. */
function SetupPage({ code, facts }: { readonly code: string; readonly facts: ClaimFacts }) {
  const app = useApp();
  const text = firstPageTexts();
  const { signIn: signInText } = words();
  const set = async (given: Readonly<Record<string, string>>) => {
    await postClaim('', { ...given, code });
    const { username = '', password = '' } = given;
    const { kind } = await signIn(SESSION_PATH, { username, password, device: browserName() });
    app.isUnclaimed.value = false;
    if (kind === 'signed-in') app.gateway.enter();
    else app.gateway.signedOut.value = 'never';
  };
  return (
    <main class="sign-in">
      <h1>{text.setTitle}</h1>
      <p>{text.setWhy}</p>
      <ClaimForm key="setup" submit={text.submit} send={set}>
        <h2>{text.owner}</h2>
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
            ref={takeFocus}
          />
        </div>
        <NewPassword />
        <SetupFields facts={facts} />
      </ClaimForm>
      <RestoreForm code={code} />
    </main>
  );
}

interface ClaimFormProps {
  readonly submit: string;
  /** Sends what was entered. Rejects as `postClaim`. */
  readonly send: (given: Readonly<Record<string, string>>) => Promise<void>;
  readonly children: ComponentChildren;
}

/** A form of this page. What is typed goes to the gateway and is kept nowhere. */
function ClaimForm({ submit, send, children }: ClaimFormProps) {
  const isBusy = useSignal(false);
  const problem = useSignal('');
  const onSubmit = async (event: SubmitEvent) => {
    event.preventDefault();
    const entries = [...new FormData(event.currentTarget as HTMLFormElement)];
    isBusy.value = true;
    try {
      await send(
        Object.fromEntries(
          entries.map(([name, value]) => [name, typeof value === 'string' ? value : ''] as const),
        ),
      );
    } catch (thrown) {
      problem.value = claimProblem(thrown);
    }
    isBusy.value = false;
  };
  return (
    <form onSubmit={(event) => void onSubmit(event)}>
      {children}
      <Problem text={problem.value} />
      <button class="primary" disabled={isBusy.value}>
        {submit}
      </button>
      {isUnencrypted() && <p class="stale">{words().signIn.unencrypted}</p>}
    </form>
  );
}
