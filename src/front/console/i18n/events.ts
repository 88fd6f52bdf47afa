import { locale } from '../../web/i18n/i18n.js';
import { deEvents } from './de-events.js';
import { enEvents } from './en-events.js';

/** Texts of the events: English is the model. */
export type EventTexts = typeof enEvents;

/** The texts in the user's language. Reading them subscribes to it. */
export function eventTexts(): EventTexts {
  return locale() === 'de' ? deEvents : enEvents;
}
