import { type ReadonlySignal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { Cancel } from '../../base/clock.js';
import { realTiming } from '../../client/timing.js';
import { errorText, useApp } from './app.js';

/** What a call returned, or why it failed; undefined while it is in flight. */
export type Loaded<T> = { readonly value: T } | { readonly error: string } | undefined;

/**
 * Calls when the component appears, and again whenever a key changes, `reload` is called, or a lost connection
 * is back: the gateway may have been restarted. The newest call wins.
 */
export function useLoaded<T>(
  load: () => Promise<T>,
  keys: readonly unknown[],
): { readonly state: ReadonlySignal<Loaded<T>>; readonly reload: () => void } {
  const state = useSignal<Loaded<T>>(undefined);
  const count = useSignal(0);
  const isLive = useApp().gateway.state.value.kind === 'live';
  useEffect(() => {
    if (!isLive) return undefined;
    let isCurrent = true;
    load().then(
      (value) => isCurrent && (state.value = { value }),
      (thrown: unknown) => isCurrent && (state.value = { error: errorText(thrown) }),
    );
    return () => {
      isCurrent = false;
    };
  }, [...keys, count.value, isLive]);
  return { state, reload: () => (count.value += 1) };
}

/** Counts up while messages arrive, at most once in `ms`: a key of `useLoaded` for what has no messages. */
export function useActivity(ms: number): number {
  const { gateway } = useApp();
  const count = useSignal(0);
  useEffect(() => {
    let cancel: Cancel | undefined;
    const stop = gateway.observe(() => {
      cancel ??= realTiming.after(ms, () => {
        cancel = undefined;
        count.value += 1;
      });
    });
    return () => {
      stop();
      cancel?.();
    };
  }, []);
  return count.value;
}
