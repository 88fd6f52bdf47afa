import { locale } from '../../web/i18n/i18n.js';
import { deSystem } from './de-system.js';
import { enSystem } from './en-system.js';

/** Texts of the System page: English is the model. */
export type SystemTexts = typeof enSystem;

/** The texts in the user's language. Reading them subscribes to it. */
export function systemTexts(): SystemTexts {
  return locale() === 'de' ? deSystem : enSystem;
}
