import { texts } from '../web/i18n/i18n.js';
import { useApp } from './app.js';

/** Says that the page shows an older state, and since when. */
export function ConnectionBanner() {
  const app = useApp();
  const state = app.gateway.state.value;
  const { link } = texts();
  return (
    <div role="alert" class="banner-place">
      {state.kind === 'lost' && (
        <p class="banner">
          {app.gateway.isLoaded.value
            ? link.lost(app.time(state.sinceMs + app.gateway.clockOffsetMs.peek()))
            : link.none}
        </p>
      )}
    </div>
  );
}
