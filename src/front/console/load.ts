import { type ReadonlySignal, useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { Cancel } from '../../base/clock.js';
import type { ChangeRecord } from '../../client/generated/records.js';
import { realTiming } from '../../client/timing.js';
import { readErrorText, useApp } from './app.js';

/** What a call returned, or why it failed; undefined while it is in flight. */
export type Loaded<T> = { readonly value: T } | { readonly error: string } | undefined;

/**
 * Calls when the component appears, and again whenever a key changes, `reload` is called, or a lost connection
 * is back: the gateway may have been restarted. The newest call wins. `refresh` does not discard a call in
 * flight, but repeats it: what changes faster than the gateway replies is shown nevertheless.
 */
export function useLoaded<T>(
  load: () => Promise<T>,
  keys: readonly unknown[],
): { readonly state: ReadonlySignal<Loaded<T>>; readonly reload: () => void; readonly refresh: () => void } {
  const state = useSignal<Loaded<T>>(undefined);
  const count = useSignal(0);
  const refresh = useRef<() => void>(() => undefined);
  const isLive = useApp().gateway.state.value.kind === 'live';
  useEffect(() => {
    if (!isLive) return undefined;
    let isCurrent = true;
    let isLoading = false;
    let isOutdated = false;
    const run = () => {
      isOutdated = isLoading;
      if (isLoading) return;
      isLoading = true;
      const end = (loaded: Loaded<T>) => {
        if (!isCurrent) return;
        isLoading = false;
        state.value = loaded;
        if (isOutdated) run();
      };
      load().then(
        (value) => end({ value }),
        (thrown: unknown) => end({ error: readErrorText(thrown) }),
      );
    };
    refresh.current = run;
    run();
    return () => {
      isCurrent = false;
      refresh.current = () => undefined;
    };
  }, [...keys, count.value, isLive]);
  return { state, reload: () => (count.value += 1), refresh: () => refresh.current() };
}

/** Calls back while messages that `isAbout` accepts arrive, at most once in `ms`. Default: all messages. */
export function useActivity(
  ms: number,
  callback: () => void,
  isAbout: (record: ChangeRecord) => boolean = () => true,
): void {
  const { gateway } = useApp();
  const newest = useRef(callback);
  newest.current = callback;
  useEffect(() => {
    let cancel: Cancel | undefined;
    const stop = gateway.observe((record) => {
      if (!isAbout(record)) return;
      cancel ??= realTiming.after(ms, () => {
        cancel = undefined;
        newest.current();
      });
    });
    return () => {
      stop();
      cancel?.();
    };
  }, []);
}
