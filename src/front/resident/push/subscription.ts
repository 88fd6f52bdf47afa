import { locale } from '../../web/i18n/i18n.js';
import { install, type NotInstalled } from '../../web/install.js';
import type { App } from '../app.js';

/** Whether this device gets notifications, or why it cannot. */
export type PushState = 'on' | 'off' | NotInstalled | 'blocked' | 'open' | 'failed';

/** What the gateway knows about this browser. */
interface KnownPush {
  readonly publicKey: string;
  readonly isSubscribed: boolean;
}

/** Reads whether this device gets notifications. */
export async function readPush({ base, facts }: App): Promise<PushState> {
  if (!facts.passwordRequired) return 'open';
  const registration = await install(base);
  if (typeof registration === 'string') return registration;
  if (!('PushManager' in globalThis) || !('Notification' in globalThis)) return 'unsupported';
  if (Notification.permission === 'denied') return 'blocked';
  const { publicKey, isSubscribed } = await readKnown(base);
  const present = await registration.pushManager.getSubscription();
  return isSubscribed && present !== null && keyOf(present) === publicKey ? 'on' : 'off';
}

/** Asks for the permission and subscribes; to be called by a press of the user. */
export async function subscribe({ base }: App): Promise<PushState> {
  const registration = await install(base);
  if (typeof registration === 'string') return registration;
  const permission = await Notification.requestPermission();
  // The user closed the question without a reply ('default'): it can be asked again.
  if (permission !== 'granted') return permission === 'denied' ? 'blocked' : 'off';
  const { publicKey } = await readKnown(base);
  const { pushManager } = registration;
  const present = await pushManager.getSubscription();
  // Made for another key of the gateway.
  if (present !== null && keyOf(present) !== publicKey) await present.unsubscribe();
  const made = await pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: publicKey });
  const response = await fetch(`${base}push`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({
      endpoint: made.endpoint,
      p256dh: base64(made.getKey('p256dh')),
      auth: base64(made.getKey('auth')),
      language: locale(),
    }),
  });
  return response.ok ? 'on' : 'failed';
}

/** Ends the subscription. The browser's comes first: without it, nothing arrives, whatever the gateway replies. */
export async function unsubscribe({ base }: App): Promise<PushState> {
  const registration = await install(base);
  if (typeof registration === 'string') return registration;
  const present = await registration.pushManager.getSubscription();
  if (present !== null && !(await present.unsubscribe())) return 'on';
  // Otherwise the gateway forgets it when the push service rejects the next notification.
  await fetch(`${base}push`, { method: 'DELETE' }).catch(() => undefined);
  return 'off';
}

async function readKnown(base: string): Promise<KnownPush> {
  const response = await fetch(`${base}push`, { cache: 'no-store' });
  if (!response.ok) throw new Error(`the gateway replied ${response.status}`);
  return (await response.json()) as KnownPush;
}

function keyOf({ options }: PushSubscription): string {
  return base64(options.applicationServerKey);
}

function base64(bytes: ArrayBuffer | null): string {
  const text = btoa(String.fromCharCode(...new Uint8Array(bytes ?? new ArrayBuffer(0))));
  return text.replace(/\+/g, '-').replace(/\//g, '_').replace(/=+$/, '');
}
