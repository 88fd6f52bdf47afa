import type { FamilyTexts } from './family-texts.js';

export const mqtt: FamilyTexts = {
  modules: {
    'MQTT Client': ['MQTT-Client', 'Die Verbindung zu einem MQTT-Broker.'],
    'MQTT Discovery': ['MQTT-Erkennung', 'Findet die Geräte, die sich bei einem MQTT-Broker ankündigen.'],
    'MQTT Discovered Device': [
      'Erkanntes MQTT-Gerät',
      'Ein Gerät, das seine Variablen bei einem MQTT-Broker ankündigt.',
    ],
    'MQTT Publisher': [
      'MQTT-Veröffentlichung',
      'Veröffentlicht Teile des Baums bei einem MQTT-Broker, als Geräte von Home Assistant.',
    ],
    'MQTT Device': ['MQTT-Gerät', 'Ein Gerät, dessen Variablen Topics eines MQTT-Brokers haben.'],
  },
  properties: {
    Url: ['URL', 'Die Adresse des Brokers: mqtt://host oder mqtts://host für TLS.'],
    ClientID: ['Client-ID', 'Der Name, unter dem der Broker diesen Client kennt; leer: wird erzeugt.'],
    UserName: ['Benutzername', 'Der Benutzername beim Broker.'],
    Password: ['Passwort', 'Das Passwort beim Broker.'],
    ProtocolVersion: ['Protokollversion', '4 ist MQTT 3.1.1, 5 ist MQTT 5.'],
    KeepAliveInterval: ['Keep-Alive', 'Der Client sendet mindestens in diesem Abstand, in Sekunden.'],
    CleanSession: [
      'Clean Session',
      'Ist dies ausgeschaltet, bewahrt der Broker Nachrichten auf, solange das Gateway getrennt ist.',
    ],
    Subscriptions: [
      'Weitere Topics',
      'Zusätzlich abonnierte Topics, damit die Liste der bekannten Geräte auch sie enthält.',
    ],
    CaFile: [
      'CA-Datei',
      'Eine PEM-Datei mit den Zertifizierungsstellen, von denen das Zertifikat des Brokers stammen darf.',
    ],
    CertificateFile: ['Zertifikatsdatei', 'Eine PEM-Datei mit dem Zertifikat dieses Clients.'],
    KeyFile: ['Schlüsseldatei', 'Eine PEM-Datei mit dem Schlüssel dieses Clients.'],
    WillTopic: [
      'Topic',
      'Das Topic, auf dem der Broker meldet, dass die Verbindung zum Gateway abgebrochen ist.',
    ],
    WillPayload: ['Payload', 'Was der Broker dann veröffentlicht.'],
    WillQoS: ['QoS', 'Die Dienstgüte (QoS) des Last Will.'],
    WillRetain: ['Retain', 'Ob der Broker den Last Will für spätere Abonnenten aufbewahrt.'],
    BirthPayload: [
      'Payload nach Verbindung',
      'Was das Gateway nach dem Verbinden auf demselben Topic veröffentlicht.',
    ],
    AvailabilityTopic: [
      'Topic',
      'Das Topic, auf dem das Gerät oder der Broker meldet, ob das Gerät erreichbar ist.',
    ],
    AvailabilityPath: [
      'JSON-Pfad',
      'Der Pfad des Zustands in einer JSON-Payload; leer, wenn die Payload selbst der Zustand ist.',
    ],
    Available: ['Payload erreichbar', 'Die Payload, die „erreichbar“ bedeutet.'],
    Unavailable: ['Payload nicht erreichbar', 'Die Payload, die „nicht erreichbar“ bedeutet.'],
    Prefix: ['Präfix', 'Der erste Teil der Topics, auf denen sich Geräte ankündigen.'],
    Adopt: [
      'Übernehmen',
      'Welche Geräte von selbst zu Instanzen werden: keine, die unter „Geräte“ genannten oder alle.',
    ],
    Devices: [
      'Geräte',
      'Namen oder Kennungen von Geräten, die bei „die genannten“ zu Instanzen werden; * ist beliebiger Text.',
    ],
    Ignore: [
      'Ausnahmen',
      'Namen oder Kennungen von Geräten, die nie von selbst zu Instanzen werden; * ist beliebiger Text.',
    ],
    PublishBirth: [
      'Birth-Nachricht',
      'Ob das Gateway nach dem Verbinden „online“ veröffentlicht, damit Geräte sich und ihre Zustände melden.',
    ],
    StatusTopic: [
      'Topic der Birth-Nachricht',
      'Wo „online“ veröffentlicht wird; leer: status unter dem Präfix.',
    ],
    Tasmota: ['Tasmota', 'Ob Geräte mit Tasmota an ihren eigenen Ankündigungen erkannt werden.'],
    Shelly: [
      'Shelly',
      'Ob Shelly-Geräte ab der zweiten Generation erkannt werden, die auf Anfragen antworten.',
    ],
    Paths: ['Pfade', 'Ident-Pfade der Objekte, die mit allem darunter in Home Assistant erscheinen.'],
    Rules: [
      'Regeln der Objekte',
      'Ob auch Objekte mit der Regel publish: home-assistant erscheinen, und die mit publish: none nicht.',
    ],
    Topic: ['Topic', 'Der erste Teil der Topics von Zuständen und Befehlen.'],
    Device: ['Gerät', 'Die Kennung, mit der sich das Gerät ankündigt.'],
    Announcement: ['Ankündigung', 'Was das Gerät angekündigt hat. Die MQTT-Erkennung hält es aktuell.'],
    Removed: ['Entfernt', 'Ob das Gerät inzwischen beim Broker entfernt wurde.'],
    Topics: ['Topics', 'Die Variablen des Geräts mit den Topics für ihren Zustand und ihre Befehle.'],
    'Topics.Ident': ['Ident'],
    'Topics.Name': ['Name'],
    'Topics.Type': ['Typ'],
    'Topics.StateTopic': ['Topic des Zustands'],
    'Topics.CommandTopic': ['Topic für Befehle'],
    'Topics.CommandPayload': ['Payload des Befehls'],
    'Topics.JsonPath': ['JSON-Pfad'],
    'Topics.TimePath': ['JSON-Pfad der Zeit'],
    'Topics.Counter': ['Nachrichten zählen'],
    'Topics.Scale': ['Faktor'],
    'Topics.Offset': ['Offset'],
    'Topics.Digits': ['Nachkommastellen'],
    'Topics.On': ['Payload für Ein'],
    'Topics.Off': ['Payload für Aus'],
    'Topics.Profile': ['Profil'],
    'Topics.QoS': ['QoS'],
    'Topics.Retain': ['Retain'],
    'Topics.StaleAfterS': ['Veraltet nach (s)'],
  },
};
