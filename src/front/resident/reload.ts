import { effect } from '@preact/signals';
import { watchProgram } from '../web/program-update.js';
import type { App } from './app.js';

/**
 * Loads the page again after an update of the gateway, or when the owner requests it, as soon as no popup is shown,
 * which it would remove.
 */
export function reloadWhenRead({ gateway, messages }: App): void {
  const loadOverlay = () => import('./messages/overlay.js');
  // Now, because an update may remove it. The browser keeps it for the popups.
  loadOverlay().catch(() => undefined);
  watchProgram(gateway, () => {
    // Nobody could close a popup that cannot be shown.
    const discard = () => (messages.shown.value = []);
    void loadOverlay()
      .catch(discard)
      .then(() => (messages.isOutdated.value = true));
  });
  effect(() => {
    if (messages.isOutdated.value && messages.shown.value.every(({ kind }) => kind !== 'popup'))
      location.reload();
  });
}
