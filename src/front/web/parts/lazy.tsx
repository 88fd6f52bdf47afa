import { useSignal } from '@preact/signals';
import type { ComponentType } from 'preact';
import { useEffect } from 'preact/hooks';
import { texts } from '../i18n/i18n.js';

/** A component in a chunk of its own, loaded when it is first shown. */
export function lazy<P extends object>(load: () => Promise<ComponentType<P>>): ComponentType<P> {
  let loaded: ComponentType<P> | undefined;
  return function Lazy(props: P) {
    const isLoaded = useSignal(loaded !== undefined);
    const hasFailed = useSignal(false);
    useEffect(() => {
      if (loaded !== undefined) return;
      load().then(
        (component) => {
          loaded = component;
          isLoaded.value = true;
        },
        () => (hasFailed.value = true),
      );
    }, []);
    if (hasFailed.value) return <p role="alert">{texts().notLoaded}</p>;
    const Loaded = loaded;
    return isLoaded.value && Loaded !== undefined ? <Loaded {...props} /> : <p>{texts().loading}</p>;
  };
}
