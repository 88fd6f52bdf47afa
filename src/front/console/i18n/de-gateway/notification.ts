import type { FamilyTexts } from './family-texts.js';

export const notification: FamilyTexts = {
  modules: {
    Notification: [
      'Benachrichtigung',
      'Schickt Nachrichten an Menschen: ntfy, Gotify, Telegram, E-Mail oder ein Webhook.',
    ],
  },
  properties: {
    Service: ['Dienst', 'Die Art des Servers, der Nachrichten zustellt.'],
    Url: [
      'URL',
      'Die Adresse des Servers: https://ntfy.sh/mein-topic, https://…, smtps://host, smtp://host. Leer für Telegram.',
    ],
    Recipient: ['Empfänger', 'Telegram: die ID des Chats. E-Mail: Adressen, durch Kommas getrennt.'],
    Sender: ['Absender', 'E-Mail: die Adresse, von der E-Mails kommen.'],
    UserName: ['Benutzername', 'Der Benutzername beim Server; leer, wenn ein Token genügt.'],
    Password: [
      'Passwort oder Token',
      'Das Passwort beim Server oder das Token: der Anwendung (Gotify), des Bots (Telegram), des Benutzers (ntfy).',
    ],
    CaFile: [
      'CA-Datei',
      'Eine PEM-Datei mit den Zertifizierungsstellen, von denen das Zertifikat des Servers stammen darf.',
    ],
  },
};
