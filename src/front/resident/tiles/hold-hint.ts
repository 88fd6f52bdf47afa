import { texts } from '../../web/i18n/i18n.js';

/** How long a dangerous command must be held, ms. */
export const HOLD_MS = 600;

/** What is missing at a button that must be held. */
export function hintText(hint: 'hold' | 'again'): string {
  const { tile } = texts();
  return hint === 'hold' ? tile.hold : tile.holdKeys;
}
