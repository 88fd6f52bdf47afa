import { texts } from '../web/i18n/i18n.js';
import { useApp } from './app.js';

/** Says that the page shows an older state, and since when. */
export function ConnectionBanner() {
  const app = useApp();
  const state = app.gateway.state.value;
  const isLost = state.kind === 'lost' && app.gateway.isLoaded.value;
  return (
    <div role="alert" class="banner-place">
      {isLost && (
        <p class="banner">{texts().link.lost(app.time(state.sinceMs + app.gateway.clockOffsetMs.peek()))}</p>
      )}
    </div>
  );
}
