import type { FamilyTexts } from './family-texts.js';

/** Meters for electricity, gas, water and heat. */
export const meter: FamilyTexts = {
  modules: {
    'SML Meter': ['SML-Zähler', 'Ein Stromzähler, der SML-Telegramme an einen Lesekopf sendet.'],
  },
  properties: {
    Values: ['Werte', 'Die Werte des Zählers, die eine Variable haben.'],
    Learn: ['Werte übernehmen', 'Werte, die der Zähler sendet, kommen von selbst hinzu.'],
    Meter: [
      'Zählernummer',
      'Die Nummer eines Zählers, der sie nicht sendet. Nach einem Zählertausch ändern.',
    ],
    StaleAfterS: [
      'Veraltet nach',
      'Ein Wert gilt so viele Sekunden nach dem letzten Telegramm als veraltet.',
    ],
  },
};
