import { effect } from '@preact/signals';
import { watchProgram } from '../web/program-update.js';
import type { App } from './app.js';

/** Loads the page again after an update of the gateway, as soon as no message is shown, which it would remove. */
export function reloadAfterUpdate({ gateway, messages }: App): void {
  watchProgram(gateway, () =>
    effect(() => {
      if (messages.shown.value.length === 0) location.reload();
    }),
  );
}
