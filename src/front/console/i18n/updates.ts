import { locale } from '../../web/i18n/i18n.js';

const en = {
  title: 'Updates of this box',
  noBox:
    'This machine has no slots for updates: it does not run an image of the box. Update its package instead.',
  slot: (name: string, version: string) => `Slot ${name}: ${version}`,
  unknown: 'unknown version',
  runs: 'runs',
  isNext: 'used at the next start',
  unusable: 'not usable',
  rolledBack: (version: string) =>
    `${version} was rolled back, because it was not healthy or rejected the configuration.`,
  busy: {
    waiting: 'The request was sent …',
    download: 'The update is being downloaded …',
    install: 'The update is being installed …',
    back: 'The slots are being switched …',
  } as Readonly<Record<string, string>>,
  failed: (reason: string) => `The last request failed: ${reason}`,
  restartHint: (version: string) => `${version} is ready. The box uses it after a restart.`,
  restart: 'Restart the box',
  restartQuestion: 'Restart the box now?',
  restartEffect:
    'Outputs keep their safe states. The pages are back after some minutes. A version that does not become healthy is rolled back.',
  restarting: 'The box is restarting.',
  back: 'Use the other version',
  backQuestion: (version: string) => `Use ${version} at the next start?`,
  backEffect:
    'Configuration and data stay as they are. The version that runs now is not installed automatically again.',
  available: (version: string) => `Version ${version} is available.`,
  none: 'No newer version was found.',
  checked: (time: string) => `Last check: ${time}`,
  next: (time: string) => `next: ${time}`,
  check: 'Check now',
  install: (version: string) => `Install ${version}`,
  installQuestion: (version: string) => `Install ${version}?`,
  installEffect: 'It is written to the slot that does not run. Nothing changes until the box is restarted.',
  stick: 'Update from a USB stick or an address',
  source: 'File or URL',
  sourceHint: 'For example /media/stick/stellwerk-box-rpi-0.3.0.raucb, or https://…',
  installSource: 'Install',
  schedule: 'Check for updates',
  isOff: 'Off: the box does not check for updates.',
  url: 'Address',
  urlHint: 'The file stellwerk-box-BOARD.json of the publisher. Empty: no checks.',
  auto: 'Install newer versions and restart in the window',
  from: 'Window from',
  to: 'to',
  windowHint: (zone: string) => `The box checks, installs and restarts only then. Time zone ${zone}.`,
  yes: 'yes',
  no: 'no',
  save: 'Save',
  discard: 'Discard',
};

const de: typeof en = {
  title: 'Updates dieses Geräts',
  noBox:
    'Dieses Gerät hat keine zwei Systeme für Updates: Auf ihm läuft nicht das Abbild der Box. Aktualisieren Sie stattdessen das Paket stellwerk.',
  slot: (name, version) => `System ${name}: ${version}`,
  unknown: 'unbekannte Version',
  runs: 'läuft',
  isNext: 'ab dem nächsten Start',
  unusable: 'nicht verwendbar',
  rolledBack: (version) =>
    `${version} wurde zurückgenommen, weil sie nicht fehlerfrei lief oder die Konfiguration ablehnte.`,
  busy: {
    waiting: 'Der Auftrag wurde erteilt …',
    download: 'Das Update wird geladen …',
    install: 'Das Update wird installiert …',
    back: 'Die Systeme werden getauscht …',
  },
  failed: (reason) => `Der letzte Auftrag ist fehlgeschlagen: ${reason}`,
  restartHint: (version) => `${version} ist bereit. Das Gerät verwendet sie nach einem Neustart.`,
  restart: 'Gerät neu starten',
  restartQuestion: 'Das Gerät jetzt neu starten?',
  restartEffect:
    'Ausgänge behalten ihre sicheren Zustände. Die Seiten sind nach einigen Minuten wieder da. Eine Version, die nicht fehlerfrei läuft, wird zurückgenommen.',
  restarting: 'Das Gerät startet neu.',
  back: 'Andere Version verwenden',
  backQuestion: (version) => `Beim nächsten Start ${version} verwenden?`,
  backEffect:
    'Konfiguration und Daten bleiben, wie sie sind. Die Version, die jetzt läuft, wird nicht wieder automatisch installiert.',
  available: (version) => `Version ${version} ist verfügbar.`,
  none: 'Es wurde keine neuere Version gefunden.',
  checked: (time) => `Letzte Suche: ${time}`,
  next: (time) => `nächste: ${time}`,
  check: 'Jetzt suchen',
  install: (version) => `${version} installieren`,
  installQuestion: (version) => `${version} installieren?`,
  installEffect:
    'Sie wird auf das System geschrieben, das nicht läuft. Vor einem Neustart des Geräts ändert sich nichts.',
  stick: 'Update von einem USB-Stick oder einer Adresse',
  source: 'Datei oder URL',
  sourceHint: 'Zum Beispiel /media/stick/stellwerk-box-rpi-0.3.0.raucb oder https://…',
  installSource: 'Installieren',
  schedule: 'Nach Updates suchen',
  isOff: 'Aus: Das Gerät sucht nicht nach Updates.',
  url: 'Adresse',
  urlHint: 'Die Datei stellwerk-box-BOARD.json des Herausgebers. Leer: keine Suche.',
  auto: 'Neuere Versionen im Zeitfenster installieren und neu starten',
  from: 'Zeitfenster von',
  to: 'bis',
  windowHint: (zone) => `Nur dann sucht und installiert das Gerät Updates und startet neu. Zeitzone ${zone}.`,
  yes: 'ja',
  no: 'nein',
  save: 'Speichern',
  discard: 'Verwerfen',
};

/** The texts about updates of a box, in the user's language. Reading them subscribes to it. */
export function updateTexts(): typeof en {
  return locale() === 'de' ? de : en;
}
