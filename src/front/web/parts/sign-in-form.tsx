import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { signIn, type SignInResult } from '../sign-in.js';

interface SignInTexts {
  readonly submit: string;
  readonly wrong: string;
  readonly wait: (seconds: number) => string;
  readonly failed: string;
  readonly ended: string;
}

interface SignInFormProps {
  /** Where the credentials are sent. */
  readonly path: string;
  /** The names of the inputs whose values are the credentials. */
  readonly fields: readonly string[];
  readonly texts: SignInTexts;
  /** The session has ended: the form says so until it is submitted. */
  readonly hasEnded: boolean;
  readonly onSignedIn: (values: Readonly<Record<string, string>>) => void;
  /** The labels with their inputs. */
  readonly children: ComponentChildren;
  readonly note?: ComponentChildren;
}

/** A form that starts a session. What is typed goes to the gateway and is kept nowhere. */
export function SignInForm({ path, fields, texts, hasEnded, onSignedIn, children, note }: SignInFormProps) {
  const isBusy = useSignal(false);
  const result = useSignal<SignInResult | undefined>(undefined);
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget as HTMLFormElement);
    const values = Object.fromEntries(
      fields.map((name) => {
        const value = form.get(name);
        return [name, typeof value === 'string' ? value : ''] as const;
      }),
    );
    isBusy.value = true;
    const outcome = await signIn(path, values);
    isBusy.value = false;
    result.value = outcome;
    if (outcome.kind === 'signed-in') onSignedIn(values);
  };
  const problem = result.value === undefined ? (hasEnded ? texts.ended : '') : problemOf(result.value, texts);
  return (
    <form onSubmit={(event) => void submit(event)}>
      {problem !== '' && (
        <p class="problem" role="alert">
          {problem}
        </p>
      )}
      {children}
      <button class="primary" disabled={isBusy.value}>
        {texts.submit}
      </button>
      {note}
    </form>
  );
}

function problemOf(result: SignInResult, texts: SignInTexts): string {
  switch (result.kind) {
    case 'signed-in':
      return '';
    case 'wait':
      return texts.wait(result.seconds);
    case 'wrong':
    case 'failed':
      return texts[result.kind];
  }
}
