import { type ReadonlySignal, useSignal } from '@preact/signals';

interface Submission {
  /** Another submission has to wait for this one. */
  readonly isBusy: ReadonlySignal<boolean>;
  readonly onSubmit: (event: SubmitEvent) => void;
}

/** Sends the entries of a form, one submission after the other, and calls `onDone` if it succeeded. */
export function useSubmit(send: (form: FormData) => Promise<boolean>, onDone: () => void): Submission {
  const isBusy = useSignal(false);
  const submit = async (form: FormData) => {
    isBusy.value = true;
    const isDone = await send(form);
    isBusy.value = false;
    if (isDone) onDone();
  };
  return {
    isBusy,
    onSubmit(event) {
      event.preventDefault();
      void submit(new FormData(event.currentTarget as HTMLFormElement));
    },
  };
}
