import { locale } from '../../web/i18n/i18n.js';

const en = {
  default: 'default',
  restart: 'Applies after a restart.',
  perName: 'for each subject',
  add: 'Add',
  remove: 'Remove',
  removeOf: (name: string) => `Remove ${name}`,
  name: 'New name',
  review: 'Review and save',
  discard: 'Discard changes',
  unchanged: 'Nothing has changed.',
  question: 'Save these changes?',
  save: 'Save and apply',
  saved: 'Saved and applied.',
  changed: (path: string, before: string, after: string) => `${path}: ${before} → ${after}`,
  removed: 'removed',
  secret: '(hidden)',
  listeners: 'A listener is opened or closed: this page may lose its connection, and be at another address.',
  afterRestart: 'applies after a restart',
  others: 'Other findings in the configuration',
  needsRestart: (keys: string) => `Saved. Applies after a restart: ${keys}.`,
  hint: 'Residents’ areas and the owner’s login are under Passwords; objects are in the tree; everything else is also in the text of the configuration.',
};

const de: typeof en = {
  default: 'Standard',
  restart: 'Gilt nach einem Neustart.',
  perName: 'je Thema',
  add: 'Hinzufügen',
  remove: 'Entfernen',
  removeOf: (name) => `${name} entfernen`,
  name: 'Neuer Name',
  review: 'Prüfen und speichern',
  discard: 'Änderungen verwerfen',
  unchanged: 'Nichts geändert.',
  question: 'Diese Änderungen speichern?',
  save: 'Speichern und anwenden',
  saved: 'Gespeichert und angewendet.',
  changed: (path, before, after) => `${path}: ${before} → ${after}`,
  removed: 'entfernt',
  secret: '(verborgen)',
  listeners:
    'Ein Zugang wird geöffnet oder geschlossen: Diese Seite kann die Verbindung verlieren und unter einer anderen Adresse sein.',
  afterRestart: 'gilt nach einem Neustart',
  others: 'Weitere Befunde in der Konfiguration',
  needsRestart: (keys) => `Gespeichert. Gilt nach einem Neustart: ${keys}.`,
  hint: 'Bereiche der Bewohner und die Anmeldung des Besitzers stehen unter Passwörter, Objekte im Baum; alles andere auch im Text der Konfiguration.',
};

/** The texts of the forms for settings. */
export const settingTexts = () => (locale() === 'de' ? de : en);
