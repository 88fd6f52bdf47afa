import { locale } from '../../web/i18n/i18n.js';

const en = {
  title: 'Replace another box',
  hint: 'Restore a backup of it here, with its owner. An encrypted backup on another machine also has its records and certificates.',
  file: 'Backup file',
  fileHint: 'Ends in .db: from the console, System, Backups, or from the directory backups of its data',
  notSent: 'The gateway did not reply. Nothing has changed: try again.',
  kind: 'Where is the backup?',
  key: 'Recovery key',
  keyHint: '8 groups of 7 letters and digits',
  submit: 'Restore',
  busy: 'The backup is being fetched and checked. This may take some minutes.',
  done: 'The backup was fetched. The gateway restarts with it; this page continues by itself. A gateway that was started without systemd must be started again.',
};

const de: typeof en = {
  title: 'Ein anderes Gerät ersetzen',
  hint: 'Stellen Sie hier eine Sicherung des anderen Geräts wieder her, samt seinem Besitzer. Eine verschlüsselte Sicherung auf einem anderen Gerät enthält auch Aufzeichnungen und Zertifikate.',
  file: 'Sicherungsdatei',
  fileHint: 'Endet auf .db: aus der Konsole, System, Sicherungen, oder aus dem Verzeichnis backups der Daten',
  notSent: 'Das Gateway hat nicht geantwortet. Es hat sich nichts geändert: Versuchen Sie es erneut.',
  kind: 'Wo ist die Sicherung?',
  key: 'Wiederherstellungsschlüssel',
  keyHint: '8 Gruppen aus 7 Buchstaben und Ziffern',
  submit: 'Wiederherstellen',
  busy: 'Die Sicherung wird geholt und geprüft. Das kann einige Minuten dauern.',
  done: 'Die Sicherung wurde geholt. Das Gateway startet damit neu; diese Seite macht von selbst weiter. Ein Gateway, das ohne systemd gestartet wurde, muss erneut gestartet werden.',
};

/** The texts of the form that replaces another box, in the user's language. Reading them subscribes to it. */
export function replacementTexts(): typeof en {
  return locale() === 'de' ? de : en;
}
