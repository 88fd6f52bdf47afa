import { texts } from '../../web/i18n/i18n.js';
import type { App } from '../app.js';

/** How long a dangerous command must be held, ms. */
export const HOLD_MS = 600;

/** How long the button of an object must be held; undefined: it need not be held. */
export function holdMsOf(app: App, id: number): number | undefined {
  return app.mustConfirm.value(id) ? HOLD_MS : undefined;
}

/** What is missing at a button that must be held. */
export function hintText(hint: 'hold' | 'again'): string {
  const { tile } = texts();
  return hint === 'hold' ? tile.hold : tile.holdKeys;
}
