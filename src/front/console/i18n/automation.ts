import { locale } from '../../web/i18n/i18n.js';
import { deAutomation } from './de-automation.js';
import { enAutomation } from './en-automation.js';

/** Texts of the log, scripts, events, the archive and fronts: English is the model. */
export type AutomationTexts = typeof enAutomation;

/** The texts in the user's language. Reading them subscribes to it. */
export function automation(): AutomationTexts {
  return locale() === 'de' ? deAutomation : enAutomation;
}
