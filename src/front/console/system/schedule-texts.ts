import { locale } from '../../web/i18n/i18n.js';

const en = {
  title: 'When backups are made',
  at: 'Time of the daily backup',
  atHint: (zone: string) =>
    `Time zone ${zone}. If the gateway is off at that time, the backup is made after the start.`,
  verify: 'Compare the newest backup',
  verifyHint: 'with what a restore makes of it',
  weekly: 'every week',
  off: 'only on request',
  keep: 'Backups that are kept',
  days: 'Days',
  weeks: 'Weeks',
  months: 'Months',
  keepHint: 'For that many days, weeks and months, the newest backup of each is kept on each target.',
  save: 'Save',
  discard: 'Discard',
};

const de: typeof en = {
  title: 'Wann gesichert wird',
  at: 'Uhrzeit der täglichen Sicherung',
  atHint: (zone) => `Zeitzone ${zone}. Ist das Gateway dann aus, wird nach dem Start gesichert.`,
  verify: 'Neueste Sicherung vergleichen',
  verifyHint: 'mit dem, was eine Wiederherstellung daraus macht',
  weekly: 'jede Woche',
  off: 'nur auf Anforderung',
  keep: 'Aufbewahrte Sicherungen',
  days: 'Tage',
  weeks: 'Wochen',
  months: 'Monate',
  keepHint: 'Auf jedem Ziel bleibt für so viele Tage, Wochen und Monate jeweils die neueste Sicherung.',
  save: 'Speichern',
  discard: 'Verwerfen',
};

/** The texts about when backups are made, in the user's language. Reading them subscribes to it. */
export function scheduleTexts(): typeof en {
  return locale() === 'de' ? de : en;
}
