import { useSignal } from '@preact/signals';
import { useApp } from '../app.js';

interface KeptInput<T> {
  readonly value: T | undefined;
  /** The current value, also after an `await`. Does not subscribe. */
  readonly peek: () => T | undefined;
  /** Undefined: forgets what was entered. */
  readonly set: (entered: T | undefined) => void;
}

/**
 * What is entered into a form that has secrets. As with `useDraft`, it survives leaving the page and the end of
 * the session, except what `withoutSecrets` removes: that is known only while the form is shown.
 */
export function useKeptInput<T>(key: string, withoutSecrets: (entered: T) => T | undefined): KeptInput<T> {
  const kept = useApp().form<T>(key);
  const entered = useSignal<T | undefined>(undefined);
  return {
    value: entered.value ?? kept.value,
    peek: () => entered.peek() ?? kept.peek(),
    set: (next) => {
      entered.value = next;
      kept.value = next === undefined ? undefined : withoutSecrets(next);
    },
  };
}
