import { locale } from '../../web/i18n/i18n.js';

const en = {
  title: 'This gateway has no owner yet',
  why: 'The claim code shows that the gateway is yours.',
  code: 'Claim code',
  codeHint: 'A box shows it on its screen. On other machines, this command prints it:',
  next: 'Continue',
  wrong: 'This code is wrong. The gateway makes a new one at every start: print it again.',
  wait: (s: number) => `Too many attempts. Try again in ${s} ${s === 1 ? 'second' : 'seconds'}.`,
  failed: 'It did not work. Perhaps the gateway has an owner by now: reload the page.',
  setTitle: 'Set up this gateway',
  setWhy: 'Only the password is required. The console can change the rest later.',
  submit: 'Set the password',
  owner: 'Owner',
  settings: 'Settings',
  hostname: 'Name of the gateway',
  hostnameHint:
    'Letters, digits and hyphens. A box that was flashed with an image has this name in the network after its next start.',
  hostnameRules: 'Use 1 to 63 letters, digits and hyphens, with no hyphen at the ends.',
  language: 'Language of the pages',
  timezone: 'Time zone',
  timezoneHint: 'For schedules and dates',
  place: 'Place',
  placeHint: 'For sunrise and sunset. Two decimals are enough.',
  noPlace: 'Not set',
  ownPlace: 'Other: enter the degrees below',
  latitude: 'Latitude (north is positive)',
  longitude: 'Longitude (east is positive)',
  network: 'Network',
  networkHint: 'The gateway can be reached at:',
  noNetwork: 'This machine has no address in a network.',
};

const de: typeof en = {
  title: 'Dieses Gateway hat noch keinen Besitzer',
  why: 'Der Einrichtungscode zeigt, dass das Gateway Ihnen gehört.',
  code: 'Einrichtungscode',
  codeHint: 'Eine Box zeigt ihn auf ihrem Bildschirm. Auf anderen Geräten gibt ihn dieser Befehl aus:',
  next: 'Weiter',
  wrong:
    'Dieser Code ist falsch. Das Gateway erzeugt bei jedem Start einen neuen: Rufen Sie den Code erneut ab.',
  wait: (s) => `Zu viele Versuche. In ${s} ${s === 1 ? 'Sekunde' : 'Sekunden'} wieder möglich.`,
  failed:
    'Das hat nicht funktioniert. Vielleicht hat das Gateway inzwischen einen Besitzer: Laden Sie die Seite neu.',
  setTitle: 'Dieses Gateway einrichten',
  setWhy: 'Nur das Passwort ist nötig. Alles andere lässt sich später in der Konsole ändern.',
  submit: 'Passwort setzen',
  owner: 'Besitzer',
  settings: 'Einstellungen',
  hostname: 'Name des Gateways',
  hostnameHint:
    'Buchstaben, Ziffern und Bindestriche. Eine Box, die mit einem Abbild beschrieben wurde, heißt nach ihrem nächsten Start im Netz so.',
  hostnameRules: 'Bitte 1 bis 63 Buchstaben, Ziffern und Bindestriche, kein Bindestrich am Anfang oder Ende.',
  language: 'Sprache der Seiten',
  timezone: 'Zeitzone',
  timezoneHint: 'Für Zeitpläne und Datumsangaben',
  place: 'Ort',
  placeHint: 'Für Sonnenauf- und -untergang. Zwei Nachkommastellen genügen.',
  noPlace: 'Nicht festgelegt',
  ownPlace: 'Anderer: Gradzahlen unten eingeben',
  latitude: 'Breite (Norden ist positiv)',
  longitude: 'Länge (Osten ist positiv)',
  network: 'Netz',
  networkHint: 'Das Gateway ist erreichbar unter:',
  noNetwork: 'Dieses Gerät hat keine Adresse in einem Netz.',
};

/** The texts of the page of a gateway without an owner, which few people see. */
export const firstPageTexts = (): typeof en => (locale() === 'de' ? de : en);
