import { texts } from '../web/i18n/i18n.js';
import { useApp } from './app.js';

/** Says that the page shows an older state, and since when. */
export function ConnectionBanner() {
  const app = useApp();
  const state = app.gateway.state.value;
  if (state.kind === 'lost')
    return (
      <p class="banner" role="alert">
        {texts().link.lost(app.time(state.sinceMs + app.gateway.clockOffsetMs.peek()))}
      </p>
    );
  return null;
}
