import { effect } from '@preact/signals';
import { locale } from '../web/i18n/i18n.js';
import type { App } from './app.js';

const TEXTS = {
  en: 'Seen as by a resident. Commands are real.',
  de: 'Ansicht der Bewohner. Befehle wirken wirklich.',
} as const;

/** Says above the page that the owner sees the front as its residents do, until the page is signed out. */
export function install({ gateway }: App): void {
  const note = document.createElement('aside');
  note.className = 'soft';
  // Not in the style sheet, which every resident loads.
  Object.assign(note.style, { padding: 'var(--space-1)', textAlign: 'center' });
  document.body.prepend(note);
  effect(() => {
    note.textContent = TEXTS[locale() === 'de' ? 'de' : 'en'];
    if (gateway.signedOut.value !== undefined) note.remove();
  });
}
