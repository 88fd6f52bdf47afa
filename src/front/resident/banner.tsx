import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { realTiming } from '../../client/timing.js';
import { texts } from '../web/i18n/i18n.js';
import { useApp } from './app.js';

/** How long the page says that it is connected again, ms. */
const RESTORED_MS = 4000;

/** Says that the page shows an older state, and since when; then that it no longer does. */
export function ConnectionBanner() {
  const app = useApp();
  const state = app.gateway.state.value;
  const isRestored = useSignal(false);
  const wasLost = useRef(false);
  useEffect(() => {
    if (state.kind !== 'live') {
      wasLost.current ||= state.kind === 'lost';
      return;
    }
    isRestored.value = wasLost.current;
    wasLost.current = false;
    const cancel = realTiming.after(RESTORED_MS, () => (isRestored.value = false));
    return () => {
      cancel();
      isRestored.value = false;
    };
  }, [state.kind]);
  const { link } = texts();
  return (
    <div role="alert" class="banner-place">
      {state.kind === 'lost' ? (
        <p class="banner">
          {app.gateway.isLoaded.value
            ? link.lost(app.moment(state.sinceMs + app.gateway.clockOffsetMs.peek()))
            : link.none}
        </p>
      ) : (
        isRestored.value && <p class="restored">{link.restored}</p>
      )}
    </div>
  );
}
