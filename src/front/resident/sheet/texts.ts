import { locale } from '../../web/i18n/i18n.js';
import type { Widened } from '../../web/i18n/texts.js';

const en = {
  turnOn: 'Switch on',
  turnOff: 'Switch off',
  lastKnown: (value: string, age: string) => `Last known: ${value}, ${age}`,
  history: 'History',
  details: 'Details',
  changed: 'Last change',
  updated: 'Last report',
  never: 'never',
  addFavourite: 'Add to favourites',
  removeFavourite: 'Remove from favourites',
  diagnostics: 'Diagnostics',
  otherValues: 'More values',
  /** The states of a device, by the words of the gateway. */
  links: { closed: 'closed', opening: 'opening', online: 'online', waiting: 'waiting' },
  aNumber: 'A number, for example 21.5',
  since: (link: string, time: string) => `${link} since ${time}`,
} as const;
const de: Widened<typeof en> = {
  turnOn: 'Einschalten',
  turnOff: 'Ausschalten',
  lastKnown: (value, age) => `Zuletzt bekannt: ${value}, ${age}`,
  history: 'Verlauf',
  details: 'Einzelheiten',
  changed: 'Letzte Änderung',
  updated: 'Letzte Meldung',
  never: 'noch nie',
  addFavourite: 'Zu den Favoriten hinzufügen',
  removeFavourite: 'Aus den Favoriten entfernen',
  diagnostics: 'Diagnose',
  otherValues: 'Weitere Werte',
  links: { closed: 'geschlossen', opening: 'wird geöffnet', online: 'online', waiting: 'wartet' },
  aNumber: 'Eine Zahl, zum Beispiel 21,5',
  since: (link, time) => `${link} seit ${time}`,
};

/** Texts that only the details of a tile need. */
export const sheetTexts = (): Widened<typeof en> => (locale() === 'de' ? de : en);
