import { locale } from './i18n.js';

/** What the gateway calls an object that has no name. */
export const unnamed = (id: number): string => `Unnamed Object (ID: ${id})`;

/** A name as it is shown: that of an object without one in the user's language. Subscribes to the language. */
export const shownName = (id: number, name: string): string =>
  locale() === 'de' && name === unnamed(id) ? `Unbenanntes Objekt (ID: ${id})` : name;
