/** Steps on one system: its name, how to recognise its browsers, and the steps as HTML. */
interface Instructions {
  readonly system: keyof typeof SYSTEMS;
  readonly name: string;
  readonly steps: readonly string[];
}

/** How a browser names its system (User-Agent); Firefox uses its own certificate store on computers only. */
export const SYSTEMS = {
  android: /Android/,
  ios: /iPhone|iPad|iPod/,
  windows: /Windows/,
  macos: /Macintosh/,
  linux: /X11|Linux(?!.*Android)/,
  firefox: /Firefox\/(?!.*Android)/,
} as const;

/** The texts of the page `/tls`; those with markup are HTML. */
interface TrustTexts {
  readonly title: string;
  readonly lead: string;
  readonly purpose: string;
  readonly limit: string;
  readonly download: string;
  readonly downloadLink: string;
  readonly pem: string;
  readonly compare: string;
  readonly compareHow: string;
  readonly install: string;
  readonly open: string;
  readonly openHow: string;
  readonly openLink: string;
  readonly ownersCertificate: string;
  readonly noTls: string;
  readonly back: string;
  readonly instructions: readonly Instructions[];
  readonly wrongName: {
    readonly title: string;
    readonly text: (name: string) => string;
    readonly owner: (name: string) => string;
    readonly open: string;
  };
}

const en: TrustTexts = {
  title: 'Trust this gateway',
  lead: 'Encrypted connections on a home network',
  purpose:
    'No public authority issues certificates for names and addresses of a home network. So this gateway has an authority of its own. Install its certificate once on each device: the browser then encrypts without a warning, installs the page as an app, and can receive notifications.',
  limit:
    'The authority can sign only names of home networks, such as those that end in .local. It cannot pretend to be other sites.',
  download: '1. Download the certificate',
  downloadLink: 'Certificate of the authority',
  pem: 'The same <a href="/tls/ca.pem">as PEM</a>, for Linux and programs.',
  compare: '2. Compare its fingerprint',
  compareHow:
    'Somebody in your network could have replaced this page. The owner sees the fingerprint on the machine itself with <code>sudo stellwerk doctor</code>. Go on only if it is the same (SHA-256):',
  install: '3. Install it on this device',
  open: '4. Open the gateway again',
  openHow: 'Restart the browser. Then no warning appears:',
  openLink: 'Open the gateway with TLS',
  ownersCertificate:
    'The owner has given this gateway a certificate. If your browser shows no warning, there is nothing to do; otherwise ask the owner.',
  noTls:
    'This gateway issues no certificates yet. The owner sets <code>tls: auto</code> for a web server in the configuration.',
  back: 'Back to the gateway',
  instructions: [
    {
      system: 'android',
      name: 'Android',
      steps: [
        'Download the certificate. If Android offers to install it, close that message.',
        'Open Settings, and search for <b>CA certificate</b>. It is under Security, <b>Encryption and credentials</b>, <b>Install a certificate</b>.',
        'Choose <b>CA certificate</b>, confirm <b>Install anyway</b>, and select the file among the downloads.',
      ],
    },
    {
      system: 'ios',
      name: 'iPhone and iPad',
      steps: [
        'Download the certificate in Safari, and allow the download of the configuration profile.',
        'Open Settings, <b>Profile Downloaded</b>, and install it.',
        'Open Settings, General, About, <b>Certificate Trust Settings</b>, and switch it on under full trust.',
      ],
    },
    {
      system: 'windows',
      name: 'Windows',
      steps: [
        'Open the downloaded file, and press <b>Install Certificate</b>.',
        'Choose <b>Current User</b>, then <b>Place all certificates in the following store</b>.',
        'Browse to <b>Trusted Root Certification Authorities</b>, finish, and confirm the fingerprint.',
      ],
    },
    {
      system: 'macos',
      name: 'macOS',
      steps: [
        'Open the downloaded file. Keychain Access adds it to the keychain <b>login</b>.',
        'Find the certificate there, open it, and expand <b>Trust</b>.',
        'Set <b>When using this certificate</b> to <b>Always Trust</b>, and close the window.',
      ],
    },
    {
      system: 'linux',
      name: 'Linux',
      steps: [
        'Chromium and Chrome: open <code>chrome://certificate-manager</code>, <b>Custom</b>, <b>Trusted Certificates</b>, and import the file.',
        'The system, on Debian: save <a href="/tls/ca.pem">the PEM file</a> as <code>/usr/local/share/ca-certificates/stellwerk.crt</code>, and run <code>sudo update-ca-certificates</code>.',
      ],
    },
    {
      system: 'firefox',
      name: 'Firefox on computers',
      steps: [
        'Open Settings, Privacy &amp; Security, <b>View Certificates</b>, <b>Authorities</b>.',
        'Press <b>Import</b>, select the file, and tick <b>Trust this CA to identify websites</b>.',
      ],
    },
  ],
  wrongName: {
    title: 'This address is not allowed',
    text: (name) => `This gateway does not know the name “${name}”, so it rejects the request.`,
    owner: (name) => `If the name is right, the owner adds “${name}” to api.allowedHosts.`,
    open: 'Open the gateway by its address',
  },
};

const de: TrustTexts = {
  title: 'Diesem Gateway vertrauen',
  lead: 'Verschlüsselte Verbindungen im Heimnetz',
  purpose:
    'Für Namen und Adressen eines Heimnetzes stellt keine öffentliche Stelle Zertifikate aus. Deshalb hat dieses Gateway eine eigene Zertifizierungsstelle. Ihr Zertifikat wird auf jedem Gerät einmal installiert: Der Browser verschlüsselt dann ohne Warnung, installiert die Seite als App und kann Benachrichtigungen empfangen.',
  limit:
    'Die Zertifizierungsstelle kann nur Namen von Heimnetzen bestätigen, etwa solche, die auf .local enden. Für andere Seiten kann sie sich nicht ausgeben.',
  download: '1. Zertifikat herunterladen',
  downloadLink: 'Zertifikat der Zertifizierungsstelle',
  pem: 'Dasselbe <a href="/tls/ca.pem">als PEM</a>, für Linux und Programme.',
  compare: '2. Fingerabdruck vergleichen',
  compareHow:
    'Jemand in Ihrem Netz könnte diese Seite ausgetauscht haben. Der Besitzer sieht den Fingerabdruck am Gerät selbst mit <code>sudo stellwerk doctor</code>. Fahren Sie nur fort, wenn er gleich ist (SHA-256):',
  install: '3. Auf diesem Gerät installieren',
  open: '4. Gateway neu öffnen',
  openHow: 'Starten Sie den Browser neu. Dann erscheint keine Warnung mehr:',
  openLink: 'Gateway mit TLS öffnen',
  ownersCertificate:
    'Der Besitzer hat diesem Gateway ein Zertifikat gegeben. Zeigt Ihr Browser keine Warnung, ist nichts zu tun; sonst fragen Sie den Besitzer.',
  noTls:
    'Dieses Gateway stellt noch keine Zertifikate aus. Der Besitzer setzt dafür in der Konfiguration <code>tls: auto</code> bei einem Webserver.',
  back: 'Zurück zum Gateway',
  instructions: [
    {
      system: 'android',
      name: 'Android',
      steps: [
        'Laden Sie das Zertifikat herunter. Bietet Android an, es zu installieren, schließen Sie diese Meldung.',
        'Öffnen Sie die Einstellungen und suchen Sie nach <b>CA-Zertifikat</b>. Es steht unter Sicherheit, <b>Verschlüsselung und Anmeldedaten</b>, <b>Zertifikat installieren</b>.',
        'Wählen Sie <b>CA-Zertifikat</b>, bestätigen Sie <b>Trotzdem installieren</b> und wählen Sie die Datei unter den Downloads aus.',
      ],
    },
    {
      system: 'ios',
      name: 'iPhone und iPad',
      steps: [
        'Laden Sie das Zertifikat in Safari herunter und erlauben Sie den Download des Konfigurationsprofils.',
        'Öffnen Sie Einstellungen, <b>Profil geladen</b>, und installieren Sie es.',
        'Öffnen Sie Einstellungen, Allgemein, Info, <b>Zertifikatsvertrauenseinstellungen</b>, und schalten Sie das volle Vertrauen ein.',
      ],
    },
    {
      system: 'windows',
      name: 'Windows',
      steps: [
        'Öffnen Sie die Datei und drücken Sie <b>Zertifikat installieren</b>.',
        'Wählen Sie <b>Aktueller Benutzer</b>, dann <b>Alle Zertifikate in folgendem Speicher speichern</b>.',
        'Wählen Sie <b>Vertrauenswürdige Stammzertifizierungsstellen</b>, dann <b>Fertig stellen</b>, und bestätigen Sie den Fingerabdruck.',
      ],
    },
    {
      system: 'macos',
      name: 'macOS',
      steps: [
        'Öffnen Sie die Datei. Die Schlüsselbundverwaltung fügt sie dem Schlüsselbund <b>Anmeldung</b> hinzu.',
        'Suchen Sie dort das Zertifikat, öffnen Sie es und klappen Sie <b>Vertrauen</b> auf.',
        'Stellen Sie <b>Bei Verwendung dieses Zertifikats</b> auf <b>Immer vertrauen</b> und schließen Sie das Fenster.',
      ],
    },
    {
      system: 'linux',
      name: 'Linux',
      steps: [
        'Chromium und Chrome: Öffnen Sie <code>chrome://certificate-manager</code>, <b>Benutzerdefiniert</b>, <b>Vertrauenswürdige Zertifikate</b>, und importieren Sie die Datei.',
        'Das System, unter Debian: Speichern Sie <a href="/tls/ca.pem">die PEM-Datei</a> als <code>/usr/local/share/ca-certificates/stellwerk.crt</code> und führen Sie <code>sudo update-ca-certificates</code> aus.',
      ],
    },
    {
      system: 'firefox',
      name: 'Firefox auf Computern',
      steps: [
        'Öffnen Sie Einstellungen, Datenschutz &amp; Sicherheit, <b>Zertifikate anzeigen</b>, <b>Zertifizierungsstellen</b>.',
        'Drücken Sie <b>Importieren</b>, wählen Sie die Datei und setzen Sie den Haken bei <b>Dieser CA vertrauen, um Websites zu identifizieren</b>.',
      ],
    },
  ],
  wrongName: {
    title: 'Diese Adresse ist nicht erlaubt',
    text: (name) => `Dieses Gateway kennt den Namen „${name}“ nicht und weist die Anfrage deshalb ab.`,
    owner: (name) => `Ist der Name richtig, fügt der Besitzer „${name}“ zu api.allowedHosts hinzu.`,
    open: 'Gateway über seine Adresse öffnen',
  },
};

export const trustTexts = { en, de } as const;
