import { signal } from '@preact/signals';
import type { ComponentType } from 'preact';
import { texts } from '../i18n/i18n.js';

/**
 * A component in a chunk of its own, loaded when it is first shown. Meanwhile it says so, unless it is
 * `isQuiet`. Without a connection it is tried again when it is shown the next time.
 */
export function lazy<P extends object>(
  load: () => Promise<ComponentType<P>>,
  isQuiet = false,
): ComponentType<P> {
  const state = signal<{ readonly component?: ComponentType<P>; readonly hasFailed: boolean }>({
    hasFailed: false,
  });
  let isLoading = false;
  return function Lazy(props: P) {
    const { component: Loaded, hasFailed } = state.value;
    if (Loaded !== undefined) return <Loaded {...props} />;
    if (!isLoading) {
      isLoading = true;
      load().then(
        (component) => (state.value = { component, hasFailed: false }),
        () => {
          isLoading = false;
          if (!hasFailed) state.value = { hasFailed: true };
        },
      );
    }
    if (isQuiet) return null;
    return hasFailed ? <p role="alert">{texts().notLoaded}</p> : <p class="loading">{texts().loading}</p>;
  };
}
