import { locale } from '../../web/i18n/i18n.js';
import type { PushState } from './subscription.js';

interface PushTexts {
  readonly title: string;
  readonly hint: string;
  readonly on: string;
  readonly off: string;
  readonly trust: string;
  readonly reasons: Readonly<Record<Exclude<PushState, 'on' | 'off'>, string>>;
}

const en: PushTexts = {
  title: 'Notifications',
  hint: 'Popups and notifications of this area reach this device even while the page is closed. They go through the push service of the browser, encrypted so that only this device can read them.',
  on: 'On',
  off: 'Off',
  trust: 'How this device trusts the gateway',
  reasons: {
    insecure: 'The connection is not encrypted; browsers need TLS for notifications.',
    untrusted: 'This device does not trust the certificate of the gateway.',
    unsupported:
      'This browser does not support notifications for web pages. On iPhone and iPad, add the page to the home screen first.',
    blocked: 'The browser blocks notifications of this page. Allow them in its settings for this page.',
    open: 'This area has no password, so the gateway does not know its devices.',
    failed: 'The gateway or the push service of the browser could not be reached. Try again later.',
  },
};

const de: PushTexts = {
  title: 'Benachrichtigungen',
  hint: 'Popups und Benachrichtigungen dieses Bereichs erreichen dieses Gerät auch, während die Seite geschlossen ist. Sie gehen über den Push-Dienst des Browsers und sind so verschlüsselt, dass nur dieses Gerät sie lesen kann.',
  on: 'Ein',
  off: 'Aus',
  trust: 'Wie dieses Gerät dem Gateway vertraut',
  reasons: {
    insecure: 'Die Verbindung ist nicht verschlüsselt; Browser verlangen für Benachrichtigungen TLS.',
    untrusted: 'Dieses Gerät vertraut dem Zertifikat des Gateways nicht.',
    unsupported:
      'Dieser Browser unterstützt keine Benachrichtigungen für Webseiten. Auf iPhone und iPad muss die Seite zuerst zum Home-Bildschirm hinzugefügt werden.',
    blocked:
      'Der Browser blockiert Benachrichtigungen dieser Seite. Sie lassen sich in seinen Einstellungen für diese Seite erlauben.',
    open: 'Dieser Bereich hat kein Passwort, deshalb kennt das Gateway seine Geräte nicht.',
    failed:
      'Das Gateway oder der Push-Dienst des Browsers war nicht erreichbar. Bitte später erneut versuchen.',
  },
};

/** The texts in the language of the page; they are loaded with the page of the device only. */
export const pushTexts = (): PushTexts => (locale() === 'de' ? de : en);
