import { locale } from './i18n.js';
import type { Widened } from './texts.js';

const en = {
  hour: 'Hour',
  day: 'Day',
  week: 'Week',
  month: 'Month',
  year: 'Year',
  empty: 'No records in this period.',
  time: 'Time',
  value: 'Value',
  period: 'Period',
  cut: 'Only the newest records are shown.',
} as const;

const de: Widened<typeof en> = {
  hour: 'Stunde',
  day: 'Tag',
  week: 'Woche',
  month: 'Monat',
  year: 'Jahr',
  empty: 'Keine Aufzeichnungen in diesem Zeitraum.',
  time: 'Zeit',
  value: 'Wert',
  period: 'Zeitraum',
  cut: 'Nur die neuesten Aufzeichnungen werden gezeigt.',
};

/** The texts of recorded values in the language of the page; they are loaded with a history only. */
export const recordTexts = (): Widened<typeof en> => (locale() === 'de' ? de : en);
