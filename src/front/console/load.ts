import { type ReadonlySignal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { errorText } from './app.js';

/** What a call returned, or why it failed; undefined while it is in flight. */
export type Loaded<T> = { readonly value: T } | { readonly error: string } | undefined;

/**
 * Calls when the component appears, and again whenever a key changes or `reload` is called. The newest call
 * wins.
 */
export function useLoaded<T>(
  load: () => Promise<T>,
  keys: readonly unknown[],
): { readonly state: ReadonlySignal<Loaded<T>>; readonly reload: () => void } {
  const state = useSignal<Loaded<T>>(undefined);
  const count = useSignal(0);
  useEffect(() => {
    let isCurrent = true;
    load().then(
      (value) => isCurrent && (state.value = { value }),
      (thrown: unknown) => isCurrent && (state.value = { error: errorText(thrown) }),
    );
    return () => {
      isCurrent = false;
    };
  }, [...keys, count.value]);
  return { state, reload: () => (count.value += 1) };
}
