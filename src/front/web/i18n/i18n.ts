import { signal } from '@preact/signals';
import type { Texts } from './texts.js';

export const languages = ['de', 'en'] as const;
export type Language = (typeof languages)[number];

/** `languages` are lists of preferences as in `navigator.languages`. */
export function chooseLanguage(preferred: readonly string[], chosen: string | null | undefined): Language {
  for (const tag of [chosen ?? '', ...preferred]) {
    const base = tag.slice(0, 2).toLowerCase();
    if (base === 'de' || base === 'en') return base;
  }
  return 'en';
}

const current = signal<{ readonly language: Language; readonly texts: Texts } | undefined>(undefined);

/** Loads the texts of a language, a chunk of its own; what is shown follows. */
export async function setLanguage(language: Language): Promise<void> {
  const loaded = language === 'de' ? (await import('./de.js')).de : (await import('./en.js')).en;
  current.value = { language, texts: loaded };
}

/** The texts of the page. Reading them subscribes to the language. */
export function texts(): Texts {
  if (current.value === undefined) throw new Error('no language is loaded yet');
  return current.value.texts;
}

export function locale(): Language {
  return current.value?.language ?? 'en';
}
