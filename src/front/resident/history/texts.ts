import { locale } from '../../web/i18n/i18n.js';
import type { Widened } from '../../web/i18n/texts.js';

const en = {
  previous: 'Earlier',
  next: 'Later',
  table: 'As a table',
  minimum: 'Minimum',
  maximum: 'Maximum',
  failed: 'The history could not be loaded.',
  chart: (name: string) => `History of ${name}`,
  loading: 'Loading the history …',
} as const;

const de: Widened<typeof en> = {
  previous: 'Früher',
  next: 'Später',
  table: 'Als Tabelle',
  minimum: 'Minimum',
  maximum: 'Maximum',
  failed: 'Der Verlauf konnte nicht geladen werden.',
  chart: (name) => `Verlauf von ${name}`,
  loading: 'Der Verlauf wird geladen …',
};

/** The texts in the language of the page; they are loaded with the history only. */
export const historyTexts = (): Widened<typeof en> => (locale() === 'de' ? de : en);
