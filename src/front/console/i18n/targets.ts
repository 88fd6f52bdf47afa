import { locale } from '../../web/i18n/i18n.js';

const en = {
  title: 'Encrypted backups on other machines',
  none: 'None is configured. Add a target under backup.targets in the configuration: a stick, WebDAV, S3 or SFTP.',
  key: (id: string) => `The recovery key ${id} encrypts the backups.`,
  noKey: 'There is no recovery key yet. Without one, no backup is stored.',
  newKey: 'This is the recovery key. It is shown this once: write it down, and keep it away from the box.',
  createKey: 'Create the recovery key',
  replaceKey: 'Create another key',
  replaceQuestion: 'Create another recovery key?',
  replaceHint: 'Backups that exist stay, and need the former key. The next backup stores everything again.',
  never: 'never',
  kinds: { path: 'directory', webdav: 'WebDAV', s3: 'S3', sftp: 'SFTP' } as Readonly<Record<string, string>>,
  times: (last: string, verified: string, next: string) =>
    `last backup: ${last} · compared: ${verified} · next: ${next}`,
  run: 'Back up now',
  runOn: (name: string) => `Back up to ${name} now`,
  busy: 'In progress …',
  stored: (name: string) => `A backup was stored on ${name}.`,
  verify: 'Verify',
  verifyOf: (name: string) => `Verify the newest backup on ${name}`,
  verified: (name: string) => `The newest backup on ${name} was restored for comparison and is complete.`,
  restore: 'Restore',
  restoreOf: (name: string) => `Restore the newest backup on ${name}`,
  restoreQuestion: (name: string) => `Restore the newest backup on ${name}?`,
  restoreHint:
    'It is fetched now and restored at the next start, with the records of the archive and the certificates. What is there now is kept under other names.',
  fetched: 'The backup was fetched and is restored at the next start.',
  reset: {
    action: 'Factory reset',
    hint: 'Deletes everything on this gateway, local backups and the recovery key included. Backups on other machines stay.',
    question: 'Delete everything on this gateway?',
    effect:
      'The gateway ends. Its next start deletes objects, values, records, scripts, media, passwords and local backups. This cannot be undone.',
    done: 'The gateway ends, and is reset at its next start.',
  },
  claim: {
    title: 'Replace another box',
    hint: 'Restore its newest encrypted backup here, with its owner, its records and its certificates.',
    kind: 'Where is the backup?',
    path: 'Directory on this machine',
    url: 'URL of the folder',
    username: 'User name',
    password: 'Password of the server',
    endpoint: 'Endpoint',
    region: 'Region',
    bucket: 'Bucket',
    prefix: 'Prefix, if there is one',
    accessKey: 'Access key',
    secretKey: 'Secret key',
    key: 'Recovery key',
    keyHint: '8 groups of 7 letters and digits',
    submit: 'Restore',
    busy: 'The backup is fetched and checked. This may take some minutes.',
    done: 'The backup was fetched. The gateway restarts with it; this page continues by itself. A gateway that was started without systemd must be started again.',
  },
};

const de: typeof en = {
  title: 'Verschlüsselte Sicherungen auf anderen Geräten',
  none: 'Es ist keines eingerichtet. Ein Ziel steht in der Konfiguration unter backup.targets: ein Stick, WebDAV, S3 oder SFTP.',
  key: (id) => `Der Wiederherstellungsschlüssel ${id} verschlüsselt die Sicherungen.`,
  noKey: 'Es gibt noch keinen Wiederherstellungsschlüssel. Ohne ihn wird keine Sicherung abgelegt.',
  newKey:
    'Das ist der Wiederherstellungsschlüssel. Er wird nur dieses eine Mal gezeigt: Schreiben Sie ihn auf, und bewahren Sie ihn getrennt vom Gerät auf.',
  createKey: 'Wiederherstellungsschlüssel erzeugen',
  replaceKey: 'Anderen Schlüssel erzeugen',
  replaceQuestion: 'Einen anderen Wiederherstellungsschlüssel erzeugen?',
  replaceHint:
    'Vorhandene Sicherungen bleiben und brauchen den bisherigen Schlüssel. Die nächste Sicherung legt alles noch einmal ab.',
  never: 'nie',
  kinds: { path: 'Verzeichnis', webdav: 'WebDAV', s3: 'S3', sftp: 'SFTP' },
  times: (last, verified, next) => `letzte Sicherung: ${last} · verglichen: ${verified} · nächste: ${next}`,
  run: 'Jetzt sichern',
  runOn: (name) => `Jetzt auf ${name} sichern`,
  busy: 'Läuft …',
  stored: (name) => `Auf ${name} wurde eine Sicherung abgelegt.`,
  verify: 'Prüfen',
  verifyOf: (name) => `Die neueste Sicherung auf ${name} prüfen`,
  verified: (name) =>
    `Die neueste Sicherung auf ${name} wurde zum Vergleich wiederhergestellt und ist vollständig.`,
  restore: 'Wiederherstellen',
  restoreOf: (name) => `Die neueste Sicherung auf ${name} wiederherstellen`,
  restoreQuestion: (name) => `Die neueste Sicherung auf ${name} wiederherstellen?`,
  restoreHint:
    'Sie wird jetzt geholt und beim nächsten Start wiederhergestellt, mit den Aufzeichnungen des Archivs und den Zertifikaten. Was jetzt da ist, bleibt unter anderen Namen erhalten.',
  fetched: 'Die Sicherung wurde geholt und wird beim nächsten Start wiederhergestellt.',
  reset: {
    action: 'Auf Werkszustand zurücksetzen',
    hint: 'Löscht alles auf diesem Gateway, auch lokale Sicherungen und den Wiederherstellungsschlüssel. Sicherungen auf anderen Geräten bleiben.',
    question: 'Alles auf diesem Gateway löschen?',
    effect:
      'Das Gateway endet. Sein nächster Start löscht Objekte, Werte, Aufzeichnungen, Skripte, Medien, Passwörter und lokale Sicherungen. Das lässt sich nicht rückgängig machen.',
    done: 'Das Gateway endet und wird beim nächsten Start zurückgesetzt.',
  },
  claim: {
    title: 'Ein anderes Gerät ersetzen',
    hint: 'Stellen Sie hier dessen neueste verschlüsselte Sicherung wieder her, mit Besitzer, Aufzeichnungen und Zertifikaten.',
    kind: 'Wo ist die Sicherung?',
    path: 'Verzeichnis auf diesem Gerät',
    url: 'URL des Ordners',
    username: 'Benutzername',
    password: 'Passwort des Servers',
    endpoint: 'Endpunkt',
    region: 'Region',
    bucket: 'Bucket',
    prefix: 'Präfix, falls es eines gibt',
    accessKey: 'Zugriffsschlüssel',
    secretKey: 'Geheimer Schlüssel',
    key: 'Wiederherstellungsschlüssel',
    keyHint: '8 Gruppen aus 7 Buchstaben und Ziffern',
    submit: 'Wiederherstellen',
    busy: 'Die Sicherung wird geholt und geprüft. Das kann einige Minuten dauern.',
    done: 'Die Sicherung wurde geholt. Das Gateway startet damit neu; diese Seite macht von selbst weiter. Ein Gateway, das ohne systemd gestartet wurde, muss erneut gestartet werden.',
  },
};

/** The texts about targets of backups, in the user's language. Reading them subscribes to it. */
export function targetTexts(): typeof en {
  return locale() === 'de' ? de : en;
}
