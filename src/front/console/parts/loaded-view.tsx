import type { ReadonlySignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { texts } from '../../web/i18n/i18n.js';
import type { Loaded } from '../load.js';
import { Problem } from './problem.js';

interface LoadedViewProps<T> {
  readonly state: ReadonlySignal<Loaded<T>>;
  readonly children: (value: T) => ComponentChildren;
}

/** Shows what was loaded, the error, or that it is still loading. */
export function LoadedView<T>({ state, children }: LoadedViewProps<T>) {
  const loaded = state.value;
  if (loaded === undefined) return <p class="soft">{texts().loading}</p>;
  if ('error' in loaded) return <Problem text={loaded.error} />;
  return <>{children(loaded.value)}</>;
}
