import { signal } from '@preact/signals';
import { type Language, setLanguage } from '../../web/i18n/i18n.js';
import type { en } from './en.js';
import { loadGatewayTexts } from './gateway-texts.js';

/** All texts of the console: English is the model. */
export type ConsoleTexts = typeof en;

const current = signal<ConsoleTexts | undefined>(undefined);

/** Loads the texts of a language, and those that both programs share. The gateway's own texts follow. */
export async function setConsoleLanguage(language: Language): Promise<void> {
  const load =
    language === 'de' ? import('./de.js').then(({ de }) => de) : import('./en.js').then(({ en }) => en);
  const [loaded] = await Promise.all([load, setLanguage(language)]);
  current.value = loaded;
  document.documentElement.lang = language;
  // Without them, the gateway's texts are English.
  loadGatewayTexts(language).catch(() => undefined);
}

/** The console's texts. Reading them subscribes to the language. */
export function words(): ConsoleTexts {
  if (current.value === undefined) throw new Error('no language is loaded yet');
  return current.value;
}
