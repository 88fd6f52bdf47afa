import { signal } from '@preact/signals';
import { type Language, setLanguage } from '../../web/i18n/i18n.js';
import type { en } from './en.js';

/** All texts of the console: English is the model. */
export type ConsoleTexts = typeof en;

const current = signal<ConsoleTexts | undefined>(undefined);

/** Loads the texts of a language, and those that both programs share. */
export async function setConsoleLanguage(language: Language): Promise<void> {
  const load =
    language === 'de' ? import('./de.js').then(({ de }) => de) : import('./en.js').then(({ en }) => en);
  const [loaded] = await Promise.all([load, setLanguage(language)]);
  current.value = loaded;
}

/** The console's texts. Reading them subscribes to the language. */
export function words(): ConsoleTexts {
  if (current.value === undefined) throw new Error('no language is loaded yet');
  return current.value;
}
