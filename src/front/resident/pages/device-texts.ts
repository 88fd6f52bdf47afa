import { locale } from '../../web/i18n/i18n.js';
import type { Widened } from '../../web/i18n/texts.js';

const en = {
  textSize: 'Text size',
  sizes: { normal: 'Normal', large: 'Large', largest: 'Very large' },
  kiosk: 'Kiosk',
  kioskHint:
    'Hides the navigation and returns to the first page after a minute. To leave, hold the title for 3 seconds.',
  kioskStart: 'Start kiosk',
  favourites: 'Favourites',
  favouritesHint: 'Add favourites in the details of a tile.',
  favouritesRemove: (name: string) => `Remove ${name} from the favourites`,
  moveUp: (name: string) => `Move ${name} up`,
  signOut: 'Sign out',
  name: 'Signed in as',
  notEncrypted: 'The connection to the gateway is not encrypted.',
  gatewayTime: 'Time of the gateway',
} as const;

const de: Widened<typeof en> = {
  textSize: 'Schriftgröße',
  sizes: { normal: 'Normal', large: 'Groß', largest: 'Sehr groß' },
  kiosk: 'Kiosk',
  kioskHint:
    'Blendet die Navigation aus und kehrt nach einer Minute zur ersten Seite zurück. Zum Verlassen den Titel 3 Sekunden halten.',
  kioskStart: 'Kiosk starten',
  favourites: 'Favoriten',
  favouritesHint: 'Favoriten werden in den Einzelheiten einer Kachel hinzugefügt.',
  favouritesRemove: (name) => `${name} aus den Favoriten entfernen`,
  moveUp: (name) => `${name} nach oben`,
  signOut: 'Abmelden',
  name: 'Angemeldet als',
  notEncrypted: 'Die Verbindung zum Gateway ist nicht verschlüsselt.',
  gatewayTime: 'Uhrzeit des Gateways',
};

/** The texts in the language of the page; they are loaded with the page of the device only. */
export const deviceTexts = (): Widened<typeof en> => (locale() === 'de' ? de : en);
