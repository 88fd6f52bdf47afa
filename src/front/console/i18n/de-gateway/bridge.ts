import type { FamilyTexts } from './family-texts.js';

export const bridge: FamilyTexts = {
  modules: {
    'MQTT Bridge': [
      'MQTT-Bridge',
      'Leitet Werte als JSON an einen MQTT-Broker weiter und bewahrt sie auf, solange er nicht erreichbar ist.',
    ],
    'Sparkplug Edge Node': [
      'Sparkplug-Edge-Node',
      'Leitet Werte als Edge Node von Sparkplug B weiter und bewahrt sie auf, solange kein Broker erreichbar ist.',
    ],
    'Line Protocol Bridge': [
      'Line-Protocol-Bridge',
      'Leitet Werte an eine Zeitreihen-Datenbank weiter und bewahrt sie auf, solange sie nicht erreichbar ist.',
    ],
  },
  properties: {
    MoreUrls: ['Weitere URLs', 'Adressen weiterer Broker, die der Reihe nach versucht werden.'],
    GroupID: ['Gruppe', 'Die Gruppe von Edge Nodes, zu der dieser gehört.'],
    EdgeNodeID: ['Edge Node', 'Der Name dieses Edge Nodes, den kein anderer der Gruppe hat.'],
    PrimaryHostID: [
      'Primärer Host',
      'Die Anwendung, die verbunden sein muss, bevor Werte gesendet werden; leer: keine.',
    ],
    'Line Protocol Bridge: Url': [
      'URL',
      'Die Adresse, an die Zeilen gesendet werden, etwa http://host:8428/write.',
    ],
    'Line Protocol Bridge: UserName': ['Benutzername', 'Der Benutzername, ohne Token.'],
    'Line Protocol Bridge: Password': ['Passwort', 'Das Passwort des Benutzers.'],
    'Line Protocol Bridge: CaFile': [
      'CA-Datei',
      'Eine PEM-Datei mit den Zertifizierungsstellen, von denen das Zertifikat des Servers stammen darf.',
    ],
    Token: ['Token', 'Das Token von InfluxDB 2 oder 3.'],
    Measurement: ['Measurement', 'Das Measurement, also die Tabelle, aller Werte.'],
    Tags: ['Tags', 'Tags aller Werte, etwa der Name des Standorts.'],
    'Tags.Name': ['Name'],
    'Tags.Value': ['Wert'],
    SendInterval: [
      'Sendeintervall',
      'So lange werden aktuelle Werte gesammelt und dann in einer Anfrage gesendet, in Sekunden.',
    ],
    Url: ['URL', 'Die Adresse des Brokers: mqtt://host oder mqtts://host für TLS.'],
    UserName: ['Benutzername', 'Der Benutzername beim Broker.'],
    Password: ['Passwort', 'Das Passwort beim Broker.'],
    ClientID: ['Client-ID', 'Der Name, unter dem der Broker diesen Client kennt; leer: wird erzeugt.'],
    KeepAliveInterval: ['Keep-Alive', 'Der Client sendet mindestens in diesem Abstand, in Sekunden.'],
    CaFile: [
      'CA-Datei',
      'Eine PEM-Datei mit den Zertifizierungsstellen, von denen das Zertifikat des Brokers stammen darf.',
    ],
    CertificateFile: ['Zertifikatsdatei', 'Eine PEM-Datei mit dem Zertifikat dieses Clients.'],
    KeyFile: ['Schlüsseldatei', 'Eine PEM-Datei mit dem Schlüssel dieses Clients.'],
    Topic: ['Topic', 'Der erste Teil aller Topics. Jedes Gateway an einem Broker braucht ein anderes.'],
    Commands: ['Befehle', 'Ob Clients des Brokers Befehle an die weitergeleiteten Variablen senden dürfen.'],
    Paths: ['Pfade', 'Die Objekte, deren Variablen weitergeleitet werden, mit allem darunter.'],
    'Paths.Path': ['Pfad'],
    'Paths.Priority': ['Priorität'],
    MaxMiB: ['Größe', 'Die Höchstgröße der Warteschlange auf dem Datenträger, in MiB.'],
    MaxDays: ['Alter', 'Ältere Werte werden verworfen, in Tagen.'],
    WriteInterval: [
      'Schreibintervall',
      'Abstand, in dem nicht bestätigte Werte auf den Datenträger geschrieben werden, in Sekunden.',
    ],
    ResendRate: [
      'Nachsenderate',
      'Wie viele vergangene Werte je Sekunde gesendet werden, wenn der Empfänger wieder erreichbar ist.',
    ],
  },
};
