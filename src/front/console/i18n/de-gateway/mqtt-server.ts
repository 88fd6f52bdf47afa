import type { FamilyTexts } from './family-texts.js';

export const mqttServer: FamilyTexts = {
  modules: {
    'MQTT Server': ['MQTT-Server', 'Ein MQTT-Broker für Geräte dieses Netzes.'],
    'MQTT Server User': [
      'MQTT-Server-Benutzer',
      'Ein Benutzer eines MQTT-Servers: die Anmeldung eines Geräts oder Programms und seine Topics.',
    ],
  },
  properties: {
    BindIP: [
      'Empfangsadresse',
      'Die Adresse, auf der der Server Verbindungen annimmt; 0.0.0.0 für alle, dann sind Benutzer nötig.',
    ],
    Port: ['Port', 'Der Port, auf dem der Server Verbindungen annimmt.'],
    UseSSL: [
      'TLS',
      'Ob Clients TLS verwenden müssen. Ohne Dateien ist das Zertifikat von der eigenen Zertifizierungsstelle des Gateways.',
    ],
    CertificateFile: ['Zertifikatsdatei', 'Eine PEM-Datei mit dem Zertifikat des Servers.'],
    KeyFile: ['Schlüsseldatei', 'Eine PEM-Datei mit dem zugehörigen Schlüssel.'],
    MaxClients: ['Clients', 'Die höchste Zahl von Clients.'],
    MaxPacketKiB: ['Paketgröße (KiB)', 'Ein Client, der ein größeres Paket sendet, wird getrennt.'],
    MaxSubscriptions: ['Abonnements', 'Die höchste Zahl von Abonnements eines Clients.'],
    MaxQueued: [
      'Wartende Nachrichten',
      'Die höchste Zahl von Nachrichten, die auf einen Client warten; spätere werden verworfen.',
    ],
    MaxKeptMiB: ['Größe (MiB)', 'Die Höchstgröße aller aufbewahrten und wartenden Nachrichten zusammen.'],
    SessionDays: [
      'Aufbewahrung (Tage)',
      'Wie lange Nachrichten auf einen Client warten, der sich nicht verbindet.',
    ],
    WriteInterval: [
      'Schreibintervall',
      'Wie oft Änderungen auf den Datenträger geschrieben werden, in Sekunden: so viel kann ein Stromausfall kosten.',
    ],
    UserName: ['Benutzername', 'Der Name, mit dem sich Geräte anmelden.'],
    Password: ['Passwort', 'Das Passwort; oder PasswordHash setzen.'],
    PasswordHash: ['Hash des Passworts', 'Der Hash des Passworts, wie stellwerk hash-password ihn ausgibt.'],
    Read: ['Empfangen', 'Die Topics, die der Benutzer empfangen darf; + und # sind Platzhalter.'],
    Write: [
      'Veröffentlichen',
      'Die Topics, auf denen der Benutzer veröffentlichen darf; + und # sind Platzhalter.',
    ],
  },
};
